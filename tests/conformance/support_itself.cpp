/// The tests' own tools: the fast evaluation of the tree agrees with reference.hpp, fences detect
/// stores, and same_bits compares bits.
#include <support/bits.hpp>
#include <support/fenced.hpp>
#include <support/probes.hpp>
#include <support/random.hpp>
#include <support/tree_scans.hpp>
#include <support/types.hpp>
#include <upsweep/generic/reference.hpp>
#include <upsweep/ops/arithmetic.hpp>
#include <upsweep/upsweep.hpp>

#include <gtest/gtest.h>

#include <cmath>
#include <cstddef>
#include <limits>
#include <optional>
#include <vector>

namespace upsweep::test {
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

}  // namespace
}  // namespace upsweep::test
