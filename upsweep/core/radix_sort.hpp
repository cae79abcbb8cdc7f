/// A stable sort by integer keys, on one thread: for each digit, from the last to the first, how
/// many elements have each of its values, the exclusive scan of these counts, and every element to
/// its place.
#pragma once

#include <upsweep/core/compiler.hpp>

#include <algorithm>
#include <cstddef>
#include <memory>
#include <utility>

namespace upsweep::detail {

/// Sorts x[0 .. n), elements that are bytes in memory, by key_of(x[i]), an unsigned integer;
/// `other` is memory for n elements.
template <class T, class KeyOf>
void radix_sort(T* x, T* other, std::size_t n, KeyOf const& key_of) {
  constexpr std::size_t digits = sizeof(key_of(*x)), values = 256, worth_counting = 128;
  if (n < worth_counting) {
    std::stable_sort(x, x + n, [&](T const& a, T const& b) { return key_of(a) < key_of(b); });
    return;
  }
  auto const digit_of = [&](T const& element, std::size_t d) {
    return static_cast<std::size_t>(key_of(element) >> (8 * d)) % values;
  };
  std::size_t counts[digits][values] = {};
  for (std::size_t i = 0; i < n; ++i)
    for (std::size_t d = 0; d < digits; ++d) ++counts[d][digit_of(x[i], d)];
  T *from = x, *to = other;
  for (std::size_t d = 0; d < digits; ++d) {
    if (counts[d][digit_of(from[0], d)] == n) continue;  // all elements have this digit
    std::size_t next = 0;
    for (std::size_t& place : counts[d]) next += std::exchange(place, next);
    for (std::size_t i = 0; i < n; ++i) to[counts[d][digit_of(from[i], d)]++] = from[i];
    std::swap(from, to);
  }
  if (from != x) std::copy_n(from, n, x);
}
template <class T, class KeyOf>
void radix_sort(T* x, std::size_t n, KeyOf const& key_of) {
  auto const memory = std::make_unique_for_overwrite<T[]>(n);
  radix_sort(x, memory.get(), n, key_of);
}

}  // namespace upsweep::detail
