/// Tells whether the keys of a group have been there before, in little memory.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace upsweep::cli {

/// Keys of a table that is sorted by them cannot come back. While they only rise or only fall,
/// column by column, as text or as numbers, a new one is compared with the one before it and
/// nothing is looked up; 16 MiB of them are kept, in case the order breaks, and when they are full,
/// forgotten. Once it breaks, every key is kept: its bytes and 11 to 21 more. Keys are equal when
/// their bytes are, so none is ever taken for another.
class key_history {
 public:
  enum class answer { is_new, was_there, unknown };

  explicit key_history(std::size_t columns) : columns_(columns), orders_(columns, any_order) {}

  /// Adds the keys of the next group; `before` are those of the last one, empty for the first.
  /// `unknown`: after so many keys in order that they are forgotten, these are out of order.
  [[nodiscard]] answer add(std::span<std::string const> before, std::span<std::string const> keys);

 private:
  enum order : std::uint8_t {
    text_rises = 1,
    text_falls = 2,
    number_rises = 4,
    number_falls = 8,
    any_order = 15
  };
  static constexpr std::size_t most_in_order = std::size_t{1} << 24;  // bytes
  static constexpr std::uint64_t place =
      (std::uint64_t{1} << 40) - 1;  // of a slot: where its key begins, plus 1

  [[nodiscard]] bool goes_on(std::span<std::string const> before,
                             std::span<std::string const> keys);
  [[nodiscard]] bool insert(std::string_view key);
  void enlarge();
  [[nodiscard]] std::uint64_t& slot_of(std::string_view key, std::uint64_t hash);
  [[nodiscard]] std::string_view key_at(std::size_t position) const;

  std::size_t columns_;
  std::vector<std::uint8_t> orders_;  // of each column: those that all groups so far agree with
  bool in_order_ = true, forgotten_ = false;
  std::string keys_;                  // one after another, each column behind its length
  std::size_t count_ = 0;             // of the keys in slots_
  std::vector<std::uint64_t> slots_;  // a hash table with linear probing: place of the key, upper
                                      // bits of its hash; 0 is free
};

}  // namespace upsweep::cli
