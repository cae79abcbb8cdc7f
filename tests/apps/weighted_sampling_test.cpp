/// Weighted samples beside a search through the weights one by one.
#include <upsweep/apps/weighted_sampling.hpp>

#include <apps/support.hpp>
#include <support/random.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <string>
#include <vector>

namespace upsweep::test {
namespace {

/// Whole numbers, half of them 0, whose sums are exact.
std::vector<float> whole_weights(std::size_t n, random_bits& next) {
  std::vector<float> weights;
  for (std::size_t i = 0; i < n; ++i)
    weights.push_back(next.below(2) == 0 ? 0.0f : static_cast<float>(next.below(1000)));
  weights[next.below(n)] = 5;
  return weights;
}

/// The first position whose weights up to it sum to more than `target`.
std::size_t searched(std::vector<float> const& weights, double target) {
  double sum = 0;
  for (std::size_t i = 0; i < weights.size(); ++i)
    if ((sum += static_cast<double>(weights[i])) > target) return i;
  return weights.size();
}

TEST(weighted_sampling, draws_what_a_search_through_the_weights_finds) {
  random_bits next(test_seed());
  for (std::size_t const n : std::vector<std::size_t>{1, 2, 3, 64, 1000, 4095, 4097, 9000}) {
    auto const weights = whole_weights(n, next);
    std::vector<double> uniform{0, 1 - 0x1p-53};
    while (uniform.size() < 200) uniform.push_back(static_cast<double>(next() >> 11) * 0x1p-53);
    on_each_executor([&](auto const& on) {
      apps::weighted_sampler const sampler(weights, on);
      std::vector<std::uint32_t> drawn(uniform.size());
      sampler.draw(uniform, drawn, on);
      for (std::size_t k = 0; k < uniform.size(); ++k) {
        ASSERT_EQ(drawn[k], searched(weights, uniform[k] * sampler.total())) << seed_note();
        ASSERT_EQ(drawn[k], sampler(uniform[k]));
      }
    });
  }
}

TEST(weighted_sampling, systematic_draws_are_the_shares_rounded_down_or_up) {
  random_bits next(test_seed());
  auto const weights = whole_weights(3000, next);
  on_each_executor([&](auto const& on) {
    apps::weighted_sampler const sampler(weights, on);
    for (std::size_t const m : std::vector<std::size_t>{1, 7, 1024, 1025, 100'000}) {
      for (double const u : {0.0, 0.3, 1 - 0x1p-53}) {
        std::vector<std::size_t> drawn(m), times(weights.size());
        sampler.draw_systematic(u, drawn, on);
        for (std::size_t k = 0; k < m; ++k) {
          ++times[drawn[k]];
          ASSERT_TRUE(k == 0 || drawn[k - 1] <= drawn[k]);
        }
        for (std::size_t i = 0; i < weights.size(); ++i) {
          // Where a target is at most an ulp from a border, it may lie on either side of it.
          double const share =
              static_cast<double>(weights[i]) * static_cast<double>(m) / sampler.total();
          ASSERT_LT(std::abs(static_cast<double>(times[i]) - share), 1 + 1e-9);
          ASSERT_TRUE(weights[i] > 0 || times[i] == 0);
        }
      }
    }
  });
}

TEST(weighted_sampling, a_weight_of_0_is_never_drawn_although_sums_are_rounded) {
  // The prefixes of a tree of these weights are rounded differently, so that some rise at a 0.
  random_bits next(test_seed());
  std::vector<double> weights;
  for (int i = 0; i < 5000; ++i)
    weights.push_back(i % 2 == 0 ? 0.1 + static_cast<double>(next.below(1000)) * 1e-3 : 0.0);
  std::vector<double> below(weights.size());
  cumulative_distribution(weights, below);
  std::size_t rising = 0;
  for (std::size_t i = 1; i < weights.size(); i += 2) rising += below[i] > below[i - 1];
  EXPECT_GT(rising, 0u) << "this input does not show the fault that the sampler must avoid";
  on_each_executor([&](auto const& on) {
    apps::weighted_sampler const sampler(weights, on);
    for (std::size_t i = 1; i < weights.size(); i += 2)  // aim at each such interval
      for (double const at : {below[i - 1], below[i], (below[i - 1] + below[i]) / 2})
        ASSERT_NE(weights[sampler(std::min(at / sampler.total(), 1 - 0x1p-53))], 0) << i;
  });
}

TEST(weighted_sampling, names_the_weight_that_is_none) {
  double const nan = std::numeric_limits<double>::quiet_NaN(),
               infinite = std::numeric_limits<double>::infinity();
  using list = std::vector<double>;
  auto const complaint = [](list const& weights) {
    return message_of([&] { apps::weighted_sampler const sampler(weights); });
  };
  EXPECT_NE(complaint(list{1, 2, -1, 3}).find("2"), std::string::npos);
  EXPECT_NE(complaint(list{1, 2, 2, nan}).find("3"), std::string::npos);
  EXPECT_NE(complaint(list{0, 0}).find("all weights are 0"), std::string::npos);
  EXPECT_NE(complaint(list{}).find("all weights are 0"), std::string::npos);
  EXPECT_NE(complaint(list{1, infinite}).find("is infinite"), std::string::npos);
  EXPECT_EQ(complaint(list{0, 0x1p-1074}), "");
}

TEST(weighted_sampling, refuses_numbers_outside_0_to_1) {
  apps::weighted_sampler const sampler(std::vector<double>{1, 2});
  EXPECT_THROW((void)sampler(1.0), precondition_error);
  EXPECT_THROW((void)sampler(-0.1), precondition_error);
  std::vector<int> drawn(2);
  EXPECT_THROW(sampler.draw(std::vector<double>{0.5}, drawn), precondition_error);
  EXPECT_THROW(sampler.draw_systematic(1, drawn), precondition_error);
}

}  // namespace
}  // namespace upsweep::test
