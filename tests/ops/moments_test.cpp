/// Skewness, kurtosis, covariance, regression and weighted moments: published values, sums of
/// powers in integers, special values.
#include <support/random.hpp>
#include <upsweep/by_name/verbs/lines.hpp>
#include <upsweep/ops/central_moments.hpp>
#include <upsweep/ops/comoments.hpp>
#include <upsweep/ops/describe.hpp>
#include <upsweep/ops/weighted_moments.hpp>
#include <upsweep/ops/wide_range.hpp>
#include <upsweep/upsweep.hpp>

#include <gtest/gtest.h>

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <string>
#include <vector>

namespace upsweep {
namespace {

constexpr double not_a_number = std::numeric_limits<double>::quiet_NaN();

template <class T, class Op>
auto total_of(std::vector<T> const& x, Op const& op) {
  return upsweep::reduce(serial{}, x, op);
}

TEST(central_moments, agree_with_published_examples) {
  // The examples in the documentation of scipy.stats.skew and pandas.Series.kurt.
  EXPECT_NEAR(total_of(std::vector{2, 8, 0, 4, 1, 9, 9, 0}, central_moments{}).skewness(),
              0.2650554122698573, 1e-15);
  EXPECT_NEAR(total_of(std::vector{1, 2, 2, 3}, central_moments{}).sample_kurtosis(), 1.5, 1e-14);
  auto const m = total_of(std::vector{1, 2, 3, 4, 10}, central_moments{});
  EXPECT_NEAR(m.sample_skewness(), std::sqrt(20.0) / 3 * m.skewness(), 1e-15);
}

/// x[i] are integers whose sum is 0, so that sums of powers are the central moments.
TEST(central_moments, are_the_sums_of_powers_of_the_distances) {
  test::random_bits next(test::test_seed());
  for (std::size_t const n : {2u, 3u, 10u, 1000u, 40000u}) {
    std::vector<std::int64_t> x(n);
    std::int64_t sum = 0;
    for (auto& e : x) sum += e = static_cast<std::int64_t>(next.below(2001)) - 1000;
    x.back() -= sum;
    int128 m2 = 0, m3 = 0, m4 = 0;
    for (int128 const e : x) m2 += e * e, m3 += e * e * e, m4 += e * e * e * e;
    auto const m = total_of(x, central_moments{});
    double const scale = std::pow(static_cast<double>(m4), 0.75) * std::pow(n, 0.25);
    EXPECT_EQ(m.count, n);
    EXPECT_NEAR(m.mean, 0, 1e-12 * 1000 * std::sqrt(n));
    EXPECT_NEAR(m.m2 / static_cast<double>(m2), 1, 1e-13);
    EXPECT_NEAR(m.m3, static_cast<double>(m3), 1e-13 * scale);
    EXPECT_NEAR(m.m4 / static_cast<double>(m4), 1, 1e-13);
    std::vector<double> shifted(x.begin(), x.end());
    for (double& e : shifted) e += 0x1p30;
    EXPECT_NEAR(total_of(shifted, central_moments{}).kurtosis(), m.kurtosis(), 1e-6);
  }
}

TEST(central_moments, have_no_shape_where_there_is_no_spread) {
  EXPECT_EQ(total_of(std::vector<double>{}, central_moments{}), detail::central_moments_of{});
  EXPECT_TRUE(std::isnan(total_of(std::vector<double>{}, central_moments{}).variance()));
  auto const equal = total_of(std::vector(5, 3.25), central_moments{});
  EXPECT_EQ(equal.variance(), 0);
  EXPECT_TRUE(std::isnan(equal.skewness()) && std::isnan(equal.kurtosis()));
  auto const two = total_of(std::vector{1, 2}, central_moments{});
  EXPECT_TRUE(std::isnan(two.sample_skewness()) && std::isnan(two.sample_kurtosis()));
  EXPECT_TRUE(std::isnan(total_of(std::vector{1.0, not_a_number}, central_moments{}).kurtosis()));
}

/// Anscombe, Graphs in Statistical Analysis, The American Statistician 27 (1973).
TEST(comoments, of_anscombes_quartet_are_all_the_same) {
  std::vector<double> const x{10, 8, 13, 9, 11, 14, 6, 4, 12, 7, 5};
  std::vector<std::vector<double>> const y{
      {8.04, 6.95, 7.58, 8.81, 8.33, 9.96, 7.24, 4.26, 10.84, 4.82, 5.68},
      {9.14, 8.14, 8.74, 8.77, 9.26, 8.10, 6.13, 3.10, 9.13, 7.26, 4.74},
      {7.46, 6.77, 12.74, 7.11, 7.81, 8.84, 6.08, 5.39, 8.15, 6.42, 5.73}};
  for (auto const& column : y) {
    std::vector<xy<double>> pairs;
    for (std::size_t i = 0; i < x.size(); ++i) pairs.push_back({x[i], column[i]});
    auto const c = total_of(pairs, comoments{});
    EXPECT_EQ(c.count, 11u);
    EXPECT_NEAR(c.mean_x, 9, 1e-14);
    EXPECT_NEAR(c.mean_y, 7.5, 0.001);
    EXPECT_NEAR(c.xx, 110, 1e-12);
    EXPECT_NEAR(c.slope(), 0.5, 0.0005);
    EXPECT_NEAR(c.intercept(), 3, 0.003);
    EXPECT_NEAR(c.correlation(), 0.8165, 0.0004);
    EXPECT_NEAR(c.sample_covariance(), 5.5, 0.004);
  }
}

TEST(comoments, of_a_line_are_the_line_wherever_it_lies) {
  std::vector<xy<double>> pairs;
  for (int i = 0; i < 10000; ++i) pairs.push_back({1e8 + i, 3e8 - 2.0 * i});
  auto const c = total_of(pairs, comoments{});
  EXPECT_NEAR(c.slope(), -2, 1e-12);
  EXPECT_NEAR(c.correlation(), -1, 1e-12);
  EXPECT_NEAR(c.covariance(), -2 * (1e8 - 1) / 12, 1e-4);  // i has the variance (n^2 - 1) / 12
}

TEST(comoments, have_no_line_where_there_is_no_spread) {
  EXPECT_EQ(total_of(std::vector<xy<double>>{}, comoments{}), detail::comoments_of{});
  auto const upright = total_of(std::vector<xy<int>>{{2, 1}, {2, 5}}, comoments{});
  EXPECT_TRUE(std::isnan(upright.slope()) && std::isnan(upright.correlation()));
  EXPECT_EQ(upright.covariance(), 0);
  EXPECT_TRUE(std::isnan(total_of(std::vector<xy<int>>{{2, 1}}, comoments{}).sample_covariance()));
}

TEST(weighted_moments, agree_with_published_examples_and_with_repeated_values) {
  std::vector<xy<int>> down;  // the example of numpy.average
  for (int i = 1; i <= 10; ++i) down.push_back({i, 11 - i});
  EXPECT_NEAR(total_of(down, weighted_moments{}).mean, 4, 1e-15);
  std::vector<double> repeated;
  for (auto const& e : down) repeated.insert(repeated.end(), static_cast<std::size_t>(e.y), e.x);
  auto const w = total_of(down, weighted_moments{});
  auto const m = total_of(repeated, moments{});
  EXPECT_EQ(w.weight, 55);
  EXPECT_NEAR(w.variance(), m.variance(), 1e-14);
  EXPECT_NEAR(w.sample_variance(), m.sample_variance(), 1e-14);
  EXPECT_NEAR(w.stddev(), m.stddev(), 1e-14);
}

TEST(weighted_moments, ignore_what_has_no_weight) {
  std::vector<xy<double>> const x{{not_a_number, 0}, {3, 0.5}, {7, 0}, {5, 0.5}};
  EXPECT_EQ(total_of(x, weighted_moments{}), (detail::weighted_moments_of{1, 4, 1}));
  EXPECT_EQ(total_of(std::vector<xy<double>>{{1, 0}}, weighted_moments{}),
            detail::weighted_moments_of{});
  EXPECT_TRUE(std::isnan(detail::weighted_moments_of{}.variance()));
}

/// The variance by the definition, with two passes.
double two_pass_variance(std::vector<double> const& x, double correction) {
  double sum = 0, squares = 0;
  for (double const v : x) sum += v;
  double const mean = sum / static_cast<double>(x.size());
  for (double const v : x) squares += (v - mean) * (v - mean);
  return squares / (static_cast<double>(x.size()) - correction);
}

/// All sequences of one to three of these numbers.
std::vector<std::vector<double>> sequences_of(std::vector<double> const& numbers) {
  std::vector<std::vector<double>> all(1);
  for (std::size_t first = 0, size = 1; size <= 3; ++size) {
    std::size_t const end = all.size();
    for (; first < end; ++first)
      for (double const v : numbers) {
        auto next = all[first];
        next.push_back(v);
        all.push_back(next);
      }
  }
  all.erase(all.begin());
  return all;
}

TEST(variances, of_elements_that_are_infinite_or_nan_are_nan_from_the_first_element_on) {
  double const infinite = std::numeric_limits<double>::infinity();
  for (auto const& x : sequences_of({1, 4, not_a_number, infinite, -infinite})) {
    double const right = two_pass_variance(x, 0);
    auto const same = [](double a, double b) { return a == b || (a != a && b != b); };
    auto const m = total_of(x, moments{});
    auto const c = total_of(x, central_moments{});
    std::string const text = describe(x);
    ASSERT_EQ(std::isnan(m.variance()), std::isnan(right)) << text;
    EXPECT_TRUE(std::isnan(right) || std::abs(m.variance() - right) < 1e-15) << text;
    EXPECT_TRUE(same(m.variance(), c.variance())) << text;
    EXPECT_TRUE(same(m.stddev(), std::sqrt(m.variance()))) << text;
    EXPECT_EQ(std::isnan(m.sample_variance()), std::isnan(two_pass_variance(x, 1))) << text;
    EXPECT_TRUE(std::isnan(right) ? std::isnan(c.skewness()) && std::isnan(c.kurtosis()) : true);
    auto const wide = reduce(x, wide_range<moments>{});
    EXPECT_TRUE(same(variance_of(wide), m.variance()) && same(stddev_of(wide), m.stddev())) << text;
    EXPECT_TRUE(same(variance_of(reduce(x, wide_range<central_moments>{})), m.variance())) << text;
  }
}

TEST(variances, of_pairs_with_a_number_that_is_infinite_or_nan_are_nan) {
  double const infinite = std::numeric_limits<double>::infinity();
  for (double const odd : {not_a_number, infinite, -infinite})
    for (std::size_t const n : {1u, 2u, 3u})
      for (std::size_t at = 0; at < n; ++at) {
        std::vector<xy<double>> x;
        for (std::size_t i = 0; i < n; ++i)
          x.push_back({1.0 + static_cast<double>(i), 3.0 - 2 * static_cast<double>(i)});
        EXPECT_EQ(total_of(x, comoments{}).covariance(), n == 1 ? 0 : n == 2 ? -0.5 : -4.0 / 3);
        auto y = x;
        x[at].x = odd;
        y[at].y = odd;
        for (auto const& pairs : {x, y}) {
          auto const c = total_of(pairs, comoments{});
          EXPECT_TRUE(std::isnan(c.covariance()) && std::isnan(c.sample_covariance()));
          EXPECT_TRUE(std::isnan(c.correlation()));
          EXPECT_TRUE(std::isnan(c.slope()) && std::isnan(c.intercept()));
          EXPECT_TRUE(std::isnan(covariance_of(reduce(pairs, wide_range<comoments>{}))));
          if (odd < 0) continue;  // no weight
          auto const w = total_of(pairs, weighted_moments{});
          EXPECT_TRUE(std::isnan(w.variance()) && std::isnan(w.stddev()));
          EXPECT_TRUE(std::isnan(w.sample_variance()));
          EXPECT_TRUE(std::isnan(variance_of(reduce(pairs, wide_range<weighted_moments>{}))));
        }
      }
}

TEST(variances, are_those_of_a_correction) {
  auto const m = total_of(std::vector<double>{1, 2, 6}, moments{});
  EXPECT_EQ(m.variance(0.5), 14.0 / 2.5);
  EXPECT_EQ(m.variance(1), 7);
  EXPECT_TRUE(std::isnan(m.variance(3)) && std::isnan(m.variance(4)));
  EXPECT_EQ(m.variance(-1), 3.5);
  auto const c = total_of(std::vector<xy<double>>{{1, 1}, {2, 2}, {6, 6}}, comoments{});
  EXPECT_EQ(c.covariance(0.5), 14.0 / 2.5);
  EXPECT_TRUE(std::isnan(c.covariance(3)));
}

/// Of neighboring lines, row by row, and transposed where they lie one after another.
template <class T>
void expect_moments_of_columns(dynamic::dtype type) {
  constexpr std::size_t columns = 11;
  test::random_bits next(test::test_seed());
  for (std::size_t const rows : {1u, 2u, 7u, 8u, 9u, 20u, 37u, 64u, 1'003u}) {
    std::vector<T> x(rows * columns);
    for (T& e : x) e = static_cast<T>(next.below(2'000)) / 3;
    for (bool const one_after_another : {false, true}) {
      auto lines = dynamic::lines_of_array(x.data(), sizeof(T), 1, rows, columns);
      if (one_after_another)
        lines.stride = 1, lines.stride_inner = static_cast<std::ptrdiff_t>(rows);
      std::vector<double> means(columns), squares(columns), only_means(columns);
      bool const are_found =
          dynamic::find_column_moments({.threads = 1}, type, lines, means.data(), squares.data());
      EXPECT_EQ(are_found, !one_after_another || rows <= 64) << rows;
      EXPECT_EQ(are_found, dynamic::find_column_moments({.threads = 1}, type, lines,
                                                        only_means.data(), nullptr));
      if (!are_found) continue;
      for (std::size_t c = 0; c < columns; ++c) {
        std::vector<T> own(rows);
        for (std::size_t r = 0; r < rows; ++r)
          own[r] = one_after_another ? x[c * rows + r] : x[r * columns + c];
        auto const m = total_of(own, moments{});
        EXPECT_EQ(m.mean, means[c]) << c << " of " << rows << "; " << test::seed_note();
        EXPECT_EQ(m.mean, only_means[c]);
        EXPECT_EQ(m.m2, squares[c]);
      }
    }
  }
}
TEST(moments, of_columns_are_those_of_each_line) {
  expect_moments_of_columns<float>(dynamic::dtype::f32);
  expect_moments_of_columns<double>(dynamic::dtype::f64);
  expect_moments_of_columns<std::int32_t>(dynamic::dtype::i32);
}

}  // namespace
}  // namespace upsweep
