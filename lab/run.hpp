/// One run of a textbook kernel: the request, the result, and the comparison.
#pragma once

#include <lab/kernel_table.hpp>
#include <lab/values.hpp>
#include <upsweep/sim/machine.hpp>
#include <upsweep/textbook/catalog.hpp>

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace upsweep::lab {

/// Where kernels run: on the emulator, or on a GPU.
enum class machine_name { sim, cuda };

struct request {
  std::string stem;
  machine_name on = machine_name::sim;
  element_type type = element_type::i32;
  operation_name op = operation_name::sum;
  std::uint64_t n = 1000;
  int threads = 256;
  bool exclusive = false;
  bool ones = false;     ///< every element is 1, as in the laboratory report
  std::string values{};  ///< the n elements, "6,2,7,4"; empty: they are made from the seed
  /// Element i is the set {i}, for the combining tree; with operator or, of i32 or i64 (picture.hpp
  /// says how many).
  bool sets = false;
  /// With sets: the kernel takes its path for sums, since the sum of disjoint sets is their union.
  bool by_addition = false;
  sim::options machine{};  ///< its seed also determines the elements
};

struct difference {
  std::uint64_t index = 0;
  std::string expected, got;
};

struct outcome {
  std::uint64_t results = 0;    ///< number of values compared: 1 of a reduction, n of a scan
  std::uint64_t different = 0;  ///< how many are wrong
  std::uint64_t rounded = 0;    ///< how many agree only up to rounding
  std::optional<difference> first;
  std::string value;    ///< the reduction, or the scan's last value
  std::string failure;  ///< why the kernel did not complete: a deadlock, an access out of bounds
  sim::report report;
  double seconds = 0;

  [[nodiscard]] bool agrees() const { return different == 0 && failure.empty(); }
  [[nodiscard]] bool clean() const { return agrees() && report.findings.empty(); }
};

[[nodiscard]] textbook::entry const& catalog_row(std::string_view stem);

/// Sets the form of a scan that has only one.
[[nodiscard]] request settled(request asked);

/// Why the algorithm does not support the request, as a sentence: its block, type, operator, form
/// or size. Empty if it does.
[[nodiscard]] std::string objection(request const& asked);
/// Throws that sentence as a usage_error.
void check(request const& asked);

/// The elements that `asked` processes. Throws a usage_error if it lists what is no element.
template <class T>
[[nodiscard]] std::vector<T> elements_of(request const& asked) {
  if (!asked.values.empty()) return listed<T>(asked.values);
  return asked.ones ? ones<T>(asked.n) : input<T>(asked.op, asked.n, asked.machine.seed);
}

/// Runs `asked`, which check() accepted, on the emulator.
[[nodiscard]] outcome run(request const& asked);

/// A sentence: the result agrees with the library's, or where it differs.
[[nodiscard]] std::string verdict(request const& asked, outcome const& out);

/// The command line that reproduces `asked`.
[[nodiscard]] std::string command_line(request const& asked);

[[nodiscard]] std::string_view name_of(sim::schedule how);
/// In order, if there is none of this name.
[[nodiscard]] sim::schedule schedule_named(std::string_view name);

/// Why a valid request cannot run on a GPU: its operator, type or block size is not compiled. Empty
/// if it can.
[[nodiscard]] std::string gpu_objection(request const& asked);

struct gpu_outcome {
  outcome result;      ///< without counters or findings
  double seconds = 0;  ///< device time without copies: the median of `runs`, or that of the
                       ///< only run
  int runs = 0;        ///< the number of runs in `seconds`
  double slowest = 0, fastest = 0;
  double gigabytes_per_second = 0;  ///< of the input, and for scans the output
  int launches = 0;
  std::string left_out;  ///< why it did not run
};

/// Runs `asked`, which gpu_objection() accepted. `skip_slow` skips what would take longer than two
/// seconds.
[[nodiscard]] gpu_outcome run_on_gpu(request const& asked, bool skip_slow = false);

}  // namespace upsweep::lab
