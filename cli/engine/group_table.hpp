/// Numbers the groups of --by in the order in which they first appear, wherever their rows are.
#pragma once

#include <cli/engine/buffers.hpp>
#include <io/dtype.hpp>

#include <cstdint>
#include <span>
#include <vector>

namespace upsweep::cli {

/// A hash table of keys, each of one or more columns of text. Keys are compared by their bytes.
class group_table {
 public:
  explicit group_table(std::size_t columns) : keys_(columns) {}

  /// The number of the group of each row of `keys`, which has as many columns.
  void number(std::span<io::text_column const> keys, std::size_t rows,
              std::vector<std::uint32_t>& groups);
  [[nodiscard]] std::size_t size() const noexcept { return size_; }
  /// Throws data_error: there is no memory for so many groups.
  [[noreturn]] void refuse_more() const;
  /// The keys of all groups, a column for each column of keys.
  [[nodiscard]] std::vector<text_buffer> const& keys() const noexcept { return keys_; }

 private:
  [[nodiscard]] std::uint32_t find(std::span<io::text_column const> keys, std::size_t row);
  [[nodiscard]] bool is(std::uint32_t group, std::span<io::text_column const> keys,
                        std::size_t row) const;
  void enlarge();

  std::vector<text_buffer> keys_;
  std::size_t size_ = 0;
  std::vector<std::uint64_t> slots_;  // linear probing: the hash's upper half, and the group's
                                      // number plus 1; 0 is free
};

}  // namespace upsweep::cli
