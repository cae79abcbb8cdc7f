/// Rows of columns without those in which a value is missing, and results put back beside the rows
/// that have one.
#pragma once

#include <cli/engine/buffers.hpp>
#include <cli/engine/saved_state.hpp>

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace upsweep::cli {

/// A block of rows, of each column those that have a value. Without a gap nothing is copied.
class gapless_rows {
 public:
  /// Takes rows [first, first + n); `numbers` and `present` as in io::chunk. `jointly`: a row that
  /// lacks one value is left out of all columns.
  void take(std::span<io::typed_column const> columns, std::span<std::uint64_t const> numbers,
            std::span<io::typed_column const> present, std::size_t first, std::size_t n,
            bool jointly);
  /// Valid until the next call of `take`, and as long as the columns are.
  [[nodiscard]] io::typed_column values(std::size_t column) const { return values_[column]; }
  [[nodiscard]] std::span<std::uint64_t const> numbers(std::size_t column) const {
    return numbers_[column];
  }
  /// For each row of the block, whether it is among `values`.
  [[nodiscard]] io::typed_column present(std::size_t column) const { return present_[column]; }

 private:
  void keep(std::size_t column, std::span<bool const> present);
  void join(std::span<io::typed_column const> present, std::size_t first, std::size_t n);

  std::vector<io::typed_column> values_, present_;
  std::vector<std::span<std::uint64_t const>> numbers_;
  std::vector<column_buffer> kept_values_;
  std::vector<std::vector<std::uint64_t>> kept_numbers_;
  column_buffer joint_{io::dtype::boolean};
};

void append_zeros(column_buffer& column, std::size_t n);

/// The last `kept` results of a column are those of the rows that are `present`, of `n` rows: moves
/// each beside its row. The other rows get zeros.
void spread(column_buffer& results, std::size_t kept, io::typed_column present, std::size_t n);

/// The last rows of a column of results, of which `present` have one: gives the others the latest
/// result, which may be that of an earlier call, in `latest`, if there is one.
void repeat(saved_state& latest, column_buffer& results, std::span<bool const> present);

}  // namespace upsweep::cli
