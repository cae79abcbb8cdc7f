/// Detects repeated group keys, in little memory.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace upsweep::cli {

/// Sorted keys cannot repeat. While every column only ascends or only descends, as text or as
/// numbers, a new key is compared with the previous one only. Up to 16 MiB of keys are kept in case
/// the order breaks; beyond that they are dropped. Once the order breaks, every key is kept, at 11
/// to 21 bytes more than its length. Keys are compared by their bytes, so a hash collision causes
/// no error.
class key_history {
 public:
  enum class answer { is_new, was_there, unknown };

  explicit key_history(std::size_t columns) : columns_(columns), orders_(columns, any_order) {}

  /// Adds the keys of the next group; `before` are those of the previous one, empty for the first.
  /// Returns `unknown` if these keys break the order after the sorted ones were dropped.
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
      (std::uint64_t{1} << 40) - 1;  // the bits of a slot with its key's position, plus 1

  [[nodiscard]] bool goes_on(std::span<std::string const> before,
                             std::span<std::string const> keys);
  [[nodiscard]] bool insert(std::string_view key);
  void enlarge();
  [[nodiscard]] std::uint64_t& slot_of(std::string_view key, std::uint64_t hash);
  [[nodiscard]] std::string_view key_at(std::size_t position) const;

  std::size_t columns_;
  std::vector<std::uint8_t> orders_;  // for each column: the orders that all groups so far keep
  bool in_order_ = true, forgotten_ = false;
  std::string keys_;                  // concatenated; each column is preceded by its length
  std::size_t count_ = 0;             // keys in slots_
  std::vector<std::uint64_t> slots_;  // hash table with linear probing: the key's position and the
                                      // upper bits of its hash; 0 is free
};

}  // namespace upsweep::cli
