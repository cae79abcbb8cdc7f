/// Sessions, runs, drawdowns and means of functions against the loops that define them.
#include <upsweep/ops/drawdown.hpp>
#include <upsweep/ops/laws.hpp>
#include <upsweep/ops/means.hpp>
#include <upsweep/ops/sessions.hpp>
#include <upsweep/upsweep.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <span>
#include <vector>

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
