/// Partials of pieces, joined in a random order.
#pragma once

#include <support/random.hpp>
#include <upsweep/partial.hpp>

#include <cstddef>
#include <vector>

namespace upsweep::test {

/// The set of the partials.
template <class T, class Op>
partial_set<T, Op> inserted_in_any_order(std::vector<partial<T, Op>> parts, random_bits& next) {
  partial_set<T, Op> set;
  while (!parts.empty()) {
    auto const i = parts.begin() + static_cast<std::ptrdiff_t>(next.below(parts.size()));
    set.insert(*i);
    parts.erase(i);
  }
  return set;
}

/// The partial of all pieces, by appending a neighbor to its earlier one.
template <class T, class Op>
partial<T, Op> appended_in_any_order(std::vector<partial<T, Op>> parts, random_bits& next) {
  while (parts.size() > 1) {
    auto const i = parts.begin() + static_cast<std::ptrdiff_t>(next.below(parts.size() - 1));
    i->append(i[1]);
    parts.erase(i + 1);
  }
  return parts.front();
}

}  // namespace upsweep::test
