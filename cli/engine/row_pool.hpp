/// Rows of many groups, which are put together by group.
#pragma once

#include <cli/engine/buffers.hpp>
#include <io/dtype.hpp>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace upsweep::cli {

/// Rows [first, first + n) are of one group.
struct group_rows {
  std::uint32_t group;
  std::size_t first, n;
};

/// Calls f(group_rows) for each run of equal numbers.
template <class F>
void for_each_run(std::span<std::uint32_t const> groups, F const& f) {
  for (std::size_t first = 0; first < groups.size();) {
    std::size_t end = first + 1;
    while (end < groups.size() && groups[end] == groups[first]) ++end;
    f(group_rows{groups[first], first, end - first});
    first = end;
  }
}

/// Rows of values and strings, copied from where they were read or computed.
struct row_buffer {
  row_buffer() = default;
  /// Without rows.
  row_buffer(std::span<io::column_info const> columns, std::size_t texts);
  /// Appends the rows of a chunk, with the numbers that it has; or, without numbers, `n` of them,
  /// or those at these positions. A column of integers may have become f64. Strings of the first
  /// `dropped` keys are left out.
  void append(io::chunk const& rows);
  void append(io::chunk const& rows, std::size_t first, std::size_t n, std::size_t dropped = 0);
  void append(io::chunk const& rows, std::span<std::size_t const> positions);
  /// Takes the rows of a chunk at these positions, with their numbers, instead of those taken
  /// before.
  void take(io::chunk const& rows, std::span<std::size_t const> positions);
  /// Removes the rows; the columns stay.
  void clear();
  /// Keeps the rows at these positions, in that order.
  void keep(std::span<std::size_t const> positions);
  /// Moves row i to row order[i].
  void put_back(std::span<std::uint32_t const> order);
  [[nodiscard]] io::chunk view() const;

  std::size_t rows = 0;
  std::vector<column_buffer> columns, present;
  std::vector<text_buffer> texts;
  std::optional<text_buffer> joined;   ///< after reader::join_keys
  std::vector<std::uint64_t> numbers;  ///< of the rows in the file, or none

 private:
  void open_like(io::chunk const& chunk);
};

/// The rows of a chunk with their joined fields, or else `n` keys from `first` on, and nothing
/// else.
[[nodiscard]] io::chunk fields_of(io::chunk const& rows, std::size_t first, std::size_t n);

class row_pool {
 public:
  /// `numbered`: the rows' numbers in the file are kept too. The first `dropped` keys are not.
  row_pool(int threads, bool numbered, std::size_t dropped = 0)
      : threads_(threads), numbered_(numbered), dropped_(dropped) {}

  /// Appends the rows of the chunk from `first` on, which are of these groups. A column of integers
  /// may have become f64.
  void append(io::chunk const& rows, std::size_t first, std::span<std::uint32_t const> groups);
  /// Sorts the rows by group, those of a group in the order in which they were appended; returns
  /// where each row was.
  std::vector<std::uint32_t> sort();
  void clear();
  /// Removes all rows but those of `kept`, which are in order and do not overlap.
  void keep_only(std::span<group_rows const> kept);

  [[nodiscard]] std::size_t size() const noexcept { return groups_.size(); }
  [[nodiscard]] std::span<std::uint32_t const> groups() const noexcept { return groups_; }
  /// The rows, with their numbers if they are numbered. Keys that are not kept are empty columns.
  [[nodiscard]] io::chunk rows() const { return rows_.view(); }

 private:
  int threads_;
  bool numbered_;
  std::size_t dropped_;
  std::vector<std::uint32_t> groups_;
  row_buffer rows_;
};

}  // namespace upsweep::cli
