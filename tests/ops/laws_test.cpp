/// check_monoid finds planted defects, reports them in a sentence with small values, and accepts
/// operators that only round.
#include <upsweep/ops/catalog.hpp>
#include <upsweep/ops/laws.hpp>
#include <upsweep/ops/segmented.hpp>
#include <upsweep/ops/tuple.hpp>

#include <gtest/gtest.h>

#include <complex>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <numeric>
#include <optional>
#include <stdexcept>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

namespace user {

struct opaque {  // not an aggregate: needs only ==
  explicit opaque(int v) : value(v) {}
  int value;
  friend bool operator==(opaque const&, opaque const&) = default;
};
std::string describe(opaque const& x) {
  return "#" + std::to_string(x.value);
}

}  // namespace user

namespace upsweep {
namespace {

using user::opaque;

std::vector<int> first_numbers(int count) {
  std::vector<int> all(static_cast<std::size_t>(count));
  std::iota(all.begin(), all.end(), 0);
  return all;
}

/// The sentence, or "no counter-example".
template <class Op, class Samples>
std::string verdict(Op const& op, Samples const& samples, law_options const& o = {}) {
  return check_monoid(op, samples, o).value_or("no counter-example");
}

struct take_left {
  constexpr int operator()(int a, int) const { return a; }
};
struct commuting_take_left : take_left {
  static constexpr bool commutative = true;
};
struct forgets_5 : plus {
  static constexpr bool exact = true;
  static constexpr void absorb(std::int64_t& a, int x) { a = x == 5 ? a : a + x; }
};
struct ends_at_5 : max {
  static constexpr bool is_final(int a) { return a >= 5; }
};
struct replaced_by_5 : max {
  static constexpr bool replaces(int a) { return a >= 5; }
};
struct last_without_sign_of_zero {
  static constexpr bool exact = true;
  static constexpr double identity() { return 0.0; }
  constexpr double operator()(double a, double b) const { return b == 0 ? a + 0.0 : b; }
};

TEST(check_monoid, shows_that_subtraction_is_not_associative) {
  EXPECT_EQ(verdict(std::minus{}, std::vector{3, 5, 2}),
            "not associative: op(op(3, 5), 2) = -4 but op(3, op(5, 2)) = 0");
  EXPECT_EQ(check_monoid(std::minus{}, {0, 1}),
            "not associative: op(op(0, 0), 1) = -1 but op(0, op(0, 1)) = 1");
  EXPECT_NE(verdict(std::minus{}, std::vector{0.25f, 1e10f}), "no counter-example");
}

TEST(check_monoid, shows_that_the_mean_of_two_is_not_associative_although_floats_round) {
  auto const mean = [](float a, float b) { return (a + b) / 2; };
  EXPECT_EQ(verdict(mean, std::vector{0.0f, 1.0f}),
            "not associative: op(op(0, 0), 1) = 0.5 but op(0, op(0, 1)) = 0.25");
  EXPECT_NE(verdict(mean, std::vector{1e20f, 1.5e20f, -2e20f}), "no counter-example");
}

TEST(check_monoid, shows_that_zero_is_not_the_identity_of_min) {
  auto const smallest = monoid([](int a, int b) { return a < b ? a : b; }, 0);
  EXPECT_EQ(verdict(smallest, std::vector{-2, 1, 3}),
            "wrong identity 0: op(0, 1) = 0 but must be 1");
  auto const left_only = monoid([](int a, int b) { return b == 0 ? 0 : a + b; }, 0);
  EXPECT_EQ(verdict(left_only, std::vector{0, 7}), "wrong identity 0: op(7, 0) = 0 but must be 7");
}

TEST(check_monoid, shows_a_false_claim_of_commutativity) {
  EXPECT_EQ(verdict(take_left{}, first_numbers(3)), "no counter-example");
  EXPECT_EQ(verdict(commuting_take_left{}, first_numbers(3)),
            "claims to be commutative, but is not: op(0, 1) = 0 but op(1, 0) = 1");
}

TEST(check_monoid, shows_a_false_claim_of_exactness) {
  auto const sum = [](double a, double b) { return a + b; };
  std::vector<double> const samples{0.1, 0.2, 0.3};
  EXPECT_EQ(verdict(monoid(sum, 0.0), samples), "no counter-example");
  EXPECT_EQ(verdict(monoid<decltype(sum), double, true, true>(sum, 0.0), samples),
            "claims to be exact, but rounds: op(op(0.1, 0.2), 0.3) = 0.6000000000000001 but "
            "op(0.1, op(0.2, 0.3)) = 0.6");
}

TEST(check_monoid, shows_an_absorb_that_disagrees) {
  EXPECT_EQ(verdict(forgets_5{}, std::vector{1, 5}),
            "absorb() disagrees with op: absorbing 5 into 1 gives 1 but op(1, 5) = 6");
}

TEST(check_monoid, shows_accumulators_that_are_not_final) {
  EXPECT_EQ(verdict(ends_at_5{}, std::vector{1, 4, 5}), "no counter-example");
  EXPECT_EQ(verdict(ends_at_5{}, std::vector{5, 6}), "is_final(5) is true, but op(5, 6) = 6");
}

TEST(check_monoid, shows_accumulators_that_do_not_replace_what_is_in_front) {
  EXPECT_EQ(verdict(replaced_by_5{}, std::vector{1, 4, 5}), "no counter-example");
  EXPECT_EQ(verdict(replaced_by_5{}, std::vector{6, 5}), "replaces(5) is true, but op(6, 5) = 6");
}

TEST(check_monoid, tells_values_that_differ_only_in_the_sign_of_zero) {
  EXPECT_EQ(verdict(last_without_sign_of_zero{}, std::vector{-0.0, 1.0}),
            "wrong identity 0: op(0, -0) = 0 but must be -0");
}

TEST(check_monoid, shrinks_what_it_finds_at_random_to_single_early_samples) {
  auto const sum_unless_large = [](int a, int b) {
    return b >= 20 ? b : a + b;
  };  // fails once a partial sum reaches 20
  law_options few{.triples = 500, .seed = 3};  // less than 60^3, so not exhaustive
  EXPECT_EQ(verdict(sum_unless_large, first_numbers(60), few),
            "not associative: op(op(1, 1), 19) = 21 but op(1, op(1, 19)) = 20");
}

TEST(check_monoid, finds_defects_that_only_sums_of_samples_reach) {
  auto const wraps_at_5 = [](int a, int b) {
    return a + b > 5 ? b : a + b;
  };  // singles of {0, 1} never exceed 3
  EXPECT_NE(verdict(wraps_at_5, first_numbers(2)), "no counter-example");
}

TEST(check_monoid, finds_the_same_with_the_same_seed_and_nothing_without_samples) {
  auto const op = [](int a, int b) { return a - b; };
  law_options const o{.triples = 100, .seed = 42};
  EXPECT_EQ(verdict(op, first_numbers(1000), o), verdict(op, first_numbers(1000), o));
  EXPECT_EQ(verdict(op, std::vector<int>{}), "no counter-example");
}

TEST(check_monoid, propagates_exceptions_of_the_operator) {
  auto const throws = [](int, int) -> int { throw std::runtime_error("mine"); };
  EXPECT_THROW((void)check_monoid(throws, {1}), std::runtime_error);
}

TEST(check_monoid, accepts_canceling_sums_and_products_of_any_magnitude) {
  constexpr double infinity = std::numeric_limits<double>::infinity();
  std::vector<double> const wild{1e30,   -1e30,  1,      -1,   3e-300,   0.1,
                                 -7e200, 1e-308, 5e-324, -0.0, infinity, 1.7e308};
  EXPECT_EQ(verdict(plus{}, wild), "no counter-example");
  EXPECT_EQ(verdict(multiplies{}, wild), "no counter-example");
  std::vector<float> const small{1e30f, -1e30f, 0.1f, 3, 1e-38f, 1e-45f};
  EXPECT_EQ(verdict(plus{}, small), "no counter-example");
  EXPECT_EQ(verdict(multiplies{}, small), "no counter-example");
  std::vector<std::complex<double>> const complex{{1, 2}, {-0.1, 1e10}, {3, 0}, {1e-5, -1e10}};
  EXPECT_EQ(verdict(plus{}, complex), "no counter-example");
  EXPECT_EQ(verdict(multiplies{}, complex), "no counter-example");
}

TEST(check_monoid, accepts_the_wrappers_around_any_operator) {
  std::vector<flagged<std::string>> const words{
      {false, "a"}, {true, "b"}, {false, ""}, {true, ""}, {false, "cd"}};
  EXPECT_EQ(verdict(segmented{concat{}}, words), "no counter-example");
  std::vector<flagged<float>> const values{
      {false, 0.1f}, {true, 0.2f}, {false, 1e7f}, {true, -3}, {false, -1e7f}};
  EXPECT_EQ(verdict(segmented{plus{}}, values), "no counter-example");
  EXPECT_EQ(verdict(segmented{argmax_last{}}, values), "no counter-example");
  std::vector<int> const integers{0, 1, -1, 7, 7, std::numeric_limits<int>::min()};
  EXPECT_EQ(verdict(tuple_of{plus{}, min{}, gcd{}, argmin{}, checked_plus{}}, integers),
            "no counter-example");
  std::vector<double> const reals{0.1, -0.0, 1e10, -1e10, 3};
  EXPECT_EQ(verdict(tuple_of{plus{}, max{}, moments{}}, reals), "no counter-example");
  EXPECT_EQ(verdict(tuple_of{min{}, exact_sum{}, last{}}, reals), "no counter-example");
}

TEST(check_monoid, sees_through_the_wrappers) {
  EXPECT_EQ(verdict(segmented{std::minus{}}, std::vector<flagged<int>>{{false, 1}, {true, 2}})
                .substr(0, 16),
            "not associative:");
  EXPECT_EQ(verdict(tuple_of{plus{}, std::minus{}}, std::vector{1, 2, 3}).substr(0, 16),
            "not associative:");
}

struct quaternion {  // an aggregate of floats, compared and perturbed part by part without any help
  float w, x, y, z;
};
struct hamilton_product {
  static constexpr quaternion identity() { return {1, 0, 0, 0}; }
  constexpr quaternion operator()(quaternion const& p, quaternion const& q) const {
    return {p.w * q.w - p.x * q.x - p.y * q.y - p.z * q.z,
            p.w * q.x + p.x * q.w + p.y * q.z - p.z * q.y,
            p.w * q.y - p.x * q.z + p.y * q.w + p.z * q.x,
            p.w * q.z + p.x * q.y - p.y * q.x + p.z * q.w};
  }
};
struct cross_product {
  constexpr quaternion operator()(quaternion const& p, quaternion const& q) const {
    return {0, p.y * q.z - p.z * q.y, p.z * q.x - p.x * q.z, p.x * q.y - p.y * q.x};
  }
};

TEST(check_monoid, judges_structs_of_the_user) {
  std::vector<quaternion> const samples{
      {1, 0, 0, 0}, {0.5f, 0.5f, -0.5f, 0.5f}, {0.1f, 0.7f, 0.3f, -0.2f}, {2, -3, 5, 7}};
  EXPECT_EQ(verdict(hamilton_product{}, samples), "no counter-example");
  EXPECT_EQ(verdict(cross_product{}, samples).substr(0, 16), "not associative:");
}

TEST(check_monoid, prints_a_type_of_the_user_by_its_own_describe) {
  auto const minus = [](opaque a, opaque b) { return opaque(a.value - b.value); };
  EXPECT_EQ(verdict(minus, std::vector{opaque(0), opaque(1)}),
            "not associative: op(op(#0, #0), #1) = #-1 but op(#0, op(#0, #1)) = #1");
}

TEST(describe, writes_numbers_so_that_they_read_back) {
  EXPECT_EQ(describe(0.1), "0.1");
  EXPECT_EQ(describe(-0.0f), "-0");
  EXPECT_EQ(describe(static_cast<signed char>(-128)), "-128");
  EXPECT_EQ(describe(detail::order::least<int128>()), "-170141183460469231731687303715884105728");
  EXPECT_EQ(describe(detail::order::greatest<uint128>()),
            "340282366920938463463374607431768211455");
  EXPECT_EQ(describe(bfloat16(1.5f)), "1.5");
  EXPECT_EQ(describe(true), "true");
}

TEST(describe, writes_composed_values_part_by_part) {
  EXPECT_EQ(describe(affine_map<int>{2, 3}), "{2, 3}");
  EXPECT_EQ(describe(std::string("a")), "\"a\"");
  EXPECT_EQ(describe(std::vector<std::pair<int, bool>>{{1, true}, {2, false}}),
            "[{1, true}, {2, false}]");
  EXPECT_EQ(describe(std::optional<int>{}), "none");
  EXPECT_EQ(describe(maybe<int>(4)), "4");
  EXPECT_EQ(describe(std::complex<float>(1, -2)), "(1, -2)");
  EXPECT_EQ(describe(opaque(3)), "#3");
  EXPECT_EQ(describe(detail::prefix_range<int, 0>(-2, 7)), "{-2, -2, 0, 7}");
}

TEST(parts, are_the_same_only_when_every_bit_is) {
  double const nan = std::numeric_limits<double>::quiet_NaN();
  EXPECT_TRUE(detail::parts::same(nan, -nan));
  EXPECT_FALSE(detail::parts::same(nan, 1.0));
  EXPECT_FALSE(detail::parts::same(0.0, -0.0));
  EXPECT_TRUE(detail::parts::same(-0.0f, -0.0f));
  EXPECT_FALSE(detail::parts::same(5e-324, -5e-324));
  EXPECT_TRUE(detail::parts::same(affine_map<double>{nan, 1}, affine_map<double>{nan, 1}));
  EXPECT_FALSE(detail::parts::same(affine_map<double>{nan, 0.0}, affine_map<double>{nan, -0.0}));
  EXPECT_FALSE(detail::parts::same(std::vector{1, 2}, std::vector{1, 2, 3}));
  EXPECT_FALSE(detail::parts::same(std::tuple(1, 2.0), std::tuple(1, 3.0)));
  EXPECT_TRUE(detail::parts::same(maybe<double>(nan), maybe<double>(nan)));
  EXPECT_FALSE(detail::parts::same(maybe<double>(), maybe<double>(0.0)));
}

}  // namespace
}  // namespace upsweep
