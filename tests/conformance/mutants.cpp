/// The suites themselves run elsewhere; here their checks are called one by one.
GTEST_ALLOW_UNINSTANTIATED_PARAMETERIZED_TEST(economy_contract);
GTEST_ALLOW_UNINSTANTIATED_PARAMETERIZED_TEST(exceptions_contract);
GTEST_ALLOW_UNINSTANTIATED_PARAMETERIZED_TEST(order_contract);
GTEST_ALLOW_UNINSTANTIATED_PARAMETERIZED_TEST(values_contract);

// The tests' own tools, and the checks of the contract, which pass on a correct executor and fail
// on
/// wrong ones.
#include <conformance/economy_contract.hpp>
#include <conformance/exceptions_contract.hpp>
#include <conformance/mutants.hpp>
#include <conformance/order_contract.hpp>
#include <conformance/values_contract.hpp>
#include <support/bits.hpp>
#include <support/fenced.hpp>
#include <support/probes.hpp>
#include <support/random.hpp>
#include <support/tree.hpp>
#include <support/types.hpp>
#include <upsweep/generic/reference.hpp>
#include <upsweep/ops/arithmetic.hpp>
#include <upsweep/upsweep.hpp>

#include <gtest/gtest.h>

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <vector>

namespace upsweep::test {

// The tests' own tools: the fast evaluation of the tree agrees with reference.hpp, fences detect
// stores, and same_bits compares bits.

namespace {

TEST(support, fast_tree_is_the_reference) {
  for (std::size_t n = 1; n <= 260; ++n) {
    auto const names = random_elements<tree_name>(n);
    auto const floats = random_elements<float>(n);
    auto const fast_names = tree_prefixes(names, name_tree{});
    auto const fast_floats = tree_prefixes(floats, plus{});
    auto const right_names = reference::inclusive_scan(names, name_tree{});
    auto const right_floats = reference::inclusive_scan(floats, plus{});
    for (std::size_t i = 0; i < n; ++i) {
      ASSERT_TRUE(same_bits(fast_names[i], right_names[i]))
          << "n = " << n << ", i = " << i << "; " << seed_note();
      ASSERT_TRUE(same_bits(fast_floats[i], right_floats[i]))
          << "n = " << n << ", i = " << i << "; " << seed_note();
    }
  }
}

template <class T, class Op>
void expect_the_references_scans(std::vector<T> const& x, Op const& op,
                                 std::optional<accumulator_t<Op, T>> const& initial) {
  tree_scans const fast(x, op, initial);
  auto const inclusive = reference::inclusive_scan(x, op, initial),
             exclusive = reference::exclusive_scan(x, op, initial);
  ASSERT_EQ(fast.inclusive.size(), x.size());
  ASSERT_EQ(fast.exclusive.size(), x.size());
  for (std::size_t i = 0; i < x.size(); ++i) {
    ASSERT_TRUE(same_bits(fast.inclusive[i], inclusive[i])) << i << " of " << x.size();
    ASSERT_TRUE(same_bits(fast.exclusive[i], exclusive[i])) << i << " of " << x.size();
  }
}

TEST(support, fast_scans_are_the_references) {
  for (std::size_t n = 0; n <= 130; ++n) {
    auto const floats = random_elements<float>(n);
    for (std::optional<float> const initial : {std::optional<float>{}, std::optional(0.1f)}) {
      expect_the_references_scans(floats, plus{}, initial);
      expect_the_references_scans(random_elements<bfloat16>(n), multiplies{}, initial);
    }
    expect_the_references_scans(floats, argmax{}, std::optional(indexed<float>{0.5f, 7}));
    expect_the_references_scans(floats, exact_sum{}, {});
  }
}

TEST(support, random_floats_are_sensitive_to_their_grouping) {
  auto const x = random_elements<float>(1000);
  float fold = 0;
  for (float const v : x) fold += v;
  EXPECT_FALSE(same_bits(fold, tree_prefixes(x, plus{}).back()));
}

TEST(support, same_bits_distinguishes_zeros_but_no_nans) {
  EXPECT_FALSE(same_bits(0.0f, -0.0f));
  EXPECT_FALSE(same_bits(0.0, -0.0));
  EXPECT_TRUE(same_bits(std::nan("1"), -std::nan("2")));
  EXPECT_TRUE(same_bits(std::nanf("1"), -std::nanf("2")));
  EXPECT_FALSE(same_bits(std::nan(""), std::numeric_limits<double>::infinity()));
  EXPECT_FALSE(same_bits(bfloat16(0.0f), bfloat16(-0.0f)));
  EXPECT_FALSE(same_bits(affine_map<double>{1, 0.0}, affine_map<double>{1, -0.0}));
}

TEST(support, fences_see_stores_on_both_sides) {
  fenced<float> before(10), after(10), inside(10);
  EXPECT_TRUE(inside.intact() && inside.unwritten());
  *(before.inside().data() - 1) = 1.0f;
  *(after.inside().data() + 10) = 1.0f;
  inside.inside()[3] = 1.0f;
  EXPECT_FALSE(before.intact());
  EXPECT_FALSE(after.intact());
  EXPECT_TRUE(inside.intact());
  EXPECT_FALSE(inside.unwritten());
}

TEST(support, intervals_detect_operands_from_elsewhere) {
  complaints wrong;
  join_intervals const op{&wrong};
  interval const a{0, 1, interval::genuine}, b{1, 2, interval::genuine};
  (void)op(a, b);
  EXPECT_EQ(wrong.count(), 0u);
  (void)op(b, a);
  (void)op(op.identity(), a);
  (void)op(a, interval{});
  EXPECT_EQ(wrong.count(), 3u);
  EXPECT_EQ(wrong.first(), "[1, 2) op [0, 1)");
}

// The checks of the contract pass on a correct executor and fail on wrong ones.

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
