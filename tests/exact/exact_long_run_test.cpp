/// One sum of 2^25 doubles by the integer bins of exact_sum: more than a bin can sum.
#include <upsweep/upsweep.hpp>

#include <gtest/gtest.h>

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace upsweep::test {
namespace {

/// A small number every 512 elements, so that no chunk goes through the windows, and otherwise the
/// largest significand with the largest shift inside a bin.
TEST(exact_long_run, of_equal_extremes_does_not_overflow_the_bins) {
  std::size_t const n = std::size_t{1} << 25;
  double const largest = 2 - 0x1p-52;  // (2^53 - 1) * 2^-52
  std::vector<double> x(n, largest);
  for (std::size_t i = 0; i < n; i += 512) x[i] = 1e-300;
  uint128 const significands = static_cast<uint128>(n - n / 512) * ((std::uint64_t{1} << 53) - 1);
  // One bit more represents the small numbers: not 0, and too small for anything else. Integers
  // become doubles rounded to nearest.
  double const expected = std::ldexp(static_cast<double>(2 * significands + 1), -53);
  EXPECT_EQ(reduce(serial{}, x, exact_sum{}), expected);
  EXPECT_EQ(reduce(x, exact_sum{}), expected);
}

}  // namespace
}  // namespace upsweep::test
