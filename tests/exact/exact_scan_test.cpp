/// Scans with exact_sum: every prefix is the correctly rounded sum of its elements.
#include "inputs.hpp"
#include "oracle.hpp"

#include <support/bits.hpp>

#include <upsweep/ops/exact_sum.hpp>
#include <upsweep/upsweep.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <optional>
#include <span>
#include <string>
#include <type_traits>
#include <vector>

namespace upsweep::test {
namespace {

template <class T>
class exact_scans : public testing::Test {};
using summed_types = testing::Types<float, double>;
TYPED_TEST_SUITE(exact_scans, summed_types);

template <class T>
struct prefixes {
  std::vector<T> inclusive, exclusive;
};

/// The prefixes of `x` by MPFR, each after `initial`.
template <class T, class X>
prefixes<T> oracle_prefixes(std::vector<X> const& x, std::optional<T> initial = {}) {
  prefixes<T> expected;
  oracle_sum sum;
  if (initial) sum.add(static_cast<double>(*initial));
  for (X const v : x) {
    expected.exclusive.push_back(sum.rounded<T>());
    sum.add(static_cast<double>(v));
    expected.inclusive.push_back(sum.rounded<T>());
  }
  return expected;
}

template <class T>
void expect_prefixes(std::vector<T> const& out, std::vector<T> const& expected,
                     std::string const& what) {
  for (std::size_t i = 0; i < expected.size(); ++i)
    ASSERT_TRUE(same_bits(out[i], expected[i]))
        << what << ", element " << i << " of " << out.size() << ": got " << shown(out[i])
        << ", correctly rounded is " << shown(expected[i]) << "; " << seed_note();
}

/// Both scans of `x`, with and without an initial value, into other memory and in place.
template <class T>
void expect_scans(cpu const& on, std::vector<T> const& x, std::string const& what) {
  for (std::optional<T> const initial : {std::optional<T>{}, std::optional<T>{T{-1} / 3}}) {
    prefixes<T> const expected = oracle_prefixes<T>(x, initial);
    options<detail::superaccumulator<T>> o;
    if (initial) o.initial = *initial;
    std::vector<T> out(x.size());
    upsweep::inclusive_scan(on, x, out, exact_sum{}, o);
    expect_prefixes(out, expected.inclusive, "inclusive, " + what);
    upsweep::exclusive_scan(on, x, out, exact_sum{}, o);
    expect_prefixes(out, expected.exclusive, "exclusive, " + what);
    out = x;
    upsweep::inclusive_scan(on, out, out, exact_sum{}, o);
    expect_prefixes(out, expected.inclusive, "inclusive, in place, " + what);
    out = x;
    upsweep::exclusive_scan(on, out, out, exact_sum{}, o);
    expect_prefixes(out, expected.exclusive, "exclusive, in place, " + what);
  }
}

TYPED_TEST(exact_scans, round_every_prefix_correctly) {
  using T = TypeParam;
  for (auto const& f : families<T>())
    for (std::size_t const n : {1015u, 1016u, 1017u, 2033u, 4097u, 20011u})
      expect_scans(cpu{.threads = 1}, made(f, n, n), f.name);
}

TYPED_TEST(exact_scans, round_every_prefix_correctly_for_every_size_up_to_200) {
  using T = TypeParam;
  for (auto const& f : families<T>())
    for (std::size_t n = 0; n <= 200; ++n) expect_scans(cpu{.threads = 1}, made(f, n, n), f.name);
}

TYPED_TEST(exact_scans, do_not_depend_on_the_number_of_threads) {
  using T = TypeParam;
  for (auto const& f : families<T>()) {
    std::vector<T> const x = made(f, 70001, 5);
    prefixes<T> const expected = oracle_prefixes<T>(x);
    std::vector<T> out(x.size());
    for (int threads = 1; threads <= 8; ++threads) {
      upsweep::inclusive_scan(cpu{.threads = threads}, x, out, exact_sum{});
      expect_prefixes(out, expected.inclusive, "inclusive, " + f.name);
      upsweep::exclusive_scan(cpu{.threads = threads}, x, out, exact_sum{});
      expect_prefixes(out, expected.exclusive, "exclusive, " + f.name);
    }
  }
}

TYPED_TEST(exact_scans, stream_in_chunks_of_any_length) {
  using T = TypeParam;
  random_bits next(test_seed());
  for (auto const& f : families<T>()) {
    std::vector<T> const x = made(f, 40009, 11);
    prefixes<T> const expected = oracle_prefixes<T>(x);
    std::vector<T> inclusive(x.size()), exclusive(x.size());
    for (int const threads : {1, 3}) {
      scan_stream<T, exact_sum, cpu> one(cpu{.threads = threads}), other(cpu{.threads = threads});
      for (std::size_t i = 0; i < x.size();) {
        std::size_t const n =
            std::min<std::size_t>(x.size() - i, next.below(next.below(4) == 0 ? 30000 : 300));
        std::span const chunk(x.data() + i, n);
        one.inclusive(chunk, std::span(inclusive.data() + i, n));
        other.exclusive(chunk, std::span(exclusive.data() + i, n));
        i += n;
      }
      expect_prefixes(inclusive, expected.inclusive, "inclusive, " + f.name);
      expect_prefixes(exclusive, expected.exclusive, "exclusive, " + f.name);
    }
  }
}

TYPED_TEST(exact_scans, run_over_functions_and_from_the_end) {
  using T = TypeParam;
  auto const negated = [](T v) { return -v; };
  for (auto const& f : families<T>()) {
    std::vector<T> x = made(f, 3001, 12), out(x.size());
    std::vector<T> flipped(x.rbegin(), x.rend());
    for (T& v : flipped) v = -v;
    prefixes<T> const expected = oracle_prefixes<T>(flipped);
    for (int const threads : {1, 2}) {
      cpu const on{.threads = threads};
      upsweep::transform_inclusive_scan(on, x, out, negated, exact_sum{}, {.reverse = true});
      std::reverse(out.begin(), out.end());
      expect_prefixes(out, expected.inclusive, "inclusive, " + f.name);
      upsweep::transform_exclusive_scan(on, x, out, negated, exact_sum{}, {.reverse = true});
      std::reverse(out.begin(), out.end());
      expect_prefixes(out, expected.exclusive, "exclusive, " + f.name);
    }
    upsweep::transform_inclusive_scan(x, x, negated, exact_sum{}, {.reverse = true});
    std::reverse(x.begin(), x.end());
    expect_prefixes(x, expected.inclusive, "in place, " + f.name);
  }
}

TYPED_TEST(exact_scans, store_results_of_another_type) {
  using T = TypeParam;
  using other = std::conditional_t<std::is_same_v<T, float>, double, float>;
  std::vector<T> const x = made(families<T>()[1], 3001, 13);
  prefixes<T> const expected = oracle_prefixes<T>(x);
  std::vector<other> converted, out(x.size());
  for (T const v : expected.inclusive) converted.push_back(static_cast<other>(v));
  upsweep::inclusive_scan(x, out, exact_sum{});
  expect_prefixes(out, converted, "converted");
}

TEST(exact_scan_of_bfloat16, gives_the_nearest_floats) {
  random_bits next(test_seed());
  std::vector<bfloat16> x;
  for (int i = 0; i < 3001; ++i)
    x.push_back(static_cast<bfloat16>(with_exponent<float>(next, -14, 14)));
  std::vector<float> out(x.size());
  upsweep::inclusive_scan(x, out, exact_sum{});
  expect_prefixes(out, oracle_prefixes<float>(x).inclusive, "bfloat16");
}

TYPED_TEST(exact_scans, have_nan_and_infinities_from_their_position_on) {
  using T = TypeParam;
  using limits = std::numeric_limits<T>;
  std::vector<T> const x = made(families<T>()[1], 200, 14);
  for (std::size_t at = 0; at < x.size(); ++at) {
    for (T const special : {limits::quiet_NaN(), limits::infinity(), -limits::infinity()}) {
      std::vector<T> with = x;
      with[at] = special;
      expect_scans(cpu{.threads = 1}, with, "special at " + std::to_string(at));
      with.back() = limits::infinity();
      expect_scans(cpu{.threads = 1}, with, "two specials, one at " + std::to_string(at));
    }
  }
}

TYPED_TEST(exact_scans, break_ties_to_even_whatever_the_sum_is_made_of) {
  using T = TypeParam;
  constexpr int digits = std::numeric_limits<T>::digits;
  random_bits next(test_seed());
  for (int trial = 0; trial < 200; ++trial) {
    // A few high bits, half of the last place, and specks far below it that come and go.
    std::vector<T> x{std::ldexp(T{1}, static_cast<int>(next.below(3)))};
    while (x.size() < 300) {
      T const half = std::ldexp(T{1}, -digits + static_cast<int>(next.below(3)));
      T const speck = std::ldexp(T{1}, -digits - 1 - static_cast<int>(next.below(58)));
      T const sign = next() & 1 ? T{1} : T{-1};
      switch (next.below(4)) {
        case 0:
          x.push_back(sign * half);
          break;
        case 1:
          x.insert(x.end(), {sign * speck, -sign * speck});
          break;
        case 2:
          x.insert(x.end(), {sign * half, speck, -2 * speck, speck});
          break;
        default:
          x.insert(x.end(), {-x[0], speck, -speck, sign * x[0]});
      }
    }
    expect_scans(cpu{.threads = 1}, x, "ties");
  }
}

TYPED_TEST(exact_scans, overflow_only_where_the_prefix_does) {
  using T = TypeParam;
  T const max = std::numeric_limits<T>::max();
  random_bits next(test_seed());
  for (int const exponent : {0, 1, 8, 9, 10, 11, 12, 40}) {
    std::vector<T> x;
    for (int i = 0; i < 5000; ++i)
      x.push_back(std::ldexp(max, -exponent) * (i / 700 % 2 == 0 ? T{1} : T{-1}) *
                  (next() & 1 ? T{1} : T{0.5f}));
    expect_scans(cpu{.threads = 1}, x, "max * 2^-" + std::to_string(exponent));
  }
}

TYPED_TEST(exact_scans, start_from_an_initial_value_and_run_in_reverse) {
  using T = TypeParam;
  T const big = std::numeric_limits<T>::max();
  std::vector<T> const x{big, -big, T{1}, T{2}};
  std::vector<T> out(4);
  upsweep::inclusive_scan(x, out, exact_sum{}, {.initial = big});
  EXPECT_EQ(out, (std::vector<T>{std::numeric_limits<T>::infinity(), big, big, big}));
  upsweep::inclusive_scan(x, out, exact_sum{}, {.reverse = true});
  EXPECT_EQ(out, (std::vector<T>{T{3}, -big, T{3}, T{2}}));
}

}  // namespace
}  // namespace upsweep::test
