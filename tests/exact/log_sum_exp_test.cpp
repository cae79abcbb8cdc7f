/// log_sum_exp: accurate for any exponents, special values as defined, the same bits on every
/// executor.
#include "inputs.hpp"

#include <support/bits.hpp>

#include <upsweep/generic/reference.hpp>
#include <upsweep/ops/log_sum_exp.hpp>
#include <upsweep/upsweep.hpp>

#include <gtest/gtest.h>
#include <mpfr.h>

#include <cmath>
#include <cstddef>
#include <limits>
#include <vector>

namespace upsweep::test {
namespace {

template <class T>
class log_sums : public testing::Test {};
using real_types = testing::Types<float, double>;
TYPED_TEST_SUITE(log_sums, real_types);

/// log(e^x[0] + ...) by MPFR with 300 bits, enough for exponents some 100 apart.
template <class T>
double by_mpfr(std::vector<T> const& x) {
  mpfr_t sum, term;
  mpfr_init2(sum, 300);
  mpfr_init2(term, 300);
  mpfr_set_zero(sum, 1);
  for (T const v : x) {
    mpfr_set_d(term, static_cast<double>(v), MPFR_RNDN);
    mpfr_exp(term, term, MPFR_RNDN);
    mpfr_add(sum, sum, term, MPFR_RNDN);
  }
  mpfr_log(sum, sum, MPFR_RNDN);
  double const result = mpfr_get_d(sum, MPFR_RNDN);
  mpfr_clear(sum);
  mpfr_clear(term);
  return result;
}

TYPED_TEST(log_sums, stay_close_to_mpfr_whatever_the_offset) {
  using T = TypeParam;
  random_bits next(test_seed());
  for (double const offset : {0.0, -700.0, 10000.0, -30000.0}) {
    for (std::size_t const n : {1u, 2u, 3u, 100u, 5000u}) {
      std::vector<T> x;
      for (std::size_t i = 0; i < n; ++i) x.push_back(static_cast<T>(offset + 40 * small(next)));
      double const expected = by_mpfr(x),
                   got = static_cast<double>(upsweep::reduce(x, log_sum_exp{}));
      double const epsilon = static_cast<double>(std::numeric_limits<T>::epsilon());
      EXPECT_NEAR(got, expected,
                  epsilon * (std::fabs(expected) + std::log2(static_cast<double>(n)) + 1))
          << n << "; " << seed_note();
    }
  }
}

TYPED_TEST(log_sums, define_every_special_value) {
  using T = TypeParam;
  constexpr T infinity = std::numeric_limits<T>::infinity(),
              nan = std::numeric_limits<T>::quiet_NaN();
  auto sum = [](std::vector<T> const& x) { return upsweep::reduce(x, log_sum_exp{}); };
  EXPECT_EQ(sum({}), -infinity);
  EXPECT_EQ(sum({-infinity}), -infinity);
  EXPECT_EQ(sum({-infinity, -infinity, -infinity}), -infinity);
  EXPECT_EQ(sum({-infinity, T{2}, -infinity}), T{2});
  EXPECT_EQ(sum({T{3}, infinity}), infinity);
  EXPECT_EQ(sum({infinity, infinity, -infinity}), infinity);
  for (T const other : {T{1}, infinity, -infinity, nan}) {
    EXPECT_TRUE(std::isnan(sum({nan, other})));
    EXPECT_TRUE(std::isnan(sum({other, nan})));
  }
  EXPECT_EQ(sum({std::numeric_limits<T>::max(), std::numeric_limits<T>::lowest()}),
            std::numeric_limits<T>::max());
  EXPECT_EQ(upsweep::reduce(std::vector<T>{}, log_sum_exp{}, {.initial = T{5}}), T{5});
}

TYPED_TEST(log_sums, leave_any_value_unchanged_when_combined_with_the_identity) {
  using T = TypeParam;
  using A = detail::scaled_exponentials<T>;
  log_sum_exp const op;
  for (A const a : {A(T{3}), A(T{-1e30f}), A(-std::numeric_limits<T>::infinity()),
                    A(std::numeric_limits<T>::infinity()), A()}) {
    EXPECT_EQ(op(a, op.identity<A>()), a);
    EXPECT_EQ(op(op.identity<A>(), a), a);
  }
}

TYPED_TEST(log_sums, follow_the_combine_tree_on_every_executor) {
  using T = TypeParam;
  random_bits next(test_seed());
  std::vector<T> x;
  for (int i = 0; i < 1500; ++i) x.push_back(static_cast<T>(30 * small(next)));
  std::vector<T> const expected = reference::inclusive_scan(x, log_sum_exp{});
  std::vector<T> out(x.size());
  for (int const threads : {1, 2, 3, 7}) {
    upsweep::inclusive_scan(cpu{.threads = threads}, x, out, log_sum_exp{});
    for (std::size_t i = 0; i < x.size(); ++i)
      ASSERT_TRUE(same_bits(out[i], expected[i])) << i << "; " << seed_note();
    EXPECT_TRUE(
        same_bits(upsweep::reduce(cpu{.threads = threads}, x, log_sum_exp{}), expected.back()));
  }
}

TYPED_TEST(log_sums, have_the_same_bits_when_two_operands_are_swapped) {
  using T = TypeParam;
  using A = detail::scaled_exponentials<T>;
  random_bits next(test_seed());
  log_sum_exp const op;
  for (int i = 0; i < 20000; ++i) {
    A const a{static_cast<T>(50 * small(next)), static_cast<T>(2 + small(next))};
    A const b{i % 7 ? static_cast<T>(50 * small(next)) : a.largest,
              static_cast<T>(2 + small(next))};
    ASSERT_EQ(op(a, b), op(b, a)) << seed_note();
  }
}

}  // namespace
}  // namespace upsweep::test
