/// Random words, and numbers for tests of the grouping of sums.
#pragma once

#include <support/random.hpp>

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace upsweep::test {

/// Words that depend on the seed and on n.
inline std::vector<std::uint64_t> random_words(std::size_t n) {
  random_bits next(test_seed() + n);
  std::vector<std::uint64_t> words(n);
  for (auto& word : words) word = next();
  return words;
}

/// Numbers of very different sizes, whose sums depend on the grouping.
template <class T>
std::vector<T> uneven_numbers(std::size_t n) {
  std::vector<T> x;
  for (std::uint64_t const bits : random_words(n)) {
    double const size = std::ldexp(static_cast<double>(bits >> 40), -static_cast<int>(bits % 29));
    x.push_back(static_cast<T>(bits % 2 == 0 ? size : -size));
  }
  return x;
}

}  // namespace upsweep::test
