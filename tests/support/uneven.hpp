/// Numbers for tests of the grouping of sums.
#pragma once

#include <support/random.hpp>

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace upsweep::test {

/// Numbers of very different sizes, whose sums depend on the grouping.
template <class T>
std::vector<T> uneven_numbers(std::size_t n) {
  random_bits next(test_seed() + n);
  std::vector<T> x;
  while (x.size() < n) {
    std::uint64_t const bits = next();
    double const size = std::ldexp(static_cast<double>(bits >> 40), -static_cast<int>(bits % 29));
    x.push_back(static_cast<T>(bits % 2 == 0 ? size : -size));
  }
  return x;
}

}  // namespace upsweep::test
