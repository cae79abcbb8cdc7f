/// Histograms: borders decide by comparison, and everything outside is counted.
#pragma once

#include <conformance/contract_test.hpp>
#include <support/bits.hpp>
#include <support/fenced.hpp>
#include <support/random.hpp>
#include <support/sizes.hpp>
#include <upsweep/generic/reference.hpp>
#include <upsweep/histogram.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <deque>
#include <limits>
#include <string>
#include <vector>

namespace upsweep::test {

/// histogram of `x` with these bins, whose borders are `borders`.
template <class T, class E, class Bins>
void expect_histogram(E const& on, std::vector<T> const& x, Bins const& bins,
                      std::vector<double> const& borders) {
  for (bool const closed_right : {false, true}) {
    std::vector<std::size_t> expected(borders.size() - 1);
    outside_counts outside;
    for (T const& value : x) {
      long const b = reference::bin_of(value, borders, closed_right);
      ++(b == -1   ? outside.below
         : b == -2 ? outside.above
         : b == -3 ? outside.nan
                   : expected[static_cast<std::size_t>(b)]);
    }
    fenced<std::uint32_t> counts(expected.size());
    ASSERT_EQ(upsweep::histogram(on, x, counts.inside(), bins, {.closed_right = closed_right}),
              outside);
    ASSERT_TRUE(counts.intact());
    for (std::size_t b = 0; b < expected.size(); ++b) ASSERT_EQ(counts[b], expected[b]) << b;
  }
}

/// Numbers around the borders, on them and next to them, and everywhere else.
template <class T>
std::vector<T> numbers_around(std::vector<double> const& borders, std::size_t n) {
  std::vector<T> x;
  for (std::uint64_t const bits : random_words(n)) {
    double const border = borders[bits % borders.size()];
    if constexpr (detail::is_float<T>) {
      T const near = static_cast<T>(border);
      T const values[] = {near,
                          std::nextafter(near, T{-INFINITY}),
                          std::nextafter(near, T{INFINITY}),
                          static_cast<T>(static_cast<double>(bits % 10'000) / 300),
                          T{INFINITY},
                          T{-INFINITY},
                          std::numeric_limits<T>::quiet_NaN(),
                          T{-0.0f}};
      x.push_back(values[bits >> 32 & 7]);
    } else {
      T value{};
      std::memcpy(&value, &bits, sizeof value);
      if ((bits >> 32 & 3) == 0) value = static_cast<T>(static_cast<long>(bits % 200));
      if (border > -1e9 && border < 1e9 && (bits >> 32 & 3) == 1)
        value = static_cast<T>(static_cast<long>(border) + static_cast<long>(bits % 3) - 1);
      x.push_back(value);
    }
  }
  return x;
}

template <class Backend>
class histogram_contract : public testing::Test {};
TYPED_TEST_SUITE_P(histogram_contract);

CONTRACT_TEST(histogram_contract, numbers_are_compared_with_the_borders) {
  auto const on = TypeParam::make();
  auto const expect_type = [&]<class T>(T) {
    for (std::size_t const n : {0u, 1u, 257u, slow_build ? 5'000u : 60'001u}) {
      for (std::size_t const bins : {1u, 3u, 70u}) {
        even const e{-0.1, 29.8};
        std::vector<double> borders;
        for (std::size_t b = 0; b < bins; ++b)
          borders.push_back(e.low + static_cast<double>(b) *
                                        ((e.high - e.low) / static_cast<double>(bins)));
        borders.push_back(e.high);
        expect_histogram(on, numbers_around<T>(borders, n), e, borders);
      }
      std::vector<double> const levels{-1e300, -128, -0.5, 0, 0.1, 7, 7.5, 127, 200, 0x1p62, 1e300};
      expect_histogram(on, numbers_around<T>(levels, n), levels, levels);
      std::vector<double> const whole{-3, 5, 20};
      expect_histogram(on, numbers_around<T>(whole, n), whole, whole);
      std::vector<double> const all{-INFINITY, 0, 9.3e18, INFINITY};
      expect_histogram(on, numbers_around<T>(all, n), all, all);
    }
  };
  expect_type(float{});
  expect_type(double{});
  expect_type(std::int8_t{});
  expect_type(std::uint8_t{});
  expect_type(std::int16_t{});
  expect_type(std::uint32_t{});
  expect_type(std::int64_t{});
  expect_type(std::uint64_t{});
}

CONTRACT_TEST(histogram_contract, borders_that_are_close_or_out_of_reach_are_exact) {
  auto const on = TypeParam::make();
  auto const expect_even = [&](double low, double high) {
    std::vector<double> borders;
    for (int b = 0; b < 3; ++b) borders.push_back(low + b * ((high - low) / 3));
    borders.push_back(high);
    expect_histogram(on, numbers_around<double>(borders, 5'000), even{low, high}, borders);
  };
  expect_even(1, 1 + 0x1p-49);
  expect_even(0, 1e-300);
  std::vector<double> const far{1e300, 2e300};
  expect_histogram(on, numbers_around<std::int32_t>(far, 60'001), far, far);
  if constexpr (!is_device<TypeParam>) {  // whose borders are doubles
    constexpr auto largest = std::numeric_limits<std::int64_t>::max();
    std::vector<std::int64_t> const levels{std::numeric_limits<std::int64_t>::lowest(), 0, largest};
    std::vector<double> const x{-0x1p64, -0x1p63, -0.5, 0, 0x1p62, 0x1p63 - 1024, 0x1p63, INFINITY};
    std::vector<int> counts(2);
    outside_counts const outside{1, 2, 0};
    EXPECT_EQ(upsweep::histogram(on, x, counts, levels), outside);
    EXPECT_EQ(counts, (std::vector<int>{2, 3}));
    EXPECT_NE(outside, (outside_counts{1, 2, 1}));
    EXPECT_NE(outside, (outside_counts{1, 1, 0}));
    EXPECT_NE(outside, (outside_counts{0, 2, 0}));
    // The doubles nearest to the first two levels are below and above them.
    constexpr std::int64_t odd = (std::int64_t{1} << 53) + 1;
    std::vector<std::int64_t> const near{odd, odd + 2, odd + 5};
    std::vector<double> const y{0x1p53, 0x1p53 + 2, 0x1p53 + 4, 0x1p53 + 6, 0x1p53 + 8};
    EXPECT_EQ(upsweep::histogram(on, y, counts, near), (outside_counts{1, 2, 0}));
    EXPECT_EQ(counts, (std::vector<int>{1, 1}));
    EXPECT_EQ(upsweep::histogram(on, y, counts, near, {.closed_right = true}),
              (outside_counts{1, 1, 0}));
    EXPECT_EQ(counts, (std::vector<int>{1, 2}));
  }
}

/// Bins of any width and offset, in which few elements lie near a border, against a search in the
/// borders.
template <class T, class E>
void expect_anywhere(E const& on, double low, double high, std::size_t bins) {
  random_bits next(test_seed() + bins);
  std::vector<T> x(5'000);
  for (auto& v : x) {
    double const at = static_cast<double>(next() % 1'000'003) / 1'000'003;
    v = static_cast<T>(low + (at * 1.1 - (low > 0 ? 0.0 : 0.05)) * (high - low));
  }
  if constexpr (detail::is_float<T>) x[300] = x[999] = std::numeric_limits<T>::quiet_NaN();
  std::vector<double> borders(bins + 1, high);
  for (std::size_t b = 0; b < bins; ++b)
    borders[b] = low + static_cast<double>(b) * ((high - low) / static_cast<double>(bins));
  std::vector<double> squares(bins + 1);
  for (std::size_t b = 0; b <= bins; ++b)
    squares[b] = low + (high - low) * static_cast<double>(b * b) / static_cast<double>(bins * bins);
  auto const expect = [&](auto const& given, std::vector<double> const& levels) {
    std::vector<std::size_t> expected(bins + 2), counts(bins);
    std::size_t nan = 0;
    for (T const v : x)
      if (std::isnan(static_cast<long double>(v)))
        ++nan;
      else
        ++expected[static_cast<std::size_t>(
            std::upper_bound(levels.begin(), levels.end(), static_cast<long double>(v)) -
            levels.begin())];
    outside_counts const outside{expected.front(), expected.back(), nan};
    ASSERT_EQ(upsweep::histogram(on, x, counts, given), outside);
    ASSERT_EQ(counts, std::vector<std::size_t>(expected.begin() + 1, expected.end() - 1))
        << bins << " bins from " << low << " to " << high;
  };
  expect(even{low, high}, borders);
  expect(squares, squares);
}

CONTRACT_TEST(histogram_contract, elements_need_not_be_near_the_borders) {
  auto const on = TypeParam::make();
  for (std::size_t const bins : {1u, 3u, 100u, 256u, 1'000u, 3'000u}) {
    expect_anywhere<float>(on, 0, 1, bins);
    expect_anywhere<float>(on, -3, 1e3, bins);
    expect_anywhere<float>(on, 1e5, 1e5 + 1, bins);  // fewer floats than bins
    expect_anywhere<float>(on, 1e-42, 3e-42, bins);
    expect_anywhere<double>(on, -1, 2, bins);
    expect_anywhere<double>(on, 1e9, 1e9 + 1, bins);
    expect_anywhere<std::uint32_t>(on, 0, 4e9, bins);
    expect_anywhere<std::uint32_t>(on, 4'000'000'000.0, 4'000'000'700.0, bins);
    expect_anywhere<std::int32_t>(on, -2e9, 1.9e9, bins);
    expect_anywhere<std::int16_t>(on, -100, 1e4, bins);
    expect_anywhere<std::uint64_t>(on, 1, 1e19, bins);
    expect_anywhere<std::int64_t>(on, -1e18, 1e18, bins);
  }
  expect_anywhere<float>(on, -3, 1e3, 6'000);  // more bins than elements
  expect_anywhere<std::uint32_t>(on, 0, 4e9, 6'000);
  expect_anywhere<std::int64_t>(on, -1e18, 1e18, 6'000);
}

CONTRACT_TEST(histogram_contract, one_bin_may_take_everything) {
  auto const on = TypeParam::make();
  std::vector<float> const x(many, 3.5f);
  for (std::size_t const bins : {7u, 5'000u}) {
    std::vector<long> counts(bins);
    EXPECT_EQ(upsweep::histogram(on, x, counts, even{0, 7}), outside_counts{});
    for (std::size_t b = 0; b < bins; ++b)
      ASSERT_EQ(counts[b], b == bins / 2 ? static_cast<long>(many) : 0);
  }
}

CONTRACT_TEST(histogram_contract, results_are_those_of_numpy) {
  // numpy.histogram(x, bins=4, range=(0, 1)) of NumPy 2.4
  std::vector<double> const x{0, 0.25, 0.2499, 0.5, 0.75, 1, 0.999, 1.5, -1};
  std::vector<int> counts(4);
  auto const outside =
      upsweep::histogram(TypeParam::make(), x, counts, even{0, 1}, {.closed_right = true});
  EXPECT_EQ(counts, (std::vector{2, 1, 1, 3}));
  EXPECT_EQ(outside, (outside_counts{.below = 1, .above = 1, .nan = 0}));
  // numpy.histogram(x, bins=[0, 0.25, 1])
  counts.resize(2);
  EXPECT_EQ(outside,
            upsweep::histogram(TypeParam::make(), x, counts, {0, 0.25, 1}, {.closed_right = true}));
  EXPECT_EQ(counts, (std::vector{2, 5}));
}

template <class T, class E>
void expect_index_counts(E const& on, std::size_t n) {
  std::vector<T> x;
  std::vector<std::size_t> expected(100), counts(100, 7);
  random_bits next(test_seed());
  for (std::size_t i = 0; i < n; ++i) {
    std::size_t const k = i % 1'000 < 300 ? 42 : next() % 100;
    x.push_back(static_cast<T>(k));
    ++expected[k];
  }
  upsweep::count_indices(on, x, counts);
  ASSERT_EQ(counts, expected);
  upsweep::count_indices(on, std::deque<T>(x.begin(), x.end()), counts);
  ASSERT_EQ(counts, expected);
  x[n / 5] = 100;
  x[n / 5 + 1] = static_cast<T>(-1);
  auto const sentence = "position " + std::to_string(n / 5) + " is not an index";
  EXPECT_TRUE(refuses({sentence.c_str()}, [&] { upsweep::count_indices(on, x, counts); }));
  EXPECT_EQ(counts, expected);
}

CONTRACT_TEST(histogram_contract, indices_are_counted) {
  auto const on = TypeParam::make();
  expect_index_counts<std::uint8_t>(on, many / 4);
  expect_index_counts<std::int8_t>(on, many / 4);
  expect_index_counts<std::uint16_t>(on, many / 4);
  expect_index_counts<int>(on, many / 4);
  expect_index_counts<std::uint64_t>(on, many / 4);
}

CONTRACT_TEST(histogram_contract, there_may_be_more_bins_than_elements) {
  auto const on = TypeParam::make();
  std::size_t const size = 70'000;
  for (std::size_t const n :
       {1u, 255u, slow_build ? 5'000u : 100'003u, slow_build ? 0u : 800'000u}) {
    random_bits next(test_seed() + n);
    std::vector<std::uint32_t> x(n), expected(size), counts(size, 7);
    for (auto& v : x) ++expected[v = static_cast<std::uint32_t>(next() % size)];
    upsweep::count_indices(on, x, counts);
    ASSERT_EQ(counts, expected);
    std::fill(counts.begin(), counts.end(), 7u);
    even const whole{0, static_cast<double>(size)};
    ASSERT_EQ(upsweep::histogram(on, x, counts, whole), outside_counts{});
    ASSERT_EQ(counts, expected);
    if (n == 0) continue;
    x[n / 2] = static_cast<std::uint32_t>(size);
    x.back() = ~std::uint32_t{0};
    auto const sentence = "position " + std::to_string(n == 1 ? 0 : n / 2) + " is not an index";
    EXPECT_TRUE(refuses({sentence.c_str()}, [&] { upsweep::count_indices(on, x, counts); }));
    ASSERT_EQ(counts, expected);
  }
}

CONTRACT_TEST(histogram_contract, counts_may_be_stored_in_the_memory_of_the_elements) {
  if constexpr (is_device<TypeParam>) {
    GTEST_SKIP() << "for the processor";
  } else {
    std::vector<std::uint32_t> x(5'000);
    for (std::size_t i = 0; i < x.size(); ++i) x[i] = static_cast<std::uint32_t>(i);
    upsweep::count_indices(TypeParam::make(), x, x);
    EXPECT_EQ(x, std::vector<std::uint32_t>(x.size(), 1));
    EXPECT_EQ(upsweep::histogram(TypeParam::make(), x, x, even{0, 5'000}), outside_counts{});
    EXPECT_EQ(x[1], 5'000u);
  }
}

CONTRACT_TEST(histogram_contract, a_count_may_be_the_largest_of_its_integers) {
  if constexpr (is_device<TypeParam>) {
    GTEST_SKIP() << "for the processor";
  } else {
    std::vector<float> const x(255, 0.5f);
    std::vector<std::uint8_t> const indices(255, 2);
    std::vector<std::uint8_t> counts(4);
    upsweep::histogram(TypeParam::make(), x, counts, even{0, 1});
    EXPECT_EQ(counts, (std::vector<std::uint8_t>{0, 0, 255, 0}));
    counts.assign(4, 7);
    upsweep::count_indices(TypeParam::make(), indices, counts);
    EXPECT_EQ(counts, (std::vector<std::uint8_t>{0, 0, 255, 0}));
    std::vector<float> more(300);  // than each count can be
    for (std::size_t i = 0; i < more.size(); ++i) more[i] = static_cast<float>(i % 100) + 0.5f;
    counts.assign(100, 7);
    upsweep::histogram(TypeParam::make(), more, counts, even{0, 100});
    EXPECT_EQ(counts, std::vector<std::uint8_t>(100, 3));
  }
}

CONTRACT_TEST(histogram_contract, wrong_calls_are_refused) {
  auto const on = TypeParam::make();
  std::vector<float> x(1'000, 0.5f);
  std::vector<int> counts(4, -7), none;
  std::vector<std::uint8_t> narrow(4, 7);
  using levels = std::vector<double>;
  auto const refused = [&](std::initializer_list<char const*> words, auto const& bins) {
    EXPECT_TRUE(refuses(words, [&] { upsweep::histogram(on, x, counts, bins); }));
    EXPECT_EQ(counts, std::vector(4, -7));
  };
  refused({"above the lower"}, even{1, 1});
  refused({"above the lower"}, even{1, 0});
  refused({"finite"}, even{0, INFINITY});
  refused({"finite"}, even{-1e308, 1e308});
  refused({"level 2 of 5"}, levels{0, 1, 1, 2, 3});
  refused({"level 3 of 5"}, levels{0, 1, 2, NAN, 3});
  refused({"3 levels", "4 bins"}, levels{0, 1, 2});
  EXPECT_TRUE(refuses({"no bins"}, [&] { upsweep::histogram(on, x, none, even{0, 1}); }));
  EXPECT_TRUE(refuses({"count 2 is 1000", "8 bits"},
                      [&] { upsweep::histogram(on, x, narrow, even{0, 1}); }));
  EXPECT_EQ(narrow, std::vector<std::uint8_t>(4, 7));
}

REGISTER_TYPED_TEST_SUITE_P(histogram_contract, numbers_are_compared_with_the_borders,
                            borders_that_are_close_or_out_of_reach_are_exact,
                            elements_need_not_be_near_the_borders, one_bin_may_take_everything,
                            results_are_those_of_numpy, indices_are_counted,
                            there_may_be_more_bins_than_elements,
                            counts_may_be_stored_in_the_memory_of_the_elements,
                            a_count_may_be_the_largest_of_its_integers, wrong_calls_are_refused);

}  // namespace upsweep::test
