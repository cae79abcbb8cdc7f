/// The table of algorithms, their compiled kernels, and the search by stem.
#pragma once

#include <lab/values.hpp>
#include <upsweep/sim/machine.hpp>
#include <upsweep/sim/operation.hpp>
#include <upsweep/textbook/hardware_operation.hpp>

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

namespace upsweep::lab {

/// The arguments of one algorithm on `n` elements. A reduction writes out[0].
template <class T>
struct kernel_arguments {
  T const* in;
  T* out;
  std::size_t n;
  sim::operation<T> op;
  textbook::hardware_operation instruction;  ///< the operation that `op` performs, for kernels that
                                             ///< use its instruction or atomic
  int threads;
  bool exclusive;
  bool ask_only = false;  ///< only find out whether the algorithm supports them; nothing runs
};

/// Whether an algorithm supports its arguments.
enum class fit { taken, not_this_block, not_this_element };

/// The block sizes that are compiled. Those smaller than a warp exist only for integers, in
/// algorithms that need no whole warp.
inline constexpr std::array block_sizes{8, 16, 32, 64, 128, 256, 512, 1024};

/// What the function `upsweep_kernel_<stem>` of an algorithm's module returns: its plan for each
/// element type.
struct compiled_kernel {
  fit (*run_i32)(sim::machine&, kernel_arguments<std::int32_t> const&);
  fit (*run_i64)(sim::machine&, kernel_arguments<std::int64_t> const&);
  fit (*run_f32)(sim::machine&, kernel_arguments<float> const&);
  fit (*run_f64)(sim::machine&, kernel_arguments<double> const&);
  fit (*run_affine)(sim::machine&, kernel_arguments<map_element> const&);
};

struct kernel {
  std::string_view stem;
  std::string_view file;    ///< "upsweep/textbook/scan/block/kogge_stone.hpp"
  std::string_view page;    ///< docs/algorithms/<stem>.md, or nothing
  std::string_view module;  ///< the file that holds it, in the folder of modules
};
/// Loads the algorithm's module on first use. Throws an unavailable_error if there is none.
[[nodiscard]] compiled_kernel const& compiled_kernel_of(kernel const& k);

/// A source file of the textbook.
struct source_file {
  std::string_view name;  ///< "upsweep/textbook/scan_skeleton.hpp"
  std::string_view text;
};
[[nodiscard]] std::span<source_file const> source_files();

/// All algorithms, in order of their files; textbook::algorithms has them in teaching order.
[[nodiscard]] std::span<kernel const> kernels();
/// The text of a source file.
[[nodiscard]] std::string_view text_of_file(std::string_view name);
/// The algorithm with that stem; throws a usage_error with the nearest name if there is none.
[[nodiscard]] kernel const& find_kernel(std::string_view stem);

}  // namespace upsweep::lab
