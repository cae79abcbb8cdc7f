/// The table of compiled algorithms: what one gets to run, and how to find it by its stem.
#pragma once

#include <lab/values.hpp>
#include <upsweep/sim/machine.hpp>
#include <upsweep/sim/operation.hpp>
#include <upsweep/textbook/hardware_operation.hpp>

#include <array>
#include <cstddef>
#include <span>
#include <string_view>

namespace upsweep::lab {

/// What one algorithm is asked to do with `n` elements. A reduction writes out[0].
template <class T>
struct kernel_arguments {
  simt::global<T const> in;
  simt::global<T> out;
  std::size_t n;
  sim::operation<T> op;
  textbook::hardware_operation
      instruction;  ///< what `op` is, for kernels that use an instruction or an atomic of that name
  int threads;
  bool exclusive;
  bool ask_only = false;  ///< whether the algorithm takes such arguments at all; nothing runs
};

/// Whether an algorithm takes its arguments.
enum class fit { taken, not_this_block, not_this_element };

/// The blocks that are compiled. Those below a warp only for algorithms that need no whole warp,
/// and for integers.
inline constexpr std::array block_sizes{8, 16, 32, 64, 128, 256, 512, 1024};

struct kernel {
  std::string_view stem;
  std::string_view file;  ///< "upsweep/textbook/scan/block/kogge_stone.hpp"
  std::string_view page;  ///< docs/algorithms/<stem>.md, or nothing
  fit (*run_i32)(sim::machine&, kernel_arguments<std::int32_t> const&);
  fit (*run_i64)(sim::machine&, kernel_arguments<std::int64_t> const&);
  fit (*run_f32)(sim::machine&, kernel_arguments<float> const&);
  fit (*run_f64)(sim::machine&, kernel_arguments<double> const&);
  fit (*run_affine)(sim::machine&, kernel_arguments<map_element> const&);
};

/// A file of the textbook, kernels and what they share.
struct source_file {
  std::string_view name;  ///< "upsweep/textbook/scan_skeleton.hpp"
  std::string_view text;
};
[[nodiscard]] std::span<source_file const> source_files();

/// All of them, by file; textbook::algorithms has them in teaching order.
[[nodiscard]] std::span<kernel const> kernels();
/// The text of such a file.
[[nodiscard]] std::string_view text_of_file(std::string_view name);
/// The one of that stem; a usage_error which proposes the nearest when there is none.
[[nodiscard]] kernel const& find_kernel(std::string_view stem);

}  // namespace upsweep::lab
