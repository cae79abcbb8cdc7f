/// top and quantile where the elements at the positions of the sample mislead: the bounds that
/// they give are too low, too high, too wide, or end between the two ranks of a quantile.
#include <support/random.hpp>
#include <upsweep/order_statistics.hpp>
#include <upsweep/upsweep.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <functional>
#include <limits>
#include <numeric>
#include <utility>
#include <vector>

namespace upsweep::test {
namespace {

constexpr std::size_t n = 100'000;

/// Whether detail::sorted_sample reads the element at i, for samples of so many.
std::vector<char> sampled_positions(std::size_t size) {
  std::vector<char> sampled(n);
  for (std::size_t i = 0; i < size; ++i) sampled[detail::mixed(i) % n] = 1;
  return sampled;
}

/// The numbers 0 to n - 1, of which the elements of the sample are the `low` lowest and else the
/// highest. Neither is in order.
std::vector<double> numbers(std::size_t size, std::size_t low) {
  auto const sampled = sampled_positions(size);
  auto const count =
      static_cast<std::size_t>(std::accumulate(sampled.begin(), sampled.end(), std::size_t{0}));
  low = std::min(low, count);
  std::vector<double> of_sample, others;
  for (std::size_t k = 0; k < n; ++k)
    (k < low || k >= n - (count - low) ? of_sample : others).push_back(static_cast<double>(k));
  random_bits next(test_seed());
  for (auto* const part : {&of_sample, &others})
    for (std::size_t k = part->size(); k > 1; --k)
      std::swap((*part)[k - 1], (*part)[next.below(k)]);
  std::vector<double> x(n);
  for (std::size_t i = 0; i < n; ++i) {
    auto& from = sampled[i] ? of_sample : others;
    x[i] = from.back();
    from.pop_back();
  }
  return x;
}

/// Of 0 to n - 1 the quantile q is q (n - 1).
void expect_quantiles(std::vector<double> const& x) {
  for (double const q : {0.001, 0.25, 0.5, 0.75, 0.999}) {
    double const place = q * static_cast<double>(n - 1);
    EXPECT_NEAR(quantile(serial{}, x, q), place, 1e-9) << q << ", " << seed_note();
    EXPECT_NEAR(quantile(cpu{.threads = 3}, x, q), place, 1e-9) << q << ", " << seed_note();
  }
}

TEST(order_statistics, quantiles_between_infinities_and_between_far_numbers) {
  constexpr double inf = std::numeric_limits<double>::infinity();
  std::vector<double> const all{-inf, 1, inf}, far{-1.7e308, 1.7e308};
  EXPECT_EQ(quantile(serial{}, all, 0.25), -inf);
  EXPECT_EQ(quantile(serial{}, all, 0.5), 1);
  EXPECT_EQ(quantile(serial{}, all, 0.75), inf);
  EXPECT_EQ(quantile(serial{}, far, 0.5), 0);
}

TEST(order_statistics, quantiles_outside_the_bounds_of_the_sample) {
  expect_quantiles(numbers(4096, n));  // the sample has the lowest elements
  expect_quantiles(numbers(4096, 0));  // the highest
}

TEST(order_statistics, quantiles_with_most_elements_inside_the_bounds_of_the_sample) {
  expect_quantiles(numbers(4096, 2000));  // lowest and highest
}

TEST(order_statistics, quantiles_whose_upper_rank_is_outside_the_bounds) {
  // The sample's elements are around the middle; the upper bound, found as the library does, is
  // made the element of the median's lower rank: others are moved from its one side to the other.
  auto const sampled = sampled_positions(4096);
  for (std::size_t margin = 64; margin <= 512; margin += 32) {
    std::vector<double> x(n);
    double inner = 0;
    for (std::size_t i = 0; i < n; ++i)
      if (sampled[i]) x[i] = inner++;
    std::vector<double> sample;
    for (std::size_t i = 0; i < 4096; ++i) sample.push_back(x[detail::mixed(i) % n]);
    std::sort(sample.begin(), sample.end());
    double const high = sample[2047 + margin];
    std::size_t const rank = (n - 1) / 2;
    std::size_t below = rank - static_cast<std::size_t>(high);  // so many others are lower
    for (std::size_t i = 0; i < n; ++i)
      if (!sampled[i]) {
        x[i] = below > 0 ? -static_cast<double>(below) : 1e6 + static_cast<double>(i);
        below -= below > 0;
      }
    auto sorted = x;
    std::sort(sorted.begin(), sorted.end());
    ASSERT_EQ(sorted[rank], high);
    ASSERT_EQ(quantile(serial{}, x, 0.5), (sorted[rank] + sorted[rank + 1]) / 2) << margin;
  }
}

TEST(order_statistics, top_elements_that_the_sample_misjudges) {
  for (std::size_t const low : {std::size_t{0}, n, std::size_t{500}}) {
    auto const x = numbers(1024, low);
    auto sorted = x;
    std::sort(sorted.begin(), sorted.end(), std::greater{});
    for (std::size_t const count : {std::size_t{1}, std::size_t{500}, std::size_t{5000}}) {
      std::vector<double> const expected(sorted.begin(),
                                         sorted.begin() + static_cast<std::ptrdiff_t>(count));
      std::vector<double> found(count);
      EXPECT_EQ(top(serial{}, x, found), count);
      EXPECT_EQ(found, expected) << low << " of the sample are low, " << seed_note();
      EXPECT_EQ(top(cpu{.threads = 3}, x, found), count);
      EXPECT_EQ(found, expected) << low << " of the sample are low, " << seed_note();
    }
  }
}

TEST(order_statistics, many_elements_equal_to_a_bound_of_the_sample) {
  auto const by_thousands = [](int a, int b) { return a / 1000 > b / 1000; };
  for (int const most : {50'000, 70'000, 99'999}) {  // what is higher becomes `most`
    std::vector<int> x(n);
    random_bits next(test_seed());
    for (int& value : x) value = std::min(static_cast<int>(next.below(n)), most);
    auto sorted = x, by_order = x;
    std::sort(sorted.begin(), sorted.end());
    std::stable_sort(by_order.begin(), by_order.end(), by_thousands);
    for (std::size_t const rank : {std::size_t{0}, n / 4, n / 2, 7 * n / 10, n - 1}) {
      double const q = static_cast<double>(rank) / static_cast<double>(n - 1);
      EXPECT_NEAR(quantile(serial{}, x, q), sorted[rank], 1e-4) << most << ", " << seed_note();
    }
    for (std::size_t const count : {std::size_t{1}, std::size_t{500}, std::size_t{5000}}) {
      std::vector<int> const expected(by_order.begin(),
                                      by_order.begin() + static_cast<std::ptrdiff_t>(count));
      std::vector<int> found(count);
      EXPECT_EQ(top(serial{}, x, found, by_thousands), count);
      EXPECT_EQ(found, expected) << most << ", " << seed_note();
    }
  }
}

}  // namespace
}  // namespace upsweep::test
