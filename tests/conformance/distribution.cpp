/// Contract 3: cumulative_distribution is the running maximum of the tree's inclusive prefixes, and
/// refuses negative and NaN weights, on the executors of the CPU.
#include <conformance/backends.hpp>
#include <conformance/checks.hpp>
#include <conformance/contract_test.hpp>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <limits>
#include <ranges>
#include <span>
#include <string>
#include <thread>
#include <type_traits>
#include <vector>

namespace upsweep::test {

/// Weights of very different sizes, a tenth of them 0: their running sums by the tree decrease
/// often.
template <class T>
std::vector<T> uneven_weights(std::size_t n) {
  random_bits next(test_seed() + n);
  std::vector<T> weights;
  while (weights.size() < n) {
    std::uint64_t const bits = next();
    double const weight = std::ldexp(static_cast<double>(bits >> 40), -static_cast<int>(bits % 29));
    weights.push_back(bits % 10 == 0 ? T(0) : static_cast<T>(static_cast<float>(weight)));
  }
  return weights;
}

/// The expected results, by the definition.
template <class R, class Range, class A>
std::vector<R> expected_distribution(Range const& weights, options<A> const& o) {
  std::vector<R> out;
  for (A const& prefix : values_by_tree(weights, plus{}, o).inclusive)
    out.push_back(out.empty() ? static_cast<R>(prefix)
                              : std::max(out.back(), static_cast<R>(prefix)));
  return out;
}

template <class Out, class R>
testing::AssertionResult holds_distribution(Out const& out, std::vector<R> const& expected) {
  for (std::size_t i = 0; i < expected.size(); ++i)
    if (R const got = out[i]; !same_bits(got, expected[i]))
      return equal_at<R>("cumulative_distribution", i, got, expected[i]);
  return testing::AssertionSuccess();
}

/// All forms: into an output, in place, with an initial value; contiguous and not.
template <class T, class R, class E>
void expect_distribution(E const& on, std::size_t n) {
  using A = accumulator_t<plus, T>;
  std::vector<T> const weights = uneven_weights<T>(n);
  options<A> const from_one{.initial = A(1)};
  auto const expected = expected_distribution<R>(weights, options<A>{}),
             from_one_expected = expected_distribution<R>(weights, from_one);
  fenced<R> out(n);
  upsweep::cumulative_distribution(on, weights, out.inside());
  EXPECT_TRUE(holds_distribution(out, expected));
  upsweep::cumulative_distribution(on, weights, out.inside(), from_one);
  EXPECT_TRUE(holds_distribution(out, from_one_expected));
  EXPECT_TRUE(out.intact());
  std::deque<R> pieces(n);
  upsweep::cumulative_distribution(on, std::deque<T>(weights.begin(), weights.end()), pieces);
  EXPECT_TRUE(holds_distribution(pieces, expected));
  if constexpr (std::is_same_v<T, R>) {
    std::vector<T> both = weights;
    upsweep::cumulative_distribution(on, both, both);
    EXPECT_TRUE(holds_distribution(both, expected));
  }
}

template <class Backend>
class distribution_contract : public testing::Test {};
TYPED_TEST_SUITE_P(distribution_contract);

CONTRACT_TEST(distribution_contract, is_the_running_maximum_of_the_inclusive_scan) {
  for (std::size_t const n :
       {std::size_t{0}, std::size_t{1}, std::size_t{2}, std::size_t{17}, std::size_t{1009}, many}) {
    expect_distribution<float, float>(TypeParam::make(), n);
    expect_distribution<double, double>(TypeParam::make(), n);
    expect_distribution<double, float>(TypeParam::make(), n);
    expect_distribution<bfloat16, float>(TypeParam::make(), n);
    expect_distribution<std::uint16_t, std::uint64_t>(TypeParam::make(), n);
  }
}

CONTRACT_TEST(distribution_contract, is_the_running_maximum_for_a_large_array_too) {
  std::size_t const n =
      slow_build ? 300'007
                 : (std::size_t{1} << 22) + 70'001;  // beyond the caches: threads share its tiles
  std::vector<float> const weights = uneven_weights<float>(n);
  std::vector<float> expected(n), out(n);
  upsweep::inclusive_scan(serial{}, weights, expected);
  EXPECT_FALSE(std::ranges::is_sorted(expected)) << "with these weights the test cannot fail";
  for (std::size_t i = 1; i < n; ++i) expected[i] = std::max(expected[i], expected[i - 1]);
  upsweep::cumulative_distribution(TypeParam::make(), weights, out);
  EXPECT_TRUE(holds_distribution(out, expected));
}

CONTRACT_TEST(distribution_contract, begins_every_result_of_a_large_array_with_the_initial_value) {
  std::size_t const n = (std::size_t{1} << 19) + 3;  // several tiles; all sums are exact
  std::vector<float> const weights(n, 1.0f);
  std::vector<float> out(n);
  for (float const initial : {0.0f, 0.5f}) {
    upsweep::cumulative_distribution(TypeParam::make(), weights, out, {.initial = initial});
    for (std::size_t i = 0; i < n; ++i) ASSERT_EQ(out[i], initial + static_cast<float>(i + 1)) << i;
  }
}

/// The sum of seven is rounded up, those of eight and more are rounded down: whoever scans a tile
/// alone finds too small a maximum.
template <class E>
void expect_the_maximum_of_the_first_results(E const& on, std::size_t n) {
  std::vector<float> weights(n, 0.0f), out(n);
  weights[0] = 0x1p24f;
  weights[4] = weights[5] = 0.75f;
  weights[6] = 1;
  std::vector<float> expected(n, 0x1p24f + 4);
  std::fill_n(expected.begin(), 5, 0x1p24f);
  expected[5] = 0x1p24f + 2;
  ASSERT_EQ(reduce(serial{}, std::span(weights).first(7)), 0x1p24f + 4);
  ASSERT_EQ(reduce(serial{}, std::span(weights).first(8)), 0x1p24f + 2);
  upsweep::cumulative_distribution(on, weights, out);
  EXPECT_TRUE(holds_distribution(out, expected)) << n;
  std::deque<float> pieces(n);
  upsweep::cumulative_distribution(on, std::deque<float>(weights.begin(), weights.end()), pieces);
  EXPECT_TRUE(holds_distribution(pieces, expected)) << n;
}
CONTRACT_TEST(distribution_contract, keeps_the_maximum_of_the_first_results) {
  for (std::size_t const n : {std::size_t{9'000}, std::size_t{100'003},
                              slow_build ? std::size_t{50'001} : (std::size_t{1} << 22) + 1})
    expect_the_maximum_of_the_first_results(TypeParam::make(), n);
}

CONTRACT_TEST(distribution_contract, refuses_the_first_weight_that_is_negative_or_nan) {
  auto const on = TypeParam::make();
  double const nan = std::numeric_limits<double>::quiet_NaN();
  for (std::size_t const n : {std::size_t{3}, std::size_t{5000}, many}) {
    std::vector<double> out(n);
    for (std::size_t const at : {std::size_t{0}, n / 3, n - 1}) {
      std::string const where = "index " + std::to_string(at) + " of " + std::to_string(n);
      for (double const wrong : {-0x1p-1074, nan, -1.0}) {
        std::vector<double> weights(n, 0.5);
        weights[at] = wrong;
        weights[n - 1] = nan;
        EXPECT_TRUE(refuses({"cumulative_distribution", where.c_str(), "negative or NaN"},
                            [&] { upsweep::cumulative_distribution(on, weights, out); }));
        EXPECT_TRUE(refuses({"cumulative_distribution", where.c_str(), "negative or NaN"}, [&] {
          upsweep::cumulative_distribution(on, std::deque<double>(weights.begin(), weights.end()),
                                           out);
        }));
      }
    }
    upsweep::cumulative_distribution(on, std::vector<double>(n, -0.0), out);
    EXPECT_TRUE(same_bits(out.back(), -0.0));
  }
}

CONTRACT_TEST(distribution_contract, refuses_wrong_calls) {
  auto const on = TypeParam::make();
  std::vector<float> weights(100, 1.0f), out(99);
  EXPECT_TRUE(refuses({"cumulative_distribution", "100", "99"},
                      [&] { upsweep::cumulative_distribution(on, weights, out); }));
  EXPECT_TRUE(refuses({"cumulative_distribution", "overlap"}, [&] {
    upsweep::cumulative_distribution(on, std::span(weights).first(50),
                                     std::span(weights).subspan(1, 50));
  }));
  EXPECT_TRUE(refuses({"cumulative_distribution", ".reverse"}, [&] {
    upsweep::cumulative_distribution(on, weights, weights, {.reverse = true});
  }));
  EXPECT_TRUE(refuses({"cumulative_distribution", ".initial", "negative"}, [&] {
    upsweep::cumulative_distribution(on, weights, weights, {.initial = -1.0f});
  }));
}

REGISTER_TYPED_TEST_SUITE_P(distribution_contract, is_the_running_maximum_of_the_inclusive_scan,
                            is_the_running_maximum_for_a_large_array_too,
                            begins_every_result_of_a_large_array_with_the_initial_value,
                            keeps_the_maximum_of_the_first_results,
                            refuses_the_first_weight_that_is_negative_or_nan, refuses_wrong_calls);
INSTANTIATE_TYPED_TEST_SUITE_P(host, distribution_contract, host_backends, backend_name);

/// More than 1 MiB, with and without vector kernels.
TEST(distribution, of_tiles_that_threads_share_at_once) {
  every_call_starts_threads const all;
  for (int const threads : {2, 3, 7})
    expect_the_maximum_of_the_first_results(cpu{.threads = threads}, (std::size_t{1} << 18) + 7);
}

/// The thread that scans the second tile does not know the first one's maximum: the first weight
/// waits for it.
TEST(distribution, is_raised_to_the_maximum_of_another_threads_tile) {
  every_call_starts_threads const all;
  auto const caller = std::this_thread::get_id();
  auto const end = std::chrono::steady_clock::now() + std::chrono::seconds(5);
  std::atomic<bool> are_two = false;
  auto const weight = [&](std::size_t i) {
    if (std::this_thread::get_id() != caller) are_two = true;
    while (i == 0 && !are_two && std::chrono::steady_clock::now() < end) std::this_thread::yield();
    return i == 0 ? 0x1p24f : i == 4 || i == 5 ? 0.75f : i == 6 ? 1.0f : 0.0f;
  };
  std::vector<float> out(1'000);
  upsweep::cumulative_distribution(
      cpu{.threads = 2},
      std::views::iota(std::size_t{0}, out.size()) | std::views::transform(weight), out);
  for (std::size_t i = 6; i < out.size(); ++i) ASSERT_EQ(out[i], 0x1p24f + 4) << i;
}

/// More than 1 MiB: each tile is checked before it is scanned.
TEST(distribution_of_memory, refuses_a_negative_weight_in_any_tile) {
  std::size_t const n = std::size_t{1} << 18;
  std::vector<double> out(n);
  for (int const threads : {1, 3})
    for (std::size_t const at : {std::size_t{0}, n / 2 - 1, n - 2, n - 1}) {
      std::vector<double> weights(n, 0.5);
      weights[at] = -1;
      std::string const where = "index " + std::to_string(at) + " of " + std::to_string(n);
      EXPECT_TRUE(refuses({"cumulative_distribution", where.c_str(), "negative or NaN"}, [&] {
        upsweep::cumulative_distribution(cpu{.threads = threads}, weights, out);
      }));
    }
}

}  // namespace upsweep::test
