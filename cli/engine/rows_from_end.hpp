/// Rows that are scanned from the last to the first, and results that are put in their positions.
#pragma once

#include <cli/engine/row_pool.hpp>
#include <io/dtype.hpp>

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace upsweep::cli {

/// Rows last, last - 1, ..., `n` of them.
[[nodiscard]] row_buffer turned_rows(io::chunk const& from, std::size_t last, std::size_t n);

/// The results of all rows, in the order of the rows.
class results_by_row {
 public:
  results_by_row(std::span<io::column_info const> columns, std::size_t texts, std::size_t rows,
                 bool from_end);
  /// Takes those of rows first, first + 1, ..., `n` of them; from the end: first, first - 1, ...
  void take(io::chunk const& rows, std::size_t first, std::size_t n);
  /// When all are there: moves row i to row order[i], unless `order` is empty.
  void put_back(std::span<std::uint32_t const> order);
  [[nodiscard]] io::chunk view() const { return rows_.view(); }

 private:
  bool from_end_;
  row_buffer rows_;                     // strings until put_back in the order of the scan
  std::vector<std::size_t> positions_;  // of each row: where its strings are
};

}  // namespace upsweep::cli
