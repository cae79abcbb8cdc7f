/// The checks of the contract pass on a correct executor and fail on wrong ones.
#include <conformance/economy_contract.hpp>
#include <conformance/exceptions_contract.hpp>
#include <conformance/mutants.hpp>
#include <conformance/order_contract.hpp>
#include <conformance/values_contract.hpp>

#include <cstdint>
#include <string>

namespace upsweep::test {

// The suites themselves run elsewhere; here their checks are called one by one.
GTEST_ALLOW_UNINSTANTIATED_PARAMETERIZED_TEST(economy_contract);
GTEST_ALLOW_UNINSTANTIATED_PARAMETERIZED_TEST(exceptions_contract);
GTEST_ALLOW_UNINSTANTIATED_PARAMETERIZED_TEST(order_contract);
GTEST_ALLOW_UNINSTANTIATED_PARAMETERIZED_TEST(values_contract);

namespace {

/// All forms at all sizes of a small table.
template <class T, class E, class Op>
testing::AssertionResult follows_tree_at_some_sizes(E const& on, Op const& op) {
  for (std::size_t const n : {0u, 1u, 2u, 3u, 5u, 7u, 16u, 31u, 32u, 33u, 48u, 64u, 100u, 1009u})
    if (auto const r = follows_tree_at<T>(on, n, op); !r) return r;
  return testing::AssertionSuccess();
}

TEST(mutants, right_executor_passes_every_check) {
  model<right> const on;
  EXPECT_TRUE(follows_tree_at_some_sizes<tree_name>(on, name_tree{}));
  EXPECT_TRUE(follows_tree_at_some_sizes<float>(on, plus{}));
  EXPECT_TRUE(follows_tree_at_some_sizes<affine_map<std::uint64_t>>(on, compose_maps<true>{}));
  EXPECT_TRUE(follows_tree_at_some_sizes<std::string>(on, concatenate{}));
  EXPECT_TRUE(follows_reference_at<tree_name>(on, 100, name_tree{}));
  EXPECT_TRUE(joins_only_neighbors(on, 100));
  EXPECT_TRUE(keeps_negative_zero<float>(on));
  EXPECT_TRUE(keeps_special_values<double>(on));
  EXPECT_TRUE(sums_accurately<float>(on, mode::reproducible));
  EXPECT_TRUE(operator_exception_arrives(on, 50, {7, 20}));
  EXPECT_TRUE(function_exception_arrives(on, 50, {7, 20}));
}

TEST(mutants, swapped_operands_are_caught) {
  EXPECT_FALSE(follows_tree_at_some_sizes<tree_name>(model<swapped_up_sweep>{}, name_tree{}));
  EXPECT_FALSE(follows_tree_at_some_sizes<affine_map<std::uint64_t>>(model<swapped_up_sweep>{},
                                                                     compose_maps<true>{}));
  EXPECT_FALSE(follows_tree_at_some_sizes<std::string>(model<swapped_up_sweep>{}, concatenate{}));
  EXPECT_FALSE(joins_only_neighbors(model<swapped_up_sweep>{}, 10));
  EXPECT_FALSE(follows_tree_at_some_sizes<matrix>(model<swapped_down_sweep>{}, matrix_product{}));
  EXPECT_FALSE(joins_only_neighbors(model<swapped_down_sweep>{}, 10));
}

/// A wrong grouping must be visible in float sums as well as with the operator that shows every
/// grouping, and must not be visible with exact operators.
template <class Grouping>
void expect_grouping_is_caught() {
  model<Grouping> const on;
  EXPECT_FALSE(follows_tree_at_some_sizes<tree_name>(on, name_tree{}));
  EXPECT_FALSE(follows_tree_at_some_sizes<float>(on, plus{}));
  EXPECT_FALSE(follows_tree_at_some_sizes<double>(on, plus{}));
  EXPECT_TRUE(follows_tree_at_some_sizes<std::int32_t>(on, plus{}));
  EXPECT_TRUE(joins_only_neighbors(on, 100));
}
TEST(mutants, loop_from_left_to_right_is_caught) {
  expect_grouping_is_caught<left_fold>();
}
TEST(mutants, kogge_stone_grouping_is_caught) {
  expect_grouping_is_caught<kogge_stone>();
}
TEST(mutants, tile_that_ends_on_its_own_prefix_is_caught) {
  expect_grouping_is_caught<tile_local_last>();
}
TEST(mutants, blocks_combined_from_the_smallest_are_caught) {
  EXPECT_FALSE(follows_tree_at<tree_name>(model<ragged_end_first>{}, 7, name_tree{}));
  EXPECT_FALSE(follows_tree_at<float>(model<ragged_end_first>{}, 7, plus{}));
}

TEST(mutants, identity_combined_into_a_value_is_caught) {
  EXPECT_FALSE(keeps_negative_zero<float>(model<identity_first>{}));
  EXPECT_FALSE(keeps_negative_zero<double>(model<identity_first>{}));
  EXPECT_FALSE(joins_only_neighbors(model<identity_first>{}, 10));
  EXPECT_FALSE(follows_tree_at_some_sizes<tree_name>(model<identity_first>{}, name_tree{}));
  EXPECT_FALSE(keeps_negative_zero<float>(model<identity_padded>{}));
  EXPECT_FALSE(joins_only_neighbors(model<identity_padded>{}, 7));
  EXPECT_FALSE(follows_tree_at_some_sizes<float>(model<identity_padded>{}, plus{}));
}

TEST(mutants, positions_in_too_few_bits_are_caught) {
  EXPECT_FALSE(follows_tree_around_powers<std::int32_t>(model<forgets_high_bits>{}, plus{}));
}

TEST(mutants, initial_value_inside_the_tree_is_caught) {
  EXPECT_FALSE(follows_tree_at_some_sizes<tree_name>(initial_as_element{}, name_tree{}));
  EXPECT_FALSE(follows_tree_at_some_sizes<float>(initial_as_element{}, plus{}));
}

TEST(mutants, stores_outside_the_output_are_caught) {
  EXPECT_FALSE(follows_tree_at_some_sizes<float>(writes_past_the_end{}, plus{}));
  EXPECT_FALSE(follows_tree_at_some_sizes<float>(forgets_the_last{}, plus{}));
}

TEST(mutants, input_read_after_it_was_overwritten_is_caught) {
  EXPECT_FALSE(follows_tree_at_some_sizes<float>(reads_after_writing{}, plus{}));
}

TEST(mutants, wasted_applications_are_caught) {
  EXPECT_FALSE((is_economical<tree_name>(model<wasteful>{}, 5000, name_tree{})));
  EXPECT_FALSE(
      (is_economical<affine_map<std::uint64_t>>(model<wasteful>{}, 5000, compose_maps<true>{})));
}

TEST(mutants, exceptions_that_are_lost_or_late_are_caught) {
  EXPECT_FALSE(function_exception_arrives(throws_the_last{}, 50, {7, 20}));
  EXPECT_FALSE(function_exception_arrives(swallows_exceptions{}, 50, {7}));
  EXPECT_FALSE(operator_exception_arrives(swallows_exceptions{}, 50, {7}));
  std::ptrdiff_t const before = living_now.load();
  EXPECT_FALSE(operator_exception_arrives(leaks{}, 50, {7}));
  living_now = before;
}

}  // namespace
}  // namespace upsweep::test
