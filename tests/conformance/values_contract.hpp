/// Contract 5 and 6: special values behave as IEEE says, identities are never added to an element,
/// integers wrap, and mode::fast changes no more than it may.
#pragma once

#include <conformance/checks.hpp>
#include <conformance/contract_test.hpp>
#include <support/sizes.hpp>

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

namespace upsweep::test {

/// Follows the tree for inputs in which special values are dense, rare, and very rare.
template <class T, class E>
testing::AssertionResult keeps_special_values(E const& on) {
  for (std::uint64_t const rarity : {0u, 3u, 40u, 5000u})
    for (std::size_t const n : {2u, 17u, 64u, 1009u, 20011u})
      if (auto const r = follows_tree(
              on, elements_with_specials<T>(n, rarity, test_seed() + n + rarity), plus{}, T(-0.0));
          !r)
        return r;
  return testing::AssertionSuccess();
}

/// -0 + -0 = -0: a sum to which an identity or a padding of +0 has been added loses the sign.
template <class T, class E>
testing::AssertionResult keeps_negative_zero(E const& on) {
  for (std::size_t n = 0; n <= 130; ++n)
    if (auto const r = follows_tree(on, std::vector<T>(n, T(-0.0)), plus{}, T(-0.0)); !r) return r;
  for (std::size_t const n : edge_sizes())
    if (auto const r = follows_tree(on, std::vector<T>(n, T(-0.0)), plus{}, T(-0.0)); !r) return r;
  return testing::AssertionSuccess();
}

/// A sum of n positive numbers, in any grouping, is within n roundings of the true sum; the tree's
/// depth allows 2 log2 n + 2.
template <class T, class E>
testing::AssertionResult sums_accurately(E const& on, mode how) {
  auto const n = many;
  std::vector<T> x = random_elements<T>(n);
  long double exact = 0, magnitude = 0;
  for (T const v : x) {
    exact += v;  // 64 bits of mantissa and 41 binades: error far below what is allowed
    magnitude += std::abs(static_cast<long double>(v));
  }
  T const got = upsweep::reduce(on, x, plus{}, {.mode = how});
  long double const roundings = how == mode::fast ? static_cast<long double>(n)
                                                  : 2 * std::log2(static_cast<long double>(n)) + 2;
  long double const allowed = roundings * std::numeric_limits<T>::epsilon() * magnitude;
  long double const error = std::abs(static_cast<long double>(got) - exact);
  if (error <= allowed) return testing::AssertionSuccess();
  return testing::AssertionFailure()
         << "the sum is off by " << error << ", " << allowed << " is allowed; " << seed_note();
}

template <class Backend>
class values_contract : public testing::Test {};
TYPED_TEST_SUITE_P(values_contract);

CONTRACT_TEST(values_contract, special_values_in_float_sums) {
  EXPECT_TRUE(keeps_special_values<float>(TypeParam::make()));
}
CONTRACT_TEST(values_contract, special_values_in_double_sums) {
  EXPECT_TRUE(keeps_special_values<double>(TypeParam::make()));
}
CONTRACT_TEST(values_contract, sums_keep_negative_zero_in_float) {
  EXPECT_TRUE(keeps_negative_zero<float>(TypeParam::make()));
}
CONTRACT_TEST(values_contract, sums_keep_negative_zero_in_double) {
  EXPECT_TRUE(keeps_negative_zero<double>(TypeParam::make()));
}

CONTRACT_TEST(values_contract, subnormals_are_not_flushed) {
  for (std::size_t const n : {std::size_t{1}, std::size_t{33}, std::size_t{5000}, many}) {
    EXPECT_EQ(upsweep::reduce(TypeParam::make(), std::vector<float>(n, 0x1p-149f)),
              0x1p-149f * static_cast<float>(n));
    EXPECT_EQ(upsweep::reduce(TypeParam::make(), std::vector<double>(n, 0x1p-1074)),
              0x1p-1074 * static_cast<double>(n));
  }
}

CONTRACT_TEST(values_contract, empty_sum_is_positive_zero) {
  EXPECT_TRUE(same_bits(upsweep::reduce(TypeParam::make(), std::vector<float>{}), 0.0f));
  EXPECT_TRUE(same_bits(
      upsweep::reduce(TypeParam::make(), std::vector<float>{}, plus{}, {.initial = -0.0f}), -0.0f));
}

CONTRACT_TEST(values_contract, reproducible_sums_are_accurate) {
  EXPECT_TRUE(sums_accurately<float>(TypeParam::make(), mode::reproducible));
  EXPECT_TRUE(sums_accurately<double>(TypeParam::make(), mode::reproducible));
}

CONTRACT_TEST(values_contract, fast_sums_stay_within_the_error_bound) {
  EXPECT_TRUE(sums_accurately<float>(TypeParam::make(), mode::fast));
  EXPECT_TRUE(sums_accurately<double>(TypeParam::make(), mode::fast));
}

CONTRACT_TEST(values_contract, fast_scans_stay_within_the_error_bound) {
  auto const n = many;
  std::vector<double> const x = random_elements<double>(n);
  std::vector<double> inclusive(n), exclusive(n);
  upsweep::inclusive_scan(TypeParam::make(), x, inclusive, plus{}, {.mode = mode::fast});
  upsweep::exclusive_scan(TypeParam::make(), x, exclusive, plus{}, {.mode = mode::fast});
  long double exact = 0, magnitude = 0;
  for (std::size_t i = 0; i < n; ++i) {
    long double const before = exact,
                      allowed_before = magnitude * static_cast<long double>(i + 1) * 0x1p-52L;
    exact += x[i];
    magnitude += std::abs(static_cast<long double>(x[i]));
    long double const allowed = magnitude * static_cast<long double>(i + 1) * 0x1p-52L;
    ASSERT_LE(std::abs(inclusive[i] - exact), allowed)
        << "inclusive, i = " << i << "; " << seed_note();
    ASSERT_LE(std::abs(exclusive[i] - before), allowed_before)
        << "exclusive, i = " << i << "; " << seed_note();
  }
}

CONTRACT_TEST(values_contract, fast_mode_keeps_the_result_of_exact_operators) {
  auto const x = random_elements<std::int64_t>(many);
  EXPECT_EQ(upsweep::reduce(TypeParam::make(), x, plus{}, {.mode = mode::fast}),
            upsweep::reduce(TypeParam::make(), x));
  std::vector<std::int64_t> fast(many), usual(many);
  upsweep::inclusive_scan(TypeParam::make(), x, fast, plus{}, {.mode = mode::fast});
  upsweep::inclusive_scan(TypeParam::make(), x, usual);
  EXPECT_TRUE(fast == usual) << seed_note();
}

REGISTER_TYPED_TEST_SUITE_P(values_contract, special_values_in_float_sums,
                            special_values_in_double_sums, sums_keep_negative_zero_in_float,
                            sums_keep_negative_zero_in_double, subnormals_are_not_flushed,
                            empty_sum_is_positive_zero, reproducible_sums_are_accurate,
                            fast_sums_stay_within_the_error_bound,
                            fast_scans_stay_within_the_error_bound,
                            fast_mode_keeps_the_result_of_exact_operators);

}  // namespace upsweep::test
