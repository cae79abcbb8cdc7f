/// exact_sum against MPFR: correctly rounded, whatever the values, their order and their grouping.
#include "inputs.hpp"
#include "oracle.hpp"

#include <support/bits.hpp>

#include <upsweep/ops/exact_sum.hpp>
#include <upsweep/upsweep.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <string>
#include <utility>
#include <vector>

namespace upsweep::test {
namespace {

template <class T>
class exact_sums : public testing::Test {};
using summed_types = testing::Types<float, double>;
TYPED_TEST_SUITE(exact_sums, summed_types);

template <class T>
T sum_of(std::vector<T> const& x) {
  return upsweep::reduce(x, exact_sum{});
}

template <class T>
void expect_oracle(std::vector<T> const& x, std::string const& what) {
  T const expected = oracle<T>(x), got = sum_of(x);
  EXPECT_TRUE(same_bits(got, expected))
      << what << ", n = " << x.size() << ": got " << shown(got) << ", correctly rounded is "
      << shown(expected) << "; " << seed_note();
}

TYPED_TEST(exact_sums, are_correctly_rounded_for_every_family_and_size) {
  using T = TypeParam;
  for (auto const& f : families<T>())
    for (std::size_t const n :
         {1u, 2u, 3u, 15u, 64u, 65u, 129u, 255u, 1000u, 2047u, 2048u, 2049u, 4099u, 20011u})
      expect_oracle(made(f, n, n), f.name);
}

TYPED_TEST(exact_sums, are_correctly_rounded_for_a_million_elements) {
  using T = TypeParam;
  for (auto const& f : families<T>()) expect_oracle(made(f, (std::size_t{1} << 20) + 7, 1), f.name);
}

TYPED_TEST(exact_sums, are_correctly_rounded_for_thousands_of_short_lists_of_any_bits) {
  using T = TypeParam;
  random_bits next(test_seed());
  for (int trial = 0; trial < 20000; ++trial) {
    std::vector<T> x(1 + next.below(6));
    for (T& v : x) v = any_finite<T>(next);
    if (trial % 3 == 0) x.push_back(-x[0]);
    if (trial % 5 == 0) x.push_back(-x.back());
    expect_oracle(x, "short list");
  }
}

TYPED_TEST(exact_sums, break_ties_to_the_even_last_bit_in_both_directions) {
  using T = TypeParam;
  constexpr T ulp = std::numeric_limits<T>::epsilon(), tiny = std::numeric_limits<T>::denorm_min();
  for (T const sign : {T{1}, T{-1}}) {
    EXPECT_EQ(sum_of<T>({sign, sign * ulp / 2}), sign);  // 1 is even
    EXPECT_EQ(sum_of<T>({sign * (1 + ulp), sign * ulp / 2}),
              sign * (1 + 2 * ulp));  // 1 + ulp is odd
    EXPECT_EQ(sum_of<T>({sign, sign * ulp / 2, sign * tiny}),
              sign * (1 + ulp));                                       // a whisker above the tie
    EXPECT_EQ(sum_of<T>({sign, sign * ulp / 2, sign * -tiny}), sign);  // a whisker below
    EXPECT_EQ(sum_of<T>({sign * (1 + ulp), sign * ulp / 2, sign * -tiny}), sign * (1 + ulp));
    EXPECT_EQ(sum_of<T>({sign * 2, sign * -ulp / 2}),
              sign * 2);  // below a power of two the spacing halves: a tie, and
    EXPECT_EQ(sum_of<T>({sign * 2, sign * -ulp / 2, sign * -tiny}),
              sign * (2 - ulp));  // just beyond it
  }
}

TYPED_TEST(exact_sums, hold_every_power_of_two_and_its_neighbors) {
  using T = TypeParam;
  using limits = std::numeric_limits<T>;
  for (int e = limits::min_exponent - limits::digits; e < limits::max_exponent; ++e) {
    for (T const power : {std::ldexp(T{1}, e), -std::ldexp(T{1}, e)}) {
      EXPECT_EQ(sum_of<T>({power}), power);
      expect_oracle<T>({power, limits::denorm_min()}, "power + unit");
      expect_oracle<T>({power, -limits::denorm_min()}, "power - unit");
      expect_oracle<T>({power, power / 2, power / 4 * limits::epsilon()}, "a tie, or nearly");
    }
  }
}

TYPED_TEST(exact_sums, overflow_only_when_the_total_does) {
  using T = TypeParam;
  constexpr T max = std::numeric_limits<T>::max(), infinity = std::numeric_limits<T>::infinity();
  T const half_ulp =
      std::ldexp(T{1}, std::numeric_limits<T>::max_exponent - std::numeric_limits<T>::digits - 1);
  EXPECT_EQ(sum_of<T>({max, max, -max}), max);
  EXPECT_EQ(sum_of<T>({max, max, -max, -max}), T{0});
  EXPECT_EQ(sum_of<T>({max, max}), infinity);
  EXPECT_EQ(sum_of<T>({-max, -max}), -infinity);
  EXPECT_EQ(sum_of<T>({max, half_ulp}),
            infinity);  // the tie goes to the even side, which is infinite
  EXPECT_EQ(sum_of<T>({max, half_ulp, -std::numeric_limits<T>::denorm_min()}), max);
  std::vector<T> x(1 << 17, max);
  x.resize(1 << 18, -max);
  x.push_back(T{3});
  EXPECT_EQ(sum_of(x), T{3});
}

TYPED_TEST(exact_sums, treat_nan_infinities_and_zeros_as_ieee_addition_does) {
  using T = TypeParam;
  constexpr T nan = std::numeric_limits<T>::quiet_NaN(),
              infinity = std::numeric_limits<T>::infinity();
  for (std::size_t const n :
       {std::size_t{4}, std::size_t{100}, std::size_t{2000}, std::size_t{100000}}) {
    for (T const filler : {T{1}, -T{0}, std::numeric_limits<T>::max()}) {
      for (std::size_t const at : {std::size_t{0}, n / 2, n - 1}) {
        std::vector<T> x(n, filler);
        x[at] = nan;
        EXPECT_TRUE(std::isnan(sum_of(x))) << n << " " << at;
        x[at] = infinity;
        EXPECT_EQ(sum_of(x), infinity) << n << " " << at;
        x[at] = -infinity;
        EXPECT_EQ(sum_of(x), -infinity) << n << " " << at;
        x[(at + 1) % n] = infinity;
        EXPECT_TRUE(std::isnan(sum_of(x))) << n << " " << at;
      }
    }
    std::vector<T> zeros(n, -T{0});
    EXPECT_TRUE(same_bits(sum_of(zeros), -T{0})) << n;
    zeros[n - 1] = T{0};
    EXPECT_TRUE(same_bits(sum_of(zeros), T{0})) << n;
    zeros[n - 1] = T{1};
    zeros[0] = T{-1};
    EXPECT_TRUE(same_bits(sum_of(zeros), T{0})) << n;
  }
  EXPECT_TRUE(same_bits(sum_of(std::vector<T>{}), T{0}));
}

TYPED_TEST(exact_sums, have_the_same_bits_and_the_same_state_in_any_order_and_grouping) {
  using T = TypeParam;
  random_bits next(test_seed());
  for (auto const& f : families<T>()) {
    std::vector<T> x = made(f, 5003, 3);
    detail::superaccumulator<T> whole;
    for (T const v : x) whole.absorb(v);
    for (int round = 0; round < 8; ++round) {
      for (std::size_t i = x.size() - 1; i > 0; --i) std::swap(x[i], x[next.below(i + 1)]);
      // a random forest of partial sums, merged pairwise at random positions
      std::vector<detail::superaccumulator<T>> parts;
      for (std::size_t i = 0; i < x.size();) {
        std::size_t const m =
            std::min<std::size_t>(x.size() - i, next.below(round % 2 ? 9 : 3000) + 1);
        parts.emplace_back();
        exact_sum{}.absorb_range(parts.back(), x.data() + i, m);
        i += m;
      }
      while (parts.size() > 1) {
        std::size_t const i = next.below(parts.size());
        detail::superaccumulator<T> const last = parts.back();
        parts.pop_back();
        detail::superaccumulator<T>& into = parts[i % parts.size()];
        into = round % 3 ? exact_sum{}(into, last) : exact_sum{}(last, into);
      }
      EXPECT_TRUE(parts[0] == whole) << f.name << "; " << seed_note();
      EXPECT_TRUE(same_bits(parts[0].rounded(), whole.rounded())) << f.name << "; " << seed_note();
    }
  }
}

TYPED_TEST(exact_sums, do_not_depend_on_executor_or_threads) {
  using T = TypeParam;
  for (auto const& f : families<T>()) {
    std::vector<T> const x = made(f, 300007, 4);
    T const one = upsweep::reduce(serial{}, x, exact_sum{});
    for (int const threads : {1, 2, 3, 7})
      EXPECT_TRUE(same_bits(upsweep::reduce(cpu{.threads = threads}, x, exact_sum{}), one))
          << f.name << "; " << seed_note();
  }
}

TYPED_TEST(exact_sums, start_from_an_initial_value) {
  using T = TypeParam;
  std::vector<T> const x{T{1}, T{-3}};
  EXPECT_EQ(upsweep::reduce(x, exact_sum{}, {.initial = T{1e30f}}), T{1e30f});
  EXPECT_EQ(upsweep::reduce(x, exact_sum{}, {.initial = 5}), T{3});
  EXPECT_EQ(upsweep::reduce(std::vector<T>{}, exact_sum{}, {.initial = T{7}}), T{7});
}

TYPED_TEST(exact_sums, carry_across_many_times_doubled_sums) {
  using T = TypeParam;
  detail::superaccumulator<T> a(std::numeric_limits<T>::max()), b(-std::numeric_limits<T>::max());
  detail::superaccumulator<T> const ones(T{1});
  a.merge(ones);
  for (int doubling = 0; doubling < 60; ++doubling) {  // 2^60 summands
    a.merge(a);
    b.merge(b);
  }
  EXPECT_EQ(a.rounded(), std::numeric_limits<T>::infinity());
  EXPECT_EQ(b.rounded(), -std::numeric_limits<T>::infinity());
  a.merge(b);
  EXPECT_EQ(a.rounded(), std::ldexp(T{1}, 60));
  detail::superaccumulator<T> c(-std::numeric_limits<T>::denorm_min());
  for (int doubling = 0; doubling < 60; ++doubling) c.merge(c);
  EXPECT_EQ(c.rounded(), -std::ldexp(std::numeric_limits<T>::denorm_min(), 60));
}

TEST(exact_sum_of_integers, is_the_nearest_double_of_the_true_sum) {
  std::vector<std::int64_t> const x{INT64_MAX, INT64_MAX, 1, INT64_MIN};
  EXPECT_EQ(upsweep::reduce(x, exact_sum{}), 0x1p63);
  std::vector<std::uint64_t> const y(8, UINT64_MAX);
  EXPECT_EQ(upsweep::reduce(y, exact_sum{}), 0x1p67);
  std::vector<std::int32_t> const z{INT32_MIN, INT32_MIN, -1};
  EXPECT_EQ(upsweep::reduce(z, exact_sum{}), -4294967297.0);
}

template <class T>
void expect_integer_sums() {
  random_bits next(test_seed());
  for (std::size_t const n : {255u, 256u, 257u, 512u, 1000u, 70001u})
    for (int kind : {0, 1, 2}) {
      std::vector<T> x(n,
                       kind == 1 ? std::numeric_limits<T>::min() : std::numeric_limits<T>::max());
      if (kind == 0)
        for (T& v : x) v = static_cast<T>(next());
      int128 sum = 0;
      for (T const v : x) sum += v;
      EXPECT_TRUE(same_bits(upsweep::reduce(x, exact_sum{}), static_cast<double>(sum)))
          << n << " integers, kind " << kind << "; " << seed_note();
    }
}
TEST(exact_sum_of_integers, is_right_for_hundreds_of_them) {
  expect_integer_sums<std::int8_t>();
  expect_integer_sums<std::uint16_t>();
  expect_integer_sums<std::int32_t>();
  expect_integer_sums<std::uint32_t>();
  expect_integer_sums<std::int64_t>();
  expect_integer_sums<std::uint64_t>();
}

template <class H>
void expect_narrow_sums() {
  random_bits next(test_seed());
  for (std::size_t const n : {1u, 63u, 64u, 100u, 2048u, 2050u, 70001u}) {
    for (int range : {2, 4, 14}) {
      std::vector<H> x;
      for (std::size_t i = 0; i < n; ++i)
        x.push_back(static_cast<H>(with_exponent<float>(next, -range, range)));
      if (n > 2) x[1] = static_cast<H>(0x1p-24f);  // subnormal in binary16
      std::vector<float> wide;
      for (H const v : x) wide.push_back(static_cast<float>(v));
      float const got = upsweep::reduce(x, exact_sum{}), expected = oracle<float>(wide);
      EXPECT_TRUE(same_bits(got, expected))
          << n << ": " << shown(got) << " for " << shown(expected) << "; " << seed_note();
    }
  }
}
TEST(exact_sum_of_bfloat16, is_the_nearest_float) {
  expect_narrow_sums<bfloat16>();
}
#ifdef UPSWEEP_HAS_FLOAT16
TEST(exact_sum_of_float16, is_the_nearest_float) {
  expect_narrow_sums<float16>();
}
#endif

#ifdef UPSWEEP_FULL_TESTS  // 256 MiB
/// More than a bin of exact_sum can sum: 2^25 doubles. A small number every 512 elements, so that
/// no chunk goes through the windows, and otherwise the largest significand with the largest shift
/// inside a bin.
TEST(exact_long_run, of_equal_extremes_does_not_overflow_the_bins) {
  std::size_t const n = std::size_t{1} << 25;
  double const largest = 2 - 0x1p-52;  // (2^53 - 1) * 2^-52
  std::vector<double> x(n, largest);
  for (std::size_t i = 0; i < n; i += 512) x[i] = 1e-300;
  uint128 const significands = static_cast<uint128>(n - n / 512) * ((std::uint64_t{1} << 53) - 1);
  // One bit more represents the small numbers: not 0, and too small for anything else. Integers
  // become doubles rounded to nearest.
  double const expected = std::ldexp(static_cast<double>(2 * significands + 1), -53);
  EXPECT_EQ(upsweep::reduce(serial{}, x, exact_sum{}), expected);
  EXPECT_EQ(upsweep::reduce(x, exact_sum{}), expected);
}
#endif

}  // namespace
}  // namespace upsweep::test
