/// Sorting of many short lines at once: each lane of the registers has a line, and all lines go
/// through the same exchanges, so no branch depends on an element.
#pragma once

#include <upsweep/core/export.h>
#include <upsweep/core/number_types.hpp>

#include <cstddef>
#include <cstdint>
#include <vector>

namespace upsweep::host {

/// The exchanges of Batcher's merge exchange sort of n keys (Knuth, The Art of Computer Programming
/// 3, 5.2.2, algorithm M), in order: O(n log^2 n) of them.
class sorting_network {
 public:
  /// Lines of more keys take less time one by one.
  static constexpr std::size_t longest_line = 128;
  struct exchange {
    std::uint8_t first, second;
  };

  UPSWEEP_API explicit sorting_network(std::size_t n);

  [[nodiscard]] std::size_t size() const { return size_; }
  [[nodiscard]] std::vector<exchange> const& exchanges() const { return exchanges_; }

 private:
  std::size_t size_;
  std::vector<exchange> exchanges_;
};

/// Lines that are sorted together. Key i of line l is keys[i * lines + l].
template <class Key>
struct line_block {
  static constexpr std::size_t lines = 64 / sizeof(Key);

  alignas(64) Key keys[sorting_network::longest_line * lines];
  /// Where each key was before the sort.
  alignas(64) Key positions[sorting_network::longest_line * lines];

  /// Takes the keys of `count` > 0 lines of `size` elements, one after another from `x` on. Lanes
  /// without a line have the keys of the last one.
  UPSWEEP_API void load(Key const* x, std::size_t size, std::size_t count,
                        detail::key_map<Key> order);
  UPSWEEP_API void sort(sorting_network const& network);
  /// Sorts stably and stores the positions.
  UPSWEEP_API void sort_with_positions(sorting_network const& network);
  /// Stores the elements of `count` lines, as they were loaded.
  UPSWEEP_API void store(Key* to, std::size_t size, std::size_t count,
                         detail::key_map<Key> inverse) const;
};

extern template struct line_block<std::uint8_t>;
extern template struct line_block<std::uint16_t>;
extern template struct line_block<std::uint32_t>;
extern template struct line_block<std::uint64_t>;

}  // namespace upsweep::host
