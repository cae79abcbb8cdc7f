/// Operators that are no rows of the catalog.
#include <upsweep/host/executor.hpp>
#include <upsweep/ops/decimal.hpp>
#include <upsweep/ops/drawdown.hpp>
#include <upsweep/ops/laws.hpp>
#include <upsweep/ops/means.hpp>
#include <upsweep/ops/sessions.hpp>
#include <upsweep/ops/wide_range.hpp>
#include <upsweep/reduce.hpp>
#include <upsweep/scan_stream.hpp>
#include <upsweep/upsweep.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

// Sessions, runs, drawdowns and means of functions against the loops that define them.

namespace upsweep::test {

/// A walk whose steps are from -3 to 3.
std::vector<double> walk(std::size_t n) {
  std::vector<double> x(n);
  double at = 100;
  for (std::size_t i = 0; i < n; ++i) x[i] = at += static_cast<double>(i * i * 7919 % 7) - 3;
  return x;
}

TEST(sequences, are_numbered_as_by_a_loop_on_any_number_of_threads) {
  auto const x = walk(100'003);
  std::vector<std::uint64_t> visits{1}, runs{1}, found(x.size());
  for (std::size_t i = 1; i < x.size(); ++i) {
    visits.push_back(visits.back() + (x[i] - x[i - 1] > 2 ? 1 : 0));
    runs.push_back(runs.back() + (x[i] != x[i - 1] ? 1 : 0));
  }
  for (int const threads : {1, 3}) {
    inclusive_scan(cpu{.threads = threads}, x, found, sessions{2.0});
    ASSERT_EQ(found, visits);
    inclusive_scan(cpu{.threads = threads}, x, found, run_number{});
    ASSERT_EQ(found, runs);
  }
  EXPECT_EQ(reduce(std::vector<double>{}, sessions{2.0}), 0);
}

TEST(sequences, are_separated_by_more_than_the_gap_only) {
  std::vector<std::int64_t> const x{0, 10, 20, 31, 41, 52, 52};
  std::vector<int> found(x.size());
  inclusive_scan(x, found, sessions{std::int64_t{10}});
  EXPECT_EQ((std::vector{1, 1, 1, 2, 2, 3, 3}), found);
  std::vector<double> const times{0, 0.5, 1.0, std::nextafter(1.5, 2.0), 1.5, 5};
  found.resize(times.size());
  inclusive_scan(times, found, sessions{0.5});
  EXPECT_EQ((std::vector{1, 1, 1, 2, 2, 3}), found);
  std::vector<int> const steps{3, 3, 4, 4};
  found.resize(steps.size());
  upsweep::inclusive_scan(steps, found, sessions{0});
  EXPECT_EQ((std::vector{1, 1, 2, 2}), found);
  EXPECT_EQ(3, reduce(x, sessions{std::int64_t{10}}));
}

TEST(drawdown, is_that_of_a_loop) {
  auto const x = walk(50'021);
  std::vector<drawdown_of> found(x.size());
  inclusive_scan(cpu{.threads = 3}, x, found, drawdown{});
  double highest = x[0], deepest = 0;
  for (std::size_t i = 0; i < x.size(); ++i) {
    highest = std::max(highest, x[i]);
    deepest = std::max(deepest, highest - x[i]);
    ASSERT_EQ(found[i].fall(), highest - x[i]) << i;
    ASSERT_EQ(found[i].relative_fall(), (highest - x[i]) / highest) << i;
    ASSERT_EQ(found[i].deepest, deepest) << i;
  }
}

TEST(drawdown, is_a_fraction_also_where_the_fall_is_out_of_range) {
  std::vector<double> const x{1.5e308, -1.5e308, -0.75e308, 1e308};
  std::vector<double> fractions;
  for (std::size_t n = 1; n <= x.size(); ++n)
    fractions.push_back(reduce(std::span(x).first(n), drawdown{}).relative_fall());
  EXPECT_EQ(fractions, (std::vector{0.0, 2.0, 1.5, (1.5e308 - 1e308) / 1.5e308}));
}

TEST(sequences, obey_the_laws_also_at_infinity) {
  double const inf = std::numeric_limits<double>::infinity();
  std::vector<double> const samples{1, 4, 4, -2, 0.1, 1e300, inf, -inf, inf, 3, -0.0};
  EXPECT_EQ(check_monoid(sessions{1.0}, std::vector<double>{1, 4, 4, -2, 0.1, 1e300, 3, -0.0}),
            std::nullopt);
  EXPECT_EQ(check_monoid(run_number{}, samples), std::nullopt);
  EXPECT_EQ(check_monoid(drawdown{}, samples), std::nullopt);
  EXPECT_EQ(check_monoid(rms{}, std::vector<double>{1, 4, -2, 0.1, 3}), std::nullopt);
  EXPECT_EQ(check_monoid(geometric_mean{}, std::vector<double>{1, 4, 2, 0.1, 3}), std::nullopt);
}

TEST(means, are_of_powers_of_two_exact) {
  std::vector<int> const x{1, 4, 4, 16};
  EXPECT_EQ(reduce(x, rms{}), std::sqrt((1 + 16 + 16 + 256) / 4.0));
  EXPECT_EQ(reduce(x, harmonic_mean{}), 4 / (1 + 0.25 + 0.25 + 0.0625));
  EXPECT_NEAR(reduce(x, geometric_mean{}), 4, 1e-15);
  EXPECT_TRUE(std::isnan(reduce(std::vector<double>{}, rms{})));
}

}  // namespace upsweep::test

// Decimal numbers as strings, and sums and products of them, at their limits.

namespace upsweep::test {

std::string again(std::string_view text) {
  auto const x = parse_decimal(text);
  return x ? to_string(*x) : "none";
}

TEST(decimals, are_written_with_all_their_digits) {
  for (auto const& [text, written] : std::vector<std::pair<std::string, std::string>>{
           {"0", "0"},
           {"-0.00", "0.00"},
           {"+.5", "0.5"},
           {"5.", "5"},
           {"-12.50", "-12.50"},
           {"007", "7"},
           {"1e3", "1000"},
           {"12.5E-1", "1.25"},
           {"-1.5e+1", "-15"},
           {std::string(38, '9'), std::string(38, '9')},
           {"0." + std::string(37, '0') + "1", "0." + std::string(37, '0') + "1"}})
    EXPECT_EQ(again(text), written) << text;
  for (std::string const text : {"", "-", ".", "e1", "1e", "1e+", "1e1000", "1e38", "1e-39", "1,5",
                                 " 1", "1 ", "0x1", "nan", "1.2.3", "--1", "1e1.5"})
    EXPECT_EQ(again(text), "none") << text;
  EXPECT_EQ(again(std::string(39, '9')), "none");
}

TEST(decimals, sum_at_the_finest_scale_on_any_number_of_threads) {
  std::vector<decimal> x;
  for (int i = 0; i < 100'000; ++i)
    x.push_back(*parse_decimal(i % 2 ? "0.10" : i % 4 ? "0.200" : "-0.3"));
  for (int const threads : {1, 3})
    EXPECT_EQ(to_string(reduce(cpu{.threads = threads}, x, decimal_sum{})), "2500.000");
  EXPECT_EQ(reduce(std::vector<decimal>{}, decimal_sum{}), decimal{});
  auto const sum = [](char const* a, char const* b) {
    return to_string(decimal_sum{}(*parse_decimal(a), *parse_decimal(b)));
  };
  std::string const most(38, '9');
  EXPECT_EQ(sum(most.c_str(), ("-" + most).c_str()), "0");
  EXPECT_THROW((void)sum(most.c_str(), "1"), precondition_error);
  EXPECT_THROW((void)sum(("-" + most).c_str(), ("-" + most).c_str()), precondition_error);
  EXPECT_THROW((void)sum("10", ("." + std::string(36, '0') + "1").c_str()), precondition_error);
  std::string const fine = "." + std::string(36, '0') + "1";
  EXPECT_EQ(sum("9", fine.c_str()), "9" + fine);
}

TEST(decimals, have_exact_products_with_the_digits_of_all_factors) {
  auto const product = [](std::vector<std::string> const& texts) {
    std::vector<decimal> x;
    for (auto const& text : texts) x.push_back(*parse_decimal(text));
    return to_string(reduce(serial{}, x, decimal_product{}));
  };
  EXPECT_EQ(product({}), "1");
  EXPECT_EQ(product({"1.10", "-1.10", "0.5"}), "-0.60500");
  EXPECT_EQ(product(std::vector<std::string>(18, "1.05")),  // of Python's decimal
            "2.406619233691084021719211578369140625");
  std::string const most(38, '9'), nines(19, '9');
  EXPECT_EQ(product({most, "-1"}), "-" + most);
  EXPECT_EQ(product({nines, "-" + nines}), "-99999999999999999980000000000000000001");
  EXPECT_EQ(product({most, "0"}), "0");
  std::string const digits20 = "1" + std::string(19, '0');
  EXPECT_EQ(product({nines, "-" + digits20}), "-" + nines + std::string(19, '0'));
  EXPECT_THROW((void)product({digits20, "-" + digits20}), precondition_error);
  EXPECT_THROW((void)product({most, "2"}), precondition_error);
  EXPECT_THROW((void)product(std::vector<std::string>(19, "1.05")), precondition_error);
  EXPECT_THROW((void)product(std::vector<std::string>(39, "0.1")), precondition_error);
}

TEST(decimals, have_exact_means_or_six_more_digits) {
  auto const mean = [](std::vector<std::string> const& texts) {
    std::vector<decimal> x;
    for (auto const& text : texts) x.push_back(*parse_decimal(text));
    return to_string(reduce(serial{}, x, decimal_mean{}));
  };
  EXPECT_EQ(mean({"0.10", "0.20"}), "0.15");
  EXPECT_EQ(mean({"1", "0", "0", "0", "0", "0", "0", "0"}), "0.125");
  EXPECT_EQ(mean({"2.00"}), "2.00");
  EXPECT_EQ(mean({"1", "1", "0"}), "0.666667");
  EXPECT_EQ(mean({"-1.00", "0.5", "0"}), "-0.16666667");
  EXPECT_EQ(mean({"-1", "1", "0"}), "0");
  std::string const most(38, '9');  // no room for another digit: half to even
  EXPECT_EQ(mean({most, "0"}), "5" + std::string(37, '0'));
  EXPECT_EQ(mean({std::string(37, '9') + "7", "0"}), "4" + std::string(36, '9') + "8");
  EXPECT_THROW((void)mean({}), precondition_error);
  EXPECT_THROW((void)decimal_mean{}.finish({}), precondition_error);

  std::vector<decimal> x(5, {1, 2}), running(5);
  upsweep::inclusive_scan(x, running, decimal_mean{});
  EXPECT_EQ(running, x);
}

}  // namespace upsweep::test

// Moments and means of numbers whose powers leave the range of double, beside the same in numbers
// of 128 bits, and beside the plain operators where these are in range.

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
