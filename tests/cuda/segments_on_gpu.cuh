/// What the tests of segments and of runs on a GPU share: their elements, and the comparison.
#pragma once

#include "on_gpu.cuh"

#include <upsweep/cuda.cuh>
#include <upsweep/upsweep.hpp>

#include <cstddef>
#include <cstdint>
#include <type_traits>
#include <vector>

namespace upsweep::test {

/// Sixteen bytes, and not commutative.
using map = affine_map<double>;

template <class T>
[[nodiscard]] std::vector<T> elements_for(std::size_t n, std::uint64_t salt) {
  random_bits next(test_seed() + n + salt);
  std::vector<T> x(n);
  for (T& v : x) {
    if constexpr (std::is_same_v<T, map>)
      v = {scattered_double(next), scattered_double(next)};
    else
      v = random_element<T>(next);
  }
  return x;
}

template <class R>
void expect_same(char const* verb, on_gpu<R> const& out, std::vector<R> const& want) {
  auto const got = out.values();
  for (std::size_t i = 0; i < want.size(); ++i)
    ASSERT_TRUE(same_bits(got[i], want[i])) << verb << ", result " << i;
}

}  // namespace upsweep::test
