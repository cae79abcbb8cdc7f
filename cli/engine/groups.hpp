/// The groups of --by: numbers of keys, wherever their rows are, and runs of rows with equal keys.
#pragma once

#include <cli/engine/buffers.hpp>
#include <io/dtype.hpp>

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <utility>
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

/// Splits chunks of rows into runs of equal keys. A run may continue in the next chunk. Rows must
/// be sorted so that equal keys are adjacent: a repeated key is a data_error, or begins a new group
/// if repeats are allowed.
///
/// Sorted keys cannot repeat. While every column only ascends or only descends, as text or as
/// numbers, a new key is compared with the previous one only. Up to 16 MiB of keys are kept in case
/// the order breaks; beyond that they are dropped. Once the order breaks, every key is kept.
class group_runs {
 public:
  group_runs(std::vector<std::string> names, bool may_repeat)
      : names_(std::move(names)),
        may_repeat_(may_repeat),
        orders_(names_.size(), any_order),
        kept_(names_.size()),
        seen_(names_.size()) {}

  /// Calls f(first, n, is_new) for each run of rows [first, first + n) of the chunk. The keys are
  /// the first key columns of the chunk, as many as there are names; without names all rows are one
  /// group.
  template <class F>
  void for_each(io::chunk const& rows, F const& f) {
    auto const keys = std::span(rows.keys).first(names_.size());
    for (std::size_t first = 0; first < rows.rows;) {
      bool const is_new = !open_ || !same(keys, first);
      if (is_new) begin(keys, first, rows.number(first));
      std::size_t end = keys.empty() ? rows.rows : first + 1;
      while (end < rows.rows && same(keys, end)) ++end;
      f(first, end - first, is_new);
      first = end;
    }
  }
  /// The keys of the current run.
  [[nodiscard]] std::vector<std::string> const& current() const noexcept { return current_; }
  /// True once there has been a row.
  [[nodiscard]] bool open() const noexcept { return open_; }

 private:
  enum order : std::uint8_t {
    text_rises = 1,
    text_falls = 2,
    number_rises = 4,
    number_falls = 8,
    any_order = 15
  };

  [[nodiscard]] bool same(std::span<io::text_column const> keys, std::size_t row) const {
    for (std::size_t k = 0; k < names_.size(); ++k)
      if (keys[k][row] != current_[k]) return false;
    return true;
  }
  void begin(std::span<io::text_column const> keys, std::size_t row, std::uint64_t number);
  [[nodiscard]] bool keeps_order();
  void keep();
  [[nodiscard]] bool is_new(std::span<io::text_column const> keys, std::size_t row);

  std::vector<std::string> names_;
  bool may_repeat_;
  bool open_ = false;
  std::vector<std::string> current_, before_;
  std::vector<std::uint8_t> orders_;  // for each column: the orders that all groups so far keep
  bool in_order_ = true, forgotten_ = false;
  std::vector<text_buffer> kept_;  // the keys while they are in order
  std::size_t kept_bytes_ = 0;
  group_table seen_;  // afterwards
  std::vector<std::uint32_t> numbers_;
};

}  // namespace upsweep::cli
