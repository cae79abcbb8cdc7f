/// Partials of pieces, joined in a random order; and the tree of a call as text: ((ab)(cd)).
#pragma once

#include <support/random.hpp>
#include <upsweep/partial.hpp>

#include <cstddef>
#include <string>
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

/// Shows the expression: neither associative nor commutative.
struct bracketed {
  static constexpr char const* name = "bracketed";  ///< in the bytes of a partial
  template <class>
  using accumulator = std::string;
  std::string lift(char x) const { return std::string(1, x); }
  std::string operator()(std::string const& a, std::string const& b) const {
    return "(" + a + b + ")";
  }
};

/// Elements for it; neighbors differ.
inline std::vector<char> letters(std::size_t n) {
  std::vector<char> x;
  for (std::size_t i = 0; i < n; ++i) x.push_back(static_cast<char>('0' + i % 64));
  return x;
}

}  // namespace upsweep::test
