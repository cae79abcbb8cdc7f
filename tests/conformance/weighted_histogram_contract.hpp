/// Weighted histograms: each bin has the reduction of its weights in input order, whichever way the
/// operator lets them be combined.
#pragma once

#include <conformance/contract_test.hpp>
#include <support/bits.hpp>
#include <support/fenced.hpp>
#include <support/random.hpp>
#include <support/sizes.hpp>
#include <support/varied.hpp>
#include <upsweep/generic/reference.hpp>
#include <upsweep/histogram.hpp>
#include <upsweep/ops/arg_extrema.hpp>
#include <upsweep/ops/concat.hpp>
#include <upsweep/ops/first_last.hpp>
#include <upsweep/ops/min_max.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <span>
#include <string>
#include <vector>

namespace upsweep::test {

/// Enough for several threads.
inline constexpr std::size_t many_weights = 60'001;

/// Numbers in [0, 100), of which some are on whole numbers, and some outside or NaN.
inline std::vector<float> places_of_weights(std::size_t n) {
  random_bits next(test_seed() + n);
  std::vector<float> x(n);
  for (auto& v : x) {
    std::uint64_t const bits = next();
    v = bits % 50 == 0   ? NAN
        : bits % 50 == 1 ? -INFINITY
        : bits % 50 == 2 ? 1e9f
        : bits % 3 == 0  ? static_cast<float>(bits / 64 % 100)
                         : static_cast<float>(bits / 64 % 100'000) / 1'000;
  }
  return x;
}

/// The borders of `bins` even bins from 0 to 100.
inline std::vector<double> borders_of(std::size_t bins) {
  std::vector<double> levels;
  for (std::size_t b = 0; b <= bins; ++b)
    levels.push_back(100 * static_cast<double>(b) / static_cast<double>(bins));
  return levels;
}

/// The positions of the elements in each bin, and how many are outside.
inline std::vector<std::vector<std::size_t>> positions_in_bins(std::vector<float> const& x,
                                                               std::vector<double> const& levels,
                                                               outside_counts& outside) {
  std::vector<std::vector<std::size_t>> of_bin(levels.size() - 1);
  for (std::size_t i = 0; i < x.size(); ++i) {
    auto const reached = static_cast<std::size_t>(
        std::upper_bound(levels.begin(), levels.end(), static_cast<double>(x[i])) - levels.begin());
    if (std::isnan(x[i]))
      ++outside.nan;
    else if (reached == 0 || reached == levels.size())
      ++(reached == 0 ? outside.below : outside.above);
    else
      of_bin[reached - 1].push_back(i);
  }
  return of_bin;
}

/// weighted_histogram, against the reference's reduction of the weights of each bin.
template <class R, class E, class Weights, class Op>
void expect_weighted(E const& on, Weights const& weights, std::size_t bins, Op const& op) {
  using W = typename Weights::value_type;
  std::vector<float> const x = places_of_weights(weights.size());
  std::vector<double> const levels = borders_of(bins);
  outside_counts outside;
  auto const of_bin = positions_in_bins(x, levels, outside);
  fenced<R> results(bins);
  ASSERT_EQ(upsweep::weighted_histogram(on, x, weights, results.inside(), levels, op), outside);
  ASSERT_TRUE(results.intact());
  for (std::size_t b = 0; b < bins; ++b) {
    std::vector<W> alone;
    for (std::size_t const i : of_bin[b]) alone.push_back(weights[i]);
    R const expected = static_cast<R>(reference::reduce(alone, op));
    ASSERT_TRUE(same_bits(results[b], expected))
        << "bin " << b << " of " << bins << ", " << alone.size() << " of " << x.size()
        << " weights";
  }
}

template <class Backend>
class weighted_histogram_contract : public testing::Test {};
TYPED_TEST_SUITE_P(weighted_histogram_contract);

CONTRACT_TEST(weighted_histogram_contract, sums_of_floats_have_the_bits_of_reduce) {
  auto const on = TypeParam::make();
  auto const sum = monoid([](float a, float b) { return a + b; }, 0.0f);
  for (std::size_t const n : {std::size_t{0}, std::size_t{1}, std::size_t{257}, many_weights})
    for (std::size_t const bins : {1u, 3u, 100u, 9'000u}) {
      auto const weights = uneven_numbers<float>(n);
      expect_weighted<float>(on, weights, bins, plus{});
      expect_weighted<float>(on, weights, bins, sum);
    }
}

CONTRACT_TEST(weighted_histogram_contract, exact_operators_are_applied_in_input_order) {
  auto const on = TypeParam::make();
  auto const first_of_them = [](std::int16_t a, std::int16_t b) { return a != 0 ? a : b; };
  monoid<decltype(first_of_them), std::int16_t, false, true> const first_not_zero(first_of_them, 0);
  for (std::size_t const n : {std::size_t{0}, std::size_t{1}, std::size_t{257}, many_weights})
    for (std::size_t const bins : {1u, 3u, 100u, 9'000u}) {
      varied_elements const v(n);
      std::vector<affine_map<int>> maps;
      for (std::int16_t const s : v.small) maps.push_back({2 * s + 1, s});
      expect_weighted<std::int64_t>(on, v.small, bins, plus{});
      expect_weighted<float>(on, uneven_numbers<float>(n), bins, max{});
      expect_weighted<affine_map<std::int64_t>>(on, maps, bins, affine{});
      expect_weighted<std::int16_t>(on, v.small, bins, first_not_zero);
      expect_weighted<maybe<std::int16_t>>(on, v.small, bins, last{});
    }
}

CONTRACT_TEST(weighted_histogram_contract, positions_count_from_the_first_weight_of_a_bin) {
  auto const on = TypeParam::make();
  std::vector<std::int16_t> const weights = varied_elements(many_weights).small;
  expect_weighted<indexed<std::int16_t>>(on, weights, 100, argmax{});
  std::vector<indexed<std::int16_t>> results(3);
  std::vector<float> const x(5, 0.5f);
  EXPECT_TRUE(refuses({"no smallest or largest"}, [&] {
    upsweep::weighted_histogram(on, x, std::span(weights).first(5), results, even{0, 3}, argmax{});
  }));
}

CONTRACT_TEST(weighted_histogram_contract, weights_may_be_of_any_type_and_range) {
  auto const on = TypeParam::make();
  std::size_t const n = many_weights / 2;
  expect_weighted<std::string>(on, varied_elements(n).words, 300, concat{});
  auto const numbers = uneven_numbers<float>(n);
  expect_weighted<double>(on, std::deque<float>(numbers.begin(), numbers.end()), 70, plus{});
  std::vector<bool> flags(n);
  for (std::size_t i = 0; i < n; i += 3) flags[i] = true;
  expect_weighted<int>(on, flags, 70, max{});
}

CONTRACT_TEST(weighted_histogram_contract, results_may_be_stored_in_the_memory_of_the_weights) {
  auto const on = TypeParam::make();
  std::vector<float> const x = places_of_weights(many_weights);
  std::vector<double> const levels = borders_of(100);
  auto const expect_type = [&]<class T>(T) {
    auto weights = uneven_numbers<T>(many_weights);
    std::vector<T> apart(100);
    upsweep::weighted_histogram(on, x, weights, apart, levels);
    upsweep::weighted_histogram(on, x, weights, std::span(weights).first(100), levels);
    for (std::size_t b = 0; b < 100; ++b) ASSERT_TRUE(same_bits(weights[b], apart[b]));
  };
  expect_type(float{});
  expect_type(std::int64_t{});
}

CONTRACT_TEST(weighted_histogram_contract, exceptions_reach_the_caller) {
  auto const on = TypeParam::make();
  auto const throwing = [](int a, int b) {
    if (b == 7) throw std::string("seven");
    return a + b;
  };
  std::vector<float> const x = places_of_weights(many_weights);
  std::vector<int> weights(many_weights, 1), results(100, -1);
  for (std::size_t i = 0; i < many_weights; i += 900) weights[i] = 7;
  auto const expect_thrown = [&](auto const& op) {
    EXPECT_THROW(upsweep::weighted_histogram(on, x, weights, results, borders_of(100), op),
                 std::string);
  };
  expect_thrown(monoid(throwing, 0));
  expect_thrown(monoid<decltype(throwing), int, false, true>(throwing, 0));
}

CONTRACT_TEST(weighted_histogram_contract, wrong_calls_are_refused) {
  auto const on = TypeParam::make();
  std::vector<float> const x(100), weights(99);
  std::vector<float> sums(4), none;
  EXPECT_TRUE(refuses({"100", "99"},
                      [&] { upsweep::weighted_histogram(on, x, weights, sums, even{0, 1}); }));
  EXPECT_TRUE(
      refuses({"no bins"}, [&] { upsweep::weighted_histogram(on, x, x, none, even{0, 1}); }));
}

REGISTER_TYPED_TEST_SUITE_P(weighted_histogram_contract, sums_of_floats_have_the_bits_of_reduce,
                            exact_operators_are_applied_in_input_order,
                            positions_count_from_the_first_weight_of_a_bin,
                            weights_may_be_of_any_type_and_range,
                            results_may_be_stored_in_the_memory_of_the_weights,
                            exceptions_reach_the_caller, wrong_calls_are_refused);

}  // namespace upsweep::test
