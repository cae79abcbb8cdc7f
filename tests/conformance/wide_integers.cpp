/// Integers of 64 bits that doubles do not hold: in bins whose borders are such integers, in every
/// form of a histogram, and between ranks, beside integers of 128 bits.
#include <upsweep/histogram.hpp>
#include <upsweep/order_statistics.hpp>
#include <upsweep/ranks.hpp>
#include <upsweep/ranks/loopback.hpp>
#include <upsweep/upsweep.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <random>
#include <span>
#include <vector>

namespace {

using namespace upsweep;

/// Numbers near `middle`, of type T.
template <class T>
std::vector<T> around(int128 middle, std::size_t n, std::uint64_t seed) {
  std::mt19937_64 source(seed);
  std::vector<T> x;
  for (std::size_t i = 0; i < n; ++i) {
    int128 const v = middle + static_cast<int128>(source() % 41) - 20;
    x.push_back(static_cast<T>(
        std::clamp<int128>(v, std::numeric_limits<T>::lowest(), std::numeric_limits<T>::max())));
  }
  return x;
}
constexpr int128 middles[] = {0,
                              int128{1} << 53,
                              -(int128{1} << 60),
                              (int128{1} << 62) + 77,
                              std::numeric_limits<std::int64_t>::max(),
                              std::numeric_limits<std::int64_t>::lowest(),
                              int128{1} << 63,
                              std::numeric_limits<std::uint64_t>::max()};

struct counted {
  std::vector<int> bins;
  std::vector<double> weights;
  outside_counts outside;
};
template <class T, class L>
counted by_loop(std::vector<T> const& x, std::vector<L> const& borders, bool closed_right) {
  counted c{std::vector<int>(borders.size() - 1), std::vector<double>(borders.size() - 1), {}};
  for (std::size_t i = 0; i < x.size(); ++i) {
    auto const v = static_cast<int128>(x[i]);
    auto const last = static_cast<int128>(borders.back());
    if (v < static_cast<int128>(borders.front())) {
      ++c.outside.below;
    } else if (v > last || (v == last && !closed_right)) {
      ++c.outside.above;
    } else {
      std::size_t b = 0;
      while (b + 2 < borders.size() && v >= static_cast<int128>(borders[b + 1])) ++b;
      ++c.bins[b];
      c.weights[b] += static_cast<double>(i);
    }
  }
  return c;
}

template <class T, class L>
void expect_bins(int128 middle, std::size_t n) {
  auto const x = around<T>(middle, n, 1);
  auto borders = around<L>(middle, 9, 2);
  std::ranges::sort(borders);
  borders.erase(std::unique(borders.begin(), borders.end()), borders.end());
  if (borders.size() < 2) return;
  std::vector<double> weights(n);
  for (std::size_t i = 0; i < n; ++i) weights[i] = static_cast<double>(i);
  for (bool const closed : {false, true}) {
    auto const right = by_loop(x, borders, closed);
    histogram_options const o{.closed_right = closed};
    std::vector<int> counts(right.bins.size());
    EXPECT_EQ(histogram(x, counts, borders, o), right.outside);
    EXPECT_EQ(counts, right.bins);
    std::vector<double> sums(counts.size());
    EXPECT_EQ(weighted_histogram(x, weights, sums, borders, o), right.outside);
    EXPECT_EQ(sums, right.weights);
    histogram_stream<T, std::vector<L>> stream(counts.size(), borders, o);
    stream.push(std::span(x).first(n / 3));
    stream.push(std::span(x).subspan(n / 3));
    EXPECT_TRUE(std::ranges::equal(stream.counts(), right.bins));
    EXPECT_EQ(stream.outside(), right.outside);
  }
}

TEST(wide_integers, lie_in_bins_with_borders_of_either_sign) {
  for (int128 const middle : middles)
    for (std::size_t const n : {40u, 5000u}) {
      expect_bins<std::int64_t, std::int64_t>(middle, n);
      expect_bins<std::uint64_t, std::uint64_t>(middle, n);
      expect_bins<std::int64_t, std::uint64_t>(middle, n);
      expect_bins<std::uint64_t, std::int64_t>(middle, n);
      expect_bins<std::int32_t, std::int64_t>(middle, n);
    }
}

TEST(wide_integers, are_borders_of_floating_point_numbers) {
  for (int const shift : {53, 60, 62}) {
    std::int64_t const first = std::int64_t{1} << shift, step = std::int64_t{1} << (shift - 52);
    std::vector<double> x;
    for (int i = -3; i < 6; ++i) x.push_back(static_cast<double>(first + i * step));
    for (std::int64_t const less : {-1, 0, 1}) {
      std::vector<std::int64_t> const borders{first + less, first + 2 * step + less};
      for (bool const closed : {false, true}) {
        auto const right = by_loop(x, borders, closed);
        std::vector<int> counts(1);
        EXPECT_EQ(histogram(x, counts, borders, {.closed_right = closed}), right.outside) << less;
        EXPECT_EQ(counts, right.bins) << shift << ' ' << less;
      }
    }
  }
}

TEST(wide_integers, lie_in_bins_over_ranks) {
  constexpr std::int64_t first = 1'700'000'000'000'000'000;
  std::vector<std::int64_t> const borders{first, first + 1000, first + 2000};
  std::vector<std::vector<int>> counts(3, std::vector<int>(2));
  loopback::run(3, [&](auto const& connection) {
    auto const rank = static_cast<std::size_t>(connection.rank());
    std::vector<std::int64_t> const mine{first + 999, first + 1000,
                                         first + 1999 + static_cast<std::int64_t>(rank % 2)};
    histogram(ranks(connection, serial{}), mine, counts[rank], borders);
  });
  for (auto const& of_rank : counts) EXPECT_EQ(of_rank, (std::vector{3, 5}));
}

template <class T>
void expect_quantiles(int128 middle, std::size_t n) {
  auto x = around<T>(middle, n, n);
  auto ordered = x;
  std::ranges::sort(ordered);
  auto const at = [&](std::size_t k) { return static_cast<int128>(ordered[k]); };
  // Half of a sum of integers is rounded once by the conversion, and a power of two is exact.
  auto const right = static_cast<double>(at((n - 1) / 2) + at(n / 2)) / 2;
  EXPECT_EQ(quantile(x, 0.5), right) << n;
  if (n % 4 != 1) return;
  EXPECT_EQ(quantile(x, 0.25), static_cast<double>(ordered[(n - 1) / 4]));
  EXPECT_EQ(quantile(x, 1.0), static_cast<double>(ordered.back()));
}
TEST(wide_integers, are_rounded_once_between_two_ranks) {
  for (int128 const middle : middles)
    for (std::size_t const n : {1u, 2u, 3u, 4u, 5u, 8u, 1001u}) {
      expect_quantiles<std::int64_t>(middle, n);
      expect_quantiles<std::uint64_t>(middle, n);
    }
  std::vector<std::int64_t> const ends{std::numeric_limits<std::int64_t>::lowest(),
                                       std::numeric_limits<std::int64_t>::max()};
  EXPECT_EQ(quantile(ends, 0.5), -0.5);
  EXPECT_EQ(quantile(ends, 0.25), -0x1p62 - 0.25);
  std::vector<std::uint64_t> const all{0, std::numeric_limits<std::uint64_t>::max()};
  EXPECT_EQ(quantile(all, 0x1p-60), 16.0 - 0x1p-60);
  std::vector<std::int64_t> const below{-(std::int64_t{1} << 52) + 1, std::int64_t{1} << 52};
  EXPECT_EQ(quantile(below, 0.5), 0.5);
  EXPECT_EQ(quantile(std::vector{-0.0, 0.0}, 0.5), 0);
  EXPECT_FALSE(std::signbit(quantile(std::vector{-0.0, 0.0}, 0.5)));
  EXPECT_TRUE(std::signbit(quantile(std::vector{-0.0, -0.0}, 0.5)));
}

}  // namespace
