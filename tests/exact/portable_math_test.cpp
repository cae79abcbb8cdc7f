/// portable::exp and portable::log against MPFR: at most one unit in the last place wrong, special
/// values right.
#include "inputs.hpp"

#include <support/bits.hpp>

#include <upsweep/core/quick_functions.hpp>

#include <gtest/gtest.h>
#include <mpfr.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <string>
#include <type_traits>

namespace upsweep::test {
namespace {

using function = int (*)(mpfr_ptr, mpfr_srcptr, mpfr_rnd_t);

/// The distance of `got` from f(x), in units of the last place of the type (subnormals have the
/// smallest subnormal as theirs).
template <class T>
double error_in_ulps(function f, T x, T got) {
  using limits = std::numeric_limits<T>;
  mpfr_t value;
  mpfr_init2(value, 160);
  mpfr_set_d(value, static_cast<double>(x), MPFR_RNDN);
  f(value, value, MPFR_RNDN);
  double const nearest = std::is_same_v<T, float>
                             ? static_cast<double>(mpfr_get_flt(value, MPFR_RNDN))
                             : mpfr_get_d(value, MPFR_RNDN);
  double error = 0;
  if (!std::isfinite(nearest) || !std::isfinite(got)) {
    error = nearest == static_cast<double>(got) ? 0 : 1e9;
  } else {
    long const exponent = mpfr_zero_p(value)
                              ? limits::min_exponent
                              : std::max<long>(mpfr_get_exp(value), limits::min_exponent);
    mpfr_sub_d(value, value, static_cast<double>(got), MPFR_RNDN);
    mpfr_mul_2si(value, value, limits::digits - exponent, MPFR_RNDN);
    error = std::fabs(mpfr_get_d(value, MPFR_RNDN));
  }
  mpfr_clear(value);
  return error;
}

template <class T>
struct worst {
  double error = 0;
  T at = 0;
  void see(double e, T x) {
    if (e > error) {
      error = e;
      at = x;
    }
  }
};

template <class T>
class portable_functions : public testing::Test {};
using real_types = testing::Types<float, double>;
TYPED_TEST_SUITE(portable_functions, real_types);

constexpr int samples = 200000;
template <class T>
constexpr double allowed = sizeof(T) == 4 ? 0.5001 : 1.0;

TYPED_TEST(portable_functions, exp_is_within_an_ulp_of_mpfr_from_underflow_to_overflow) {
  using T = TypeParam;
  random_bits next(test_seed());
  double const low = sizeof(T) == 4 ? -104 : -746, high = sizeof(T) == 4 ? 89 : 710;
  worst<T> w;
  for (int i = 0; i < samples; ++i) {
    double const u = static_cast<double>(next() >> 11) * 0x1p-53;
    T const x =
        i % 4 == 0   ? static_cast<T>(low + (high - low) * u)
        : i % 4 == 1 ? static_cast<T>(2 * u - 1)
        : i % 4 == 2
            ? static_cast<T>(std::ldexp(u - 0.5, -static_cast<int>(next.below(60))))
            // close to the ends of the argument reduction
            : static_cast<T>((std::floor(low + (high - low) * u) + 0.5) * 0.6931471805599453);
    w.see(error_in_ulps<T>(mpfr_exp, x, detail::portable::exp(x)), x);
  }
  // Results below the normal range are rounded twice.
  EXPECT_LE(w.error, allowed<T> + 0.01) << "at " << shown(w.at) << "; " << seed_note();
  this->RecordProperty("worst_ulps", std::to_string(w.error));
}

TYPED_TEST(portable_functions, log_is_within_an_ulp_of_mpfr_for_every_exponent) {
  using T = TypeParam;
  random_bits next(test_seed());
  worst<T> w;
  for (int i = 0; i < samples; ++i) {
    double const u = static_cast<double>(next() >> 11) * 0x1p-53;
    T const x = i % 4 == 0   ? std::fabs(any_finite<T>(next))
                : i % 4 == 1 ? static_cast<T>(0.5 + 1.5 * u)
                : i % 4 == 2
                    ? static_cast<T>(1 + std::ldexp(u - 0.5, -static_cast<int>(next.below(50))))
                    : static_cast<T>(std::ldexp(0.7071067811865476 * (1 + (u - 0.5) * 0x1p-30),
                                                static_cast<int>(next.below(100)) - 50));
    w.see(error_in_ulps<T>(mpfr_log, x, detail::portable::log(x)), x);
  }
  EXPECT_LE(w.error, allowed<T>) << "at " << shown(w.at) << "; " << seed_note();
  this->RecordProperty("worst_ulps", std::to_string(w.error));
}

TEST(portable_exp, quick_exp_has_the_bits_of_exp) {
  auto const check = [](float x) {
    ASSERT_TRUE(same_bits(detail::portable::quick_exp(x), detail::portable::exp(x))) << shown(x);
  };
  // The result that is nearest to the middle of two floats: an error of 2^-51 would change it.
  check(-0x1.d2259ap+3F);
  for (float const x : {0.0F, -0.0F, 104.0F, -104.0F, -std::numeric_limits<float>::infinity()})
    check(x);
  for (std::uint64_t bits = 0; bits < std::uint64_t{1} << 32; bits += 1009) {
    auto const x = __builtin_bit_cast(float, static_cast<std::uint32_t>(bits));
    if (x <= 104) check(x);
  }
}

TEST(portable_exp, quick_functions_of_exponentials_have_the_bits_of_slow_ones) {
  namespace portable = detail::portable;
  auto const check = [](float x) {
    auto const wide = static_cast<double>(x);
    ASSERT_TRUE(
        same_bits(portable::quick_softplus(x), static_cast<float>(portable::softplus(wide))))
        << shown(x);
    ASSERT_TRUE(
        same_bits(portable::quick_logistic(x), static_cast<float>(portable::logistic(wide))))
        << shown(x);
  };
  for (std::uint64_t bits = 0; bits < std::uint64_t{1} << 32; bits += 4001)
    check(__builtin_bit_cast(float, static_cast<std::uint32_t>(bits)));
  for (float const x : {0.0F, -0.0F, 1.0F, 104.0F, -104.0F, 1e30F, -1e30F}) check(x);
  // Of an exact number and of the middle of two floats, and of the neighbors of both.
  for (std::int64_t const bits : {std::int64_t{0}, std::int64_t{1} << 28})
    for (std::int64_t const beside : {-300, -200, 0, 200, 300}) {
      std::int64_t const of_one = 0x3ff0000020000000 + bits + beside;
      EXPECT_EQ(portable::rounds_to_one_float(__builtin_bit_cast(double, of_one)),
                bits == 0 || beside == -300 || beside == 300)
          << bits << " " << beside;
    }
}

TYPED_TEST(portable_functions, have_the_special_values_of_ieee) {
  using T = TypeParam;
  constexpr T infinity = std::numeric_limits<T>::infinity(),
              nan = std::numeric_limits<T>::quiet_NaN();
  EXPECT_EQ(detail::portable::exp(infinity), infinity);
  EXPECT_TRUE(same_bits(detail::portable::exp(-infinity), T{0}));
  EXPECT_EQ(detail::portable::exp(T{0}), T{1});
  EXPECT_EQ(detail::portable::exp(-T{0}), T{1});
  EXPECT_TRUE(std::isnan(detail::portable::exp(nan)));
  EXPECT_EQ(detail::portable::exp(std::numeric_limits<T>::max()), infinity);
  EXPECT_EQ(detail::portable::exp(std::numeric_limits<T>::lowest()), T{0});
  EXPECT_EQ(detail::portable::exp(std::numeric_limits<T>::denorm_min()), T{1});
  EXPECT_EQ(detail::portable::log(T{0}), -infinity);
  EXPECT_EQ(detail::portable::log(-T{0}), -infinity);
  EXPECT_TRUE(same_bits(detail::portable::log(T{1}), T{0}));
  EXPECT_EQ(detail::portable::log(infinity), infinity);
  EXPECT_TRUE(std::isnan(detail::portable::log(-infinity)));
  EXPECT_TRUE(std::isnan(detail::portable::log(T{-1})));
  EXPECT_TRUE(std::isnan(detail::portable::log(nan)));
}

TEST(portable_math, runs_at_compile_time_with_the_bits_of_run_time) {
  constexpr double e = detail::portable::exp(1.0), root = detail::portable::log(2.0),
                   overflow = detail::portable::exp(1000.0);
  constexpr float tiny = detail::portable::exp(-100.0f), beyond = detail::portable::exp(89.0f);
  double volatile one = 1, two = 2;
  EXPECT_TRUE(same_bits(e, detail::portable::exp(one)));
  EXPECT_TRUE(same_bits(root, detail::portable::log(two)));
  EXPECT_EQ(overflow, std::numeric_limits<double>::infinity());
  EXPECT_EQ(beyond, std::numeric_limits<float>::infinity());
  EXPECT_GT(tiny, 0.0f);
}

}  // namespace
}  // namespace upsweep::test
