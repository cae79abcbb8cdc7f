/// Numbers the groups of --by in the order in which they first appear, wherever their rows are.
#pragma once

#include <cli/engine/buffers.hpp>
#include <io/dtype.hpp>

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace upsweep::cli {

/// The keys of a row as one text, different for different keys.
[[nodiscard]] std::string joined_keys(std::span<text_buffer const> keys, std::size_t row);

/// A hash table of keys, each of one or more columns of text. Keys are compared by their bytes.
class group_table {
 public:
  explicit group_table(std::size_t columns) : keys_(columns) {}

  /// The number of the group of each of rows [first, end) of `keys`, which has as many columns.
  void number(std::span<io::text_column const> keys, std::size_t first, std::size_t end,
              std::vector<std::uint32_t>& groups);
  [[nodiscard]] std::size_t size() const noexcept { return words_.size(); }
  /// Throws io_error: there is no memory for so many groups.
  [[noreturn]] void refuse_more() const;
  /// The keys of all groups, a column for each column of keys.
  [[nodiscard]] std::vector<text_buffer> const& keys() const noexcept { return keys_; }
  /// Forgets all groups.
  void clear();

 private:
  /// A key of one column and at most 15 bytes, filled up with zeros, and its length; of another key
  /// a hash, and the length 255.
  struct key_words {
    std::uint64_t low, high;

    key_words(std::span<io::text_column const> keys, std::size_t row);
    [[nodiscard]] bool is_whole() const noexcept { return high >> 56 < 16; }
    [[nodiscard]] std::uint64_t hash() const noexcept;
    bool operator==(key_words const&) const = default;
  };

  [[nodiscard]] std::uint32_t find(std::span<io::text_column const> keys, std::size_t row,
                                   key_words const& words, std::uint64_t hash);
  [[nodiscard]] bool is(std::uint32_t group, std::span<io::text_column const> keys,
                        std::size_t row) const;
  void reserve(std::size_t more);

  std::vector<text_buffer> keys_;
  std::vector<key_words> words_;      // of each group
  std::vector<std::uint64_t> slots_;  // linear probing: the hash's upper half, and the group's
                                      // number plus 1; 0 is free
};

}  // namespace upsweep::cli
