/// Moments and means of numbers whose powers leave the range of double, beside the same in numbers
/// of 128 bits, and beside the plain operators where these are in range.
#include <upsweep/host/executor.hpp>
#include <upsweep/ops/wide_range.hpp>
#include <upsweep/reduce.hpp>
#include <upsweep/scan_stream.hpp>

#include <gtest/gtest.h>

#include <cmath>
#include <cstddef>
#include <span>
#include <utility>
#include <vector>

namespace {

using namespace upsweep;
using wide_number = __float128;

std::vector<double> numbers(std::size_t n, double scale) {
  std::vector<double> x;
  for (std::size_t i = 0; i < n; ++i)
    x.push_back(scale * (1 + static_cast<double>((i * 37 + 11) % 64) / 8));
  return x;
}
double distance(double got, double right) {
  return std::fabs(got - right) / std::fabs(right);
}

/// The sizes whose squares, third and fourth powers leave the range, and 1.
constexpr double sizes[] = {1e308 / 16, 1e200,  1e110,  1e80,   1,
                            1e-80,      1e-110, 1e-200, 1e-300, 1e-308};

struct powers {
  double mean, variance, deviation, skewness, kurtosis, root_mean_square;

  explicit powers(std::vector<double> const& x, double scale) {
    wide_number const n = static_cast<wide_number>(x.size());
    wide_number sum = 0, of[5] = {};
    for (double const v : x) sum += wide_number(v) / scale;
    for (double const v : x) {
      wide_number const d = wide_number(v) / scale - sum / n;
      of[0] += wide_number(v) / scale * v / scale;
      of[2] += d * d, of[3] += d * d * d, of[4] += d * d * d * d;
    }
    auto const second = static_cast<double>(of[2] / n);
    mean = static_cast<double>(sum / n) * scale;
    variance = second * scale * scale;
    deviation = std::sqrt(second) * scale;
    skewness = static_cast<double>(of[3] / n) / std::pow(second, 1.5);
    kurtosis = static_cast<double>(of[4] / n) / (second * second) - 3;
    root_mean_square = std::sqrt(static_cast<double>(of[0] / n)) * scale;
  }
};

TEST(wide_range, has_moments_of_numbers_of_any_size) {
  for (double const size : sizes) {
    auto const x = numbers(37, size);
    powers const right(x, size);
    auto const all = reduce(x, wide_range<moments>{});
    EXPECT_LT(distance(mean_of(all), right.mean), 1e-14) << size;
    EXPECT_LT(distance(stddev_of(all), right.deviation), 1e-14) << size;
    if (right.variance > 1e-290 && right.variance < 1e300)
      EXPECT_LT(distance(variance_of(all), right.variance), 1e-14) << size;
    else
      EXPECT_EQ(variance_of(all) > 1, right.variance > 1) << size;
    auto const shape = reduce(x, wide_range<central_moments>{}).of;
    EXPECT_LT(distance(shape.skewness(), right.skewness), 1e-11) << size;
    EXPECT_LT(distance(shape.kurtosis(), right.kurtosis), 1e-11) << size;
    EXPECT_LT(distance(mean_of(reduce(x, wide_range<rms>{})), right.root_mean_square), 1e-14)
        << size;
  }
}

TEST(wide_range, has_statistics_of_two_columns_of_any_two_sizes) {
  for (double const a : sizes)
    for (double const b : sizes) {
      std::vector<xy<double>> pairs;
      auto const x = numbers(23, a);
      for (std::size_t i = 0; i < x.size(); ++i)
        pairs.push_back({x[i], b * static_cast<double>(i + 1) / 4});
      std::vector<xy<double>> plain;
      for (auto const& e : pairs) plain.push_back({e.x / a, e.y / b});
      auto const right = reduce(plain, comoments{});
      auto const got = reduce(pairs, wide_range<comoments>{});
      EXPECT_LT(distance(got.of.correlation(), right.correlation()), 1e-13) << a << ' ' << b;
      if (double const slope = right.slope() * (b / a); std::isnormal(slope)) {
        EXPECT_LT(distance(slope_of(got), slope), 1e-13) << a << ' ' << b;
      }
      EXPECT_LT(distance(intercept_of(got), right.intercept() * b), 1e-12) << a << ' ' << b;
      if (double const product = a * b; std::isnormal(product) && product < 1e300) {
        EXPECT_LT(distance(covariance_of(got), right.covariance() * product), 1e-13);
      }
      auto const weighted = reduce(pairs, wide_range<weighted_moments>{});
      auto const right_weighted = reduce(plain, weighted_moments{});
      EXPECT_LT(distance(mean_of(weighted), right_weighted.mean * a), 1e-13) << a << ' ' << b;
      EXPECT_LT(distance(stddev_of(weighted), right_weighted.stddev() * a), 1e-13) << a << ' ' << b;
    }
}

TEST(wide_range, leaves_out_pairs_of_weight_0_whatever_their_size) {
  for (double const odd : {1e300, 1e-300, 0.0}) {
    std::vector<xy<double>> const pairs{{odd, 0}, {1e-200, 1}, {3e-200, 3}, {odd, -0.0}};
    auto const got = reduce(pairs, wide_range<weighted_moments>{});
    EXPECT_LT(distance(mean_of(got), 2.5e-200), 1e-15) << odd;
    EXPECT_LT(distance(stddev_of(got), std::sqrt(0.75) * 1e-200), 1e-15) << odd;
  }
}

TEST(wide_range, has_harmonic_means_of_numbers_whose_reciprocals_overflow) {
  double const least = 5e-324;
  EXPECT_EQ(mean_of(reduce(std::vector{4 * least, 4 * least}, wide_range<harmonic_mean>{})),
            4 * least);
  EXPECT_EQ(mean_of(reduce(std::vector{1.5e308, 1.5e308}, wide_range<harmonic_mean>{})), 1.5e308);
  EXPECT_NEAR(mean_of(reduce(std::vector{1e-310, 3.0}, wide_range<harmonic_mean>{})), 2e-310,
              1e-322);
  EXPECT_EQ(mean_of(reduce(std::vector{0.0, 3.0}, wide_range<harmonic_mean>{})), 0);
}

TEST(wide_range, goes_on_after_totals_of_the_plain_operator) {
  auto const expect_same = [](auto const& x, auto op) {
    using wide = wide_range<decltype(op)>;
    EXPECT_EQ(wide::of_plain(reduce(x, op)), reduce(x, wide{}));
  };
  auto const zeros = std::vector<double>(7), some = std::vector{0.0, 3.0, 0.0, -2.0, 0.5};
  for (auto const& x : {zeros, some, std::vector{4.0, 4.0}, std::vector{-0.0}}) {
    expect_same(x, moments{});
    expect_same(x, central_moments{});
  }
  std::vector<xy<double>> pairs{{0, 0}, {0, 2}, {0, 5}};
  for (int swapped = 0; swapped < 2; ++swapped) {
    expect_same(pairs, comoments{});
    expect_same(pairs, weighted_moments{});
    for (auto& [a, b] : pairs) std::swap(a, b);
  }
  using wide = wide_range<rms>;
  EXPECT_EQ(wide::of_plain({0, 7}), (wide::total{{0, 7}}));
  EXPECT_EQ(wide::of_plain({13, 2}), (wide::total{{13, 2}, 0}));
}

TEST(wide_range, has_the_bits_of_the_plain_operator_where_that_is_in_range) {
  for (double const size : {1e50, 1.0, 1e-50})
    for (std::size_t const n : {1u, 2u, 3u, 31u, 64u, 1000u}) {
      auto x = numbers(n, size);
      for (std::size_t i = 0; i < n; i += 5) x[i] = 0;
      EXPECT_EQ(reduce(x, wide_range<moments>{}).of, reduce(x, moments{})) << n;
      EXPECT_EQ(reduce(x, wide_range<central_moments>{}).of, reduce(x, central_moments{})) << n;
      EXPECT_EQ(mean_of(reduce(x, wide_range<rms>{})), reduce(x, rms{})) << n;
    }
}

TEST(wide_range, joins_blocks_of_different_sizes_and_of_zeros) {
  std::vector<double> x(8, 0.0);
  for (int i = 0; i < 8; ++i) x.push_back(i % 2 == 0 ? 1e-200 : 3e-200);
  EXPECT_LT(distance(stddev_of(reduce(x, wide_range<moments>{})), std::sqrt(1.5) * 1e-200), 1e-14);
  for (int i = 0; i < 16; ++i) x.push_back(i % 2 == 0 ? 4e200 : -4e200);
  EXPECT_LT(distance(stddev_of(reduce(x, wide_range<moments>{})), std::sqrt(8.0) * 1e200), 1e-14);
  reduce_stream<double, wide_range<moments>> stream;
  for (double const v : x) stream.push(std::span(&v, 1));
  EXPECT_EQ(stream.result(), reduce(x, wide_range<moments>{}));
}

TEST(wide_range, leaves_infinities_and_nan_what_they_are) {
  auto const nan = reduce(std::vector{1e200, std::nan(""), 1e-200}, wide_range<moments>{});
  EXPECT_TRUE(std::isnan(stddev_of(nan)));
  auto const infinite = reduce(std::vector{1e200, HUGE_VAL}, wide_range<moments>{});
  EXPECT_FALSE(std::isfinite(stddev_of(infinite)));
  EXPECT_TRUE(std::isnan(variance_of(reduce(std::vector<double>{}, wide_range<moments>{}))));
  EXPECT_TRUE(std::isnan(variance_of(reduce(std::vector{1e200}, wide_range<moments>{}), 1)));
}

}  // namespace
