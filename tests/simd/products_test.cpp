/// Exact products and masked elements with every SIMD target, against std::fma and a plain loop.
#include <support/random.hpp>
#include <upsweep/host/simd/dispatch.hpp>
#include <upsweep/host/simd/products.hpp>

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

namespace upsweep::host::simd {
namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();

/// multiply_exactly of 19 elements, of which number 17 is x * y and the others are 1 * 1.
bool accepts(double x, double y) {
  std::vector<double> a(19, 1), b(19, 1), p(19), e(19);
  a[17] = x;
  b[17] = y;
  bool has_errors = false;
  bool const is_exact = multiply_exactly(a.data(), b.data(), 19, p.data(), e.data(), has_errors);
  if (is_exact) {
    EXPECT_EQ(std::bit_cast<std::uint64_t>(x * y), std::bit_cast<std::uint64_t>(p[17]));
    EXPECT_EQ(x * y == 0 ? 0 : std::fma(x, y, -(x * y)), e[17]) << x << " * " << y;
    EXPECT_EQ(e[17] != 0, has_errors) << x << " * " << y;
  }
  return is_exact;
}

/// Calls f(random numbers, n) for small n with every target.
template <class F>
void for_every_length(F const& f) {
  for (auto const& target : targets()) {
    forced_target const forced(target);
    SCOPED_TRACE(target);
    test::random_bits next(test::test_seed());
    for (std::size_t n = 0; n < 70; ++n) f(next, n);
  }
}

TEST(products, are_a_number_and_its_error) {
  for_every_length([](auto& next, std::size_t n) {
    std::vector<double> x(n), y(n), p(n), e(n);
    for (auto* v : {&x, &y})
      for (auto& element : *v)
        element = std::ldexp(static_cast<double>(next()), static_cast<int>(next() % 800) - 430) *
                  (next() % 2 == 0 ? -1 : 1);
    bool has_errors = false;
    ASSERT_TRUE(multiply_exactly(x.data(), y.data(), n, p.data(), e.data(), has_errors));
    ASSERT_EQ(n > 0, has_errors);
    for (std::size_t i = 0; i < n; ++i) {
      ASSERT_EQ(x[i] * y[i], p[i]);
      ASSERT_EQ(std::fma(x[i], y[i], -p[i]), e[i]) << i << " of " << n;
    }
  });
}

TEST(products, outside_of_the_range_in_which_errors_are_numbers_are_not_accepted) {
  for (auto const& target : targets()) {
    forced_target const forced(target);
    SCOPED_TRACE(target);
    EXPECT_TRUE(accepts(0x1p-480, 0x1p-480));
    EXPECT_FALSE(accepts(0x1.fp-480, 0x1p-481));
    EXPECT_TRUE(accepts(0x1p500, -0x1p500));
    EXPECT_FALSE(accepts(0x1.1p500, 0x1p500));
    EXPECT_TRUE(accepts(0x1.3p-400, 0x1.7p-559));
    for (double const zero : {0.0, -0.0}) {
      EXPECT_TRUE(accepts(zero, 0x1p1000));
      EXPECT_TRUE(accepts(-5, zero));
      EXPECT_TRUE(accepts(zero, 0x1p-1074));
      EXPECT_FALSE(accepts(zero, infinity));
    }
    EXPECT_FALSE(accepts(0x1p-600, 0x1p-600));  // 0 without a factor 0
    for (double const x : {infinity, -infinity, std::nan("")}) EXPECT_FALSE(accepts(x, 2));
  }
}

TEST(products, masked_elements_are_replaced_and_the_others_counted) {
  for_every_length([](auto& next, std::size_t n) {
    std::vector<double> x(n + 1, std::nan("")), wanted(n + 1);
    std::vector<std::uint8_t> mask(n);
    std::size_t count = 0;
    for (std::size_t i = 0; i < n; ++i) {
      mask[i] = next() % 3 == 0 ? 0 : 1;
      count += mask[i];
      if (mask[i] != 0) x[i] = static_cast<double>(i);
      wanted[i] = mask[i] != 0 ? x[i] : -7;
    }
    ASSERT_EQ(count, keep(x.data(), mask.data(), n, -7));
    for (std::size_t i = 0; i < n; ++i) ASSERT_EQ(wanted[i], x[i]) << i << " of " << n;
    ASSERT_TRUE(std::isnan(x[n]));
  });
}

}  // namespace
}  // namespace upsweep::host::simd
