/// The verbs whose plans `upsweep bench verbs --on cuda --explain` prints, as calls that only make
/// plans: their arrays have addresses, but no memory.
#pragma once

#include <bench/harness/call.hpp>
#include <bench/rows/verb_rows.hpp>
#include <upsweep/cuda/executor.hpp>

#include <cstddef>
#include <span>
#include <string_view>
#include <vector>

namespace upsweep::cli::gpu {

/// How a GPU does the work of a row.
struct planned_verb {
  std::string_view key;  ///< verb_row::key()
  void (*run)(upsweep::gpu const& on, bench::call const& c);
};
[[nodiscard]] std::span<planned_verb const> planned_elements();  ///< selections, counts, sorts
[[nodiscard]] std::span<planned_verb const> planned_parts();     ///< segments, windows, rows, ...

/// The entry of a row; null if there is none.
[[nodiscard]] planned_verb const* entry_for(bench::verb_row const& row);

/// Rows that the CPU's table does not have.
[[nodiscard]] std::vector<bench::verb_row> rows_of_gpu();

/// The call of a row on n elements. Parts have the average number of elements.
class planned_input {
 public:
  planned_input(bench::verb_row const& row, std::size_t n);
  [[nodiscard]] bench::call const& call() const { return call_; }

 private:
  std::vector<double> levels_;
  bench::call call_;
};

}  // namespace upsweep::cli::gpu
