/// A table in memory whose rows are put together by group, and the scan of each group.
#pragma once

#include <cli/aggregation/aggregation.hpp>
#include <cli/engine/row_pool.hpp>
#include <cli/engine/rows_from_end.hpp>

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace upsweep::cli {

struct whole_table_options {
  std::vector<std::string> by;  ///< the names of the first keys, by which rows are grouped
  std::size_t keys = 0;         ///< how many keys are kept in the order of the input
  bool sorted = true;           ///< groups are runs of equal keys
  bool allow_repeats = false;
  bool numbered = false;     ///< row numbers are needed
  bool maps_arrays = false;  ///< a .npy array is mapped instead of read
  int threads = 0;
};

/// All rows of an input. A .npy file may be mapped; everything else is read into memory.
class whole_table {
 public:
  whole_table(io::input& in, whole_table_options const& options);

  [[nodiscard]] std::size_t rows() const noexcept { return rows_; }
  /// The keys that are kept, in the order of the input.
  [[nodiscard]] std::vector<io::text_column> keys() const;
  /// Scans each group, from its last row to its first if that is wished.
  [[nodiscard]] results_by_row scan(aggregation& set, scan_kind kind, bool from_end) const;

 private:
  void read(io::input& in, whole_table_options const& options);

  row_pool pool_;
  std::vector<text_buffer> keys_;
  std::vector<std::uint32_t> order_;  // where each row of the pool was; empty: where it is
  io::chunk values_;                  // of the pool or the mapped array, as operators take them
  std::vector<group_rows> groups_;
  std::size_t rows_ = 0;
};

}  // namespace upsweep::cli
