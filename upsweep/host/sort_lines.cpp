/// Sorting of many short lines at once. An exchange takes two to four nanoseconds for all lines.
#include <upsweep/core/compiler.hpp>
#include <upsweep/host/registers.hpp>
#include <upsweep/host/sort_lines.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>

namespace upsweep::host {
namespace {

/// The same key, or position, of each line.
template <class Key>
[[gnu::always_inline]] inline Key* row_of(Key* keys, std::size_t i) {
  return keys + i * line_block<Key>::lines;
}

}  // namespace

sorting_network::sorting_network(std::size_t n) : size_(n) {
  for (std::size_t p = 1; p < n; p *= 2)
    for (std::size_t k = p; k > 0; k /= 2)
      for (std::size_t begin = k % p; begin + k < n; begin += 2 * k)
        for (std::size_t i = begin; i < std::min(begin + k, n - k); ++i)
          if (i / (2 * p) == (i + k) / (2 * p))
            exchanges_.push_back({static_cast<std::uint8_t>(i), static_cast<std::uint8_t>(i + k)});
}

template <class Key>
void line_block<Key>::load(Key const* x, std::size_t size, std::size_t count,
                           detail::key_map<Key> order) {
  for (std::size_t l = 0; l < lines; ++l) {
    Key const* const line = x + std::min(l, count - 1) * size;
    for (std::size_t i = 0; i < size; ++i) keys[i * lines + l] = order(line[i]);
  }
}

template <class Key>
void line_block<Key>::store(Key* to, std::size_t size, std::size_t count,
                            detail::key_map<Key> inverse) const {
  for (std::size_t l = 0; l < count; ++l)
    for (std::size_t i = 0; i < size; ++i) to[l * size + i] = inverse(keys[i * lines + l]);
}

template <class Key>
void line_block<Key>::sort(sorting_network const& network) {
  in_widest_registers([&]() UPSWEEP_INLINED {
    for (auto const [first, second] : network.exchanges()) {
      Key *const a = row_of(keys, first), *const b = row_of(keys, second);
      UPSWEEP_ONE_REGISTER
      for (std::size_t l = 0; l < lines; ++l) {
        Key const x = a[l], y = b[l];
        a[l] = std::min(x, y);
        b[l] = std::max(x, y);
      }
    }
  });
}

template <class Key>
void line_block<Key>::sort_with_positions(sorting_network const& network) {
  for (std::size_t i = 0; i < network.size(); ++i)
    std::fill_n(row_of(positions, i), lines, static_cast<Key>(i));
  in_widest_registers([&]() UPSWEEP_INLINED {
    for (auto const [first, second] : network.exchanges()) {
      Key *const a = row_of(keys, first), *const b = row_of(keys, second);
      Key *const p = row_of(positions, first), *const q = row_of(positions, second);
      UPSWEEP_ONE_REGISTER
      for (std::size_t l = 0; l < lines; ++l) {
        Key const x = a[l], y = b[l], i = p[l], j = q[l];
        bool const moves = (y < x) | ((x == y) & (j < i));
        a[l] = moves ? y : x;
        b[l] = moves ? x : y;
        p[l] = moves ? j : i;
        q[l] = moves ? i : j;
      }
    }
  });
}

template struct line_block<std::uint8_t>;
template struct line_block<std::uint16_t>;
template struct line_block<std::uint32_t>;
template struct line_block<std::uint64_t>;

}  // namespace upsweep::host
