/// Contract 1, 2 and 4: operands in input order, the bits of the combine tree, at every size.
#pragma once

#include <conformance/checks.hpp>
#include <conformance/contract_test.hpp>
#include <support/probes.hpp>
#include <support/sizes.hpp>
#include <support/types.hpp>

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace upsweep::test {

/// Intervals [i, i + 1) in the scan's direction.
inline std::vector<interval> intervals(std::size_t n, bool reverse) {
  std::vector<interval> x;
  for (std::size_t i = 0; i < n; ++i) {
    auto const at = static_cast<std::int64_t>(reverse ? n - 1 - i : i);
    x.push_back({at, at + 1, interval::genuine});
  }
  return x;
}

/// The operator is applied only to adjacent values, the earlier one first, that are inputs, the
/// initial value or results.
template <class E>
testing::AssertionResult joins_only_neighbors(E const& on, std::size_t n,
                                              mode how = mode::reproducible) {
  complaints wrong;
  join_intervals const op{&wrong};
  for (bool const reverse : {false, true}) {
    for (bool const with_initial : {false, true}) {
      options<interval> o{.reverse = reverse, .mode = how};
      if (with_initial) o.initial = interval{-1, 0, interval::genuine};
      std::vector<interval> const in = intervals(n, reverse);
      auto const v = values_by_tree(in, op, o);
      if (auto const r = reduce_is(v, on, in, op, o); !r) return r;
      if (auto const r = scan_is<scan_kind::inclusive>(v, on, in, op, o); !r) return r;
      if (auto const r = scan_is<scan_kind::exclusive>(v, on, in, op, o); !r) return r;
      if (wrong.count() != 0)
        return testing::AssertionFailure()
               << form("reduce or scan", n, o) << ": the operator was given " << wrong.first();
    }
  }
  return testing::AssertionSuccess();
}

/// Every size up to this one is tried, fewer where each is many launches that a tool slows down.
template <class Backend>
[[nodiscard]] std::size_t last_size() {
  return slow_build && is_device<Backend> ? 100 : last_of_every_size;
}

template <class Backend>
class order_contract : public testing::Test {};
TYPED_TEST_SUITE_P(order_contract);

CONTRACT_TEST(order_contract, small_sizes_follow_the_reference) {
  for (std::size_t n = 0; n <= (slow_build ? 66 : 130); ++n) {
    ASSERT_TRUE((follows_reference_at<tree_name>(TypeParam::make(), n, name_tree{})));
    ASSERT_TRUE((follows_reference_at<float>(TypeParam::make(), n, plus{})));
    if (is_device<TypeParam>) continue;  // a device cannot hold strings
    ASSERT_TRUE((follows_reference_at<std::string>(TypeParam::make(), n, concatenate{})));
  }
}

CONTRACT_TEST(order_contract, every_size_follows_the_tree_for_an_operator_that_shows_it) {
  for (std::size_t n = 0; n <= last_size<TypeParam>(); ++n)
    ASSERT_TRUE((follows_tree_at<tree_name>(TypeParam::make(), n, name_tree{})));
}

CONTRACT_TEST(order_contract, every_size_follows_the_tree_for_float_sums) {
  for (std::size_t n = 0; n <= last_size<TypeParam>(); ++n)
    ASSERT_TRUE((follows_tree_at<float>(TypeParam::make(), n, plus{})));
}

CONTRACT_TEST(order_contract, every_size_follows_the_tree_for_double_sums) {
  for (std::size_t n = 0; n <= last_size<TypeParam>(); ++n)
    ASSERT_TRUE((follows_tree_at<double>(TypeParam::make(), n, plus{})));
}

CONTRACT_TEST(order_contract, every_size_is_right_for_integer_sums) {
  for (std::size_t n = 0; n <= last_size<TypeParam>(); ++n)
    ASSERT_TRUE((follows_tree_at<std::int32_t>(TypeParam::make(), n, plus{})));
}

CONTRACT_TEST(order_contract, every_size_keeps_the_order_of_exact_affine_maps) {
  for (std::size_t n = 0; n <= last_size<TypeParam>(); ++n)
    ASSERT_TRUE(
        (follows_tree_at<affine_map<std::uint64_t>>(TypeParam::make(), n, compose_maps<true>{})));
}

CONTRACT_TEST(order_contract, powers_of_two_and_their_neighbors_follow_the_tree) {
  EXPECT_TRUE((follows_tree_around_powers<tree_name>(TypeParam::make(), name_tree{})));
}

CONTRACT_TEST(order_contract, powers_of_two_and_their_neighbors_follow_the_tree_for_float_sums) {
  EXPECT_TRUE((follows_tree_around_powers<float>(TypeParam::make(), plus{})));
}

CONTRACT_TEST(order_contract, powers_of_two_and_their_neighbors_follow_the_tree_for_double_sums) {
  EXPECT_TRUE((follows_tree_around_powers<double>(TypeParam::make(), plus{})));
}

CONTRACT_TEST(order_contract, powers_of_two_and_their_neighbors_are_right_for_integer_sums) {
  EXPECT_TRUE((follows_tree_around_powers<std::int32_t>(TypeParam::make(), plus{})));
}

CONTRACT_TEST(order_contract, affine_maps_follow_the_tree_across_tiles) {
  for (std::size_t const n : edge_sizes())
    ASSERT_TRUE((follows_tree_at<affine_map<double>>(TypeParam::make(), n, compose_maps<false>{})));
}

CONTRACT_TEST(order_contract, matrices_keep_their_order_across_tiles) {
  for (std::size_t const n : edge_sizes())
    ASSERT_TRUE((follows_tree_at<matrix>(TypeParam::make(), n, matrix_product{})));
}

CONTRACT_TEST(order_contract, operator_combines_only_adjacent_values) {
  if (is_device<TypeParam>)
    GTEST_SKIP() << "the operator reports to the host's memory; tree names show the order too";
  for (std::size_t n = 0; n <= 130; ++n) ASSERT_TRUE(joins_only_neighbors(TypeParam::make(), n));
  for (std::size_t const n : edge_sizes(8192, 200003))
    ASSERT_TRUE(joins_only_neighbors(TypeParam::make(), n));
}

CONTRACT_TEST(order_contract, fast_mode_combines_only_adjacent_values_too) {
  if (is_device<TypeParam>) GTEST_SKIP() << "the operator reports to the host's memory";
  for (std::size_t const n : edge_sizes(8192, 200003))
    ASSERT_TRUE(joins_only_neighbors(TypeParam::make(), n, mode::fast));
}

CONTRACT_TEST(order_contract, reduction_has_the_bits_of_the_last_inclusive_element) {
  for (std::size_t const n : edge_sizes()) {
    if (n == 0) continue;
    auto const in = random_elements<float>(n);
    std::vector<float> out(n);
    upsweep::inclusive_scan(TypeParam::make(), in, out);
    ASSERT_TRUE(equal_at("reduce against the last of inclusive_scan", n,
                         upsweep::reduce(TypeParam::make(), in), out.back()));
  }
}

CONTRACT_TEST(order_contract, results_do_not_change_from_run_to_run) {
  auto const in = random_elements<double>(many);
  std::vector<double> first(many), again(many);
  upsweep::exclusive_scan(TypeParam::make(), in, first);
  for (int run = 0; run < 5; ++run) {
    upsweep::exclusive_scan(TypeParam::make(), in, again);
    for (std::size_t i = 0; i < many; ++i)
      ASSERT_TRUE(equal_at("exclusive_scan, repeated", i, again[i], first[i]));
  }
}

REGISTER_TYPED_TEST_SUITE_P(
    order_contract, small_sizes_follow_the_reference,
    every_size_follows_the_tree_for_an_operator_that_shows_it,
    every_size_follows_the_tree_for_float_sums, every_size_follows_the_tree_for_double_sums,
    every_size_is_right_for_integer_sums, every_size_keeps_the_order_of_exact_affine_maps,
    powers_of_two_and_their_neighbors_follow_the_tree,
    powers_of_two_and_their_neighbors_follow_the_tree_for_float_sums,
    powers_of_two_and_their_neighbors_follow_the_tree_for_double_sums,
    powers_of_two_and_their_neighbors_are_right_for_integer_sums,
    affine_maps_follow_the_tree_across_tiles, matrices_keep_their_order_across_tiles,
    operator_combines_only_adjacent_values, fast_mode_combines_only_adjacent_values_too,
    reduction_has_the_bits_of_the_last_inclusive_element, results_do_not_change_from_run_to_run);

}  // namespace upsweep::test
