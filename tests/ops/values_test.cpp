/// What the operators return for special values, for empty input and for each element type.
#include <support/random.hpp>
#include <upsweep/ops/affine.hpp>
#include <upsweep/ops/arg_extrema.hpp>
#include <upsweep/ops/bitwise.hpp>
#include <upsweep/ops/concat.hpp>
#include <upsweep/ops/extrema.hpp>
#include <upsweep/ops/first_last.hpp>
#include <upsweep/ops/gcd.hpp>
#include <upsweep/ops/logical.hpp>
#include <upsweep/ops/matrix2x2.hpp>
#include <upsweep/ops/min_max.hpp>
#include <upsweep/ops/moments.hpp>
#include <upsweep/ops/parts.hpp>
#include <upsweep/ops/segmented.hpp>
#include <upsweep/ops/tuple.hpp>
#include <upsweep/upsweep.hpp>

#include <gtest/gtest.h>

#include <bitset>
#include <cmath>
#include <complex>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <map>
#include <numeric>
#include <string>
#include <string_view>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

namespace upsweep {
namespace {

constexpr double inf = std::numeric_limits<double>::infinity();
constexpr double nan = std::numeric_limits<double>::quiet_NaN();
constexpr double tiny = std::numeric_limits<double>::denorm_min();

template <class T, class Op>
auto over(std::vector<T> const& x, Op const& op) {
  return reduce(serial{}, x, op);
}
template <class T>
bool same(T a, T b) {
  return detail::parts::same(a, b);
}

TEST(min_max, propagate_a_nan_from_any_position) {
  for (std::vector<double> x :
       {std::vector{nan, 1., 2.}, {1., nan, 2.}, {1., 2., nan}, {nan, -inf, inf}}) {
    EXPECT_TRUE(std::isnan(over(x, min{})));
    EXPECT_TRUE(std::isnan(over(x, max{})));
  }
}

TEST(min_max, ignore_nan_in_their_number_forms_until_nothing_else_is_left) {
  for (std::vector<double> x : {std::vector{nan, 1., 2.}, {1., nan, 2.}, {1., 2., nan}}) {
    EXPECT_EQ(over(x, min_number{}), 1);
    EXPECT_EQ(over(x, max_number{}), 2);
  }
  EXPECT_TRUE(std::isnan(over(std::vector{nan, nan}, min_number{})));
  EXPECT_TRUE(std::isnan(over(std::vector{nan}, max_number{})));
  EXPECT_EQ(over(std::vector{nan, inf}, min_number{}), inf);
}

TEST(min_max, order_minus_zero_before_plus_zero) {
  for (std::vector<double> const& x : {std::vector{0., -0.}, {-0., 0.}}) {
    EXPECT_TRUE(same(over(x, min{}), -0.0));
    EXPECT_TRUE(same(over(x, max{}), 0.0));
    EXPECT_TRUE(same(over(x, min_number{}), -0.0));
    EXPECT_TRUE(same(over(x, max_number{}), 0.0));
    EXPECT_TRUE(same(over(x, minmax{}), extrema<double>{-0.0, 0.0}));
  }
}

TEST(min_max, tell_subnormals_from_zero) {
  EXPECT_TRUE(same(over(std::vector{0., tiny, -tiny}, min{}), -tiny));
  EXPECT_TRUE(same(over(std::vector{-0., tiny}, max{}), tiny));
}

TEST(min_max, have_the_extreme_values_as_identity) {
  EXPECT_EQ(over(std::vector<double>{}, min{}), inf);
  EXPECT_EQ(over(std::vector<float>{}, max{}), -inf);
  EXPECT_TRUE(std::isnan(over(std::vector<double>{}, min_number{})));
  EXPECT_EQ(over(std::vector<std::int8_t>{}, min{}), 127);
  EXPECT_EQ(over(std::vector<std::int8_t>{}, max{}), -128);
  EXPECT_EQ(over(std::vector<std::uint16_t>{}, min_number{}), 65535);
  EXPECT_EQ(over(std::vector<bool>{}, min{}), true);
  EXPECT_TRUE(over(std::vector<int128>{}, max{}) == static_cast<int128>(uint128{1} << 127));
}

TEST(min_max, select_in_the_type_of_the_element_and_16_bit_floats_in_float) {
  static_assert(std::is_same_v<result_t<min, std::int8_t>, std::int8_t>);
  static_assert(std::is_same_v<result_t<max, bfloat16>, float>);
  EXPECT_EQ(over(std::vector<bfloat16>{1.5f, -2.5f}, min{}), -2.5f);
}

TEST(min_max, order_other_types_by_their_own_less) {
  EXPECT_EQ(over(std::vector<std::string>{"pear", "apple", "plum"}, min{}), "apple");
  EXPECT_EQ(over(std::vector<std::string>{"pear", "apple", "plum"}, max{}), "plum");
  EXPECT_THROW((void)over(std::vector<std::string>{}, max{}), precondition_error);
}

TEST(arg_extrema, find_the_first_or_the_last_among_ties) {
  std::vector<int> const x{3, 1, 4, 1, 5, 9, 2, 6, 5, 9};
  EXPECT_EQ(over(x, argmin{}), (indexed<int>{1, 1}));
  EXPECT_EQ(over(x, argmin_last{}), (indexed<int>{1, 3}));
  EXPECT_EQ(over(x, argmax{}), (indexed<int>{9, 5}));
  EXPECT_EQ(over(x, argmax_last{}), (indexed<int>{9, 9}));
}

TEST(arg_extrema, let_nan_win_and_the_first_or_last_of_several) {
  std::vector<double> const x{-inf, nan, inf, -nan, 0};
  EXPECT_EQ(over(x, argmin{}).index, 1u);
  EXPECT_EQ(over(x, argmax{}).index, 1u);
  EXPECT_EQ(over(x, argmin_last{}).index, 3u);
  EXPECT_EQ(over(x, argmax_last{}).index, 3u);
  EXPECT_TRUE(std::isnan(over(x, argmax{}).value));
}

TEST(arg_extrema, select_the_zero_that_min_and_max_select) {
  EXPECT_EQ(over(std::vector{0., -0., 0., -0.}, argmin{}).index, 1u);
  EXPECT_EQ(over(std::vector{-0., 0., -0., 0.}, argmax{}).index, 1u);
  EXPECT_EQ(over(std::vector{-0., 0., -0., 0.}, argmax_last{}).index, 3u);
}

TEST(arg_extrema, prefer_an_element_to_the_identity_even_if_it_is_the_extreme_value) {
  EXPECT_EQ(over(std::vector{inf, inf}, argmin{}), (indexed<double>{inf, 0}));
  EXPECT_EQ(over(std::vector{inf, inf}, argmin_last{}), (indexed<double>{inf, 1}));
  indexed<double> const infinite{inf, 1}, none = identity_of<indexed<double>>(argmin_last{});
  EXPECT_EQ(argmin_last{}(infinite, none), infinite);
  EXPECT_EQ(argmin_last{}(none, infinite), infinite);
  for (std::string const& value : {std::string("a"), std::string()}) {
    argmin const op;
    indexed<std::string> const x{value, 7}, nothing = identity_of<indexed<std::string>>(op);
    EXPECT_EQ(op(nothing, x), x);
    EXPECT_EQ(op(x, nothing), x);
    EXPECT_EQ(argmax{}(nothing, x), x);
  }
}

TEST(arg_extrema, store_indices_into_a_range_of_size_t) {
  std::vector<float> const x{2, 1, 3, 0};
  std::vector<std::size_t> at(4);
  inclusive_scan(x, at, argmin{});
  EXPECT_EQ(at, (std::vector<std::size_t>{0, 1, 1, 3}));
  inclusive_scan(x, at, argmin{}, {.reverse = true});
  EXPECT_EQ(at, (std::vector<std::size_t>{3, 3, 3, 3}));
}

TEST(bitwise, combine_all_bits_of_integers_and_of_types_like_them) {
  std::vector<std::uint8_t> const x{0b1100, 0b1010, 0b1001};
  EXPECT_EQ(over(x, bit_and{}), 0b1000);
  EXPECT_EQ(over(x, bit_or{}), 0b1111);
  EXPECT_EQ(over(x, bit_xor{}), 0b1111);
  EXPECT_EQ(over(std::vector<std::int8_t>{}, bit_and{}), -1);
  EXPECT_EQ(over(std::vector<bool>{}, bit_and{}), true);
  EXPECT_TRUE(over(std::vector<uint128>{}, bit_and{}) == ~uint128{0});
  EXPECT_EQ(over(std::vector<std::byte>{}, bit_and{}), std::byte{255});
  EXPECT_EQ(over(std::vector<std::bitset<70>>{1, 2, 4}, bit_or{}), std::bitset<70>(7));
}

TEST(logical, count_every_number_but_zero_as_true) {
  EXPECT_TRUE(over(std::vector{nan, 0.5, -inf}, logical_and{}));
  EXPECT_FALSE(over(std::vector{1., -0.}, logical_and{}));
  EXPECT_TRUE(over(std::vector<bfloat16>{0.f, 0.001f}, logical_or{}));
  EXPECT_FALSE(over(std::vector<float>{0, -0.f}, logical_or{}));
  EXPECT_TRUE(over(std::vector{2, 4, 8, 0}, logical_xor{}));
  EXPECT_FALSE(over(std::vector{2, 0, 8}, logical_xor{}));
  EXPECT_TRUE(over(std::vector<int>{}, logical_and{}));
  EXPECT_FALSE(over(std::vector<int>{}, logical_or{}));
  EXPECT_FALSE(over(std::vector<int>{}, logical_xor{}));
}

TEST(affine, composes_the_earlier_map_first) {
  affine const op;
  affine_map<int> const doubled{2, 0}, plus_one{1, 1};
  EXPECT_EQ(op(doubled, plus_one), (affine_map<int>{2, 1}));  // 2 * x + 1
  EXPECT_EQ(op(plus_one, doubled), (affine_map<int>{2, 2}));  // 2 * (x + 1)
}

TEST(affine, scans_a_recurrence_into_numbers) {
  std::vector<affine_map<float>> x;
  std::vector<float> expected, out(100);
  float state = 3;
  for (int i = 0; i < 100; ++i) {
    x.push_back({i % 3 == 0 ? -1.0f : 1.0f,
                 static_cast<float>(i % 8)});  // small integers: no grouping rounds
    expected.push_back(state = x.back().a * state + x.back().b);
  }
  inclusive_scan(x, out, affine{}, {.initial = affine_map<float>{0, 3}});
  EXPECT_EQ(out, expected);
}

TEST(affine, wraps_integers_and_rounds_each_operation) {
  auto const big = std::numeric_limits<std::int64_t>::max();
  EXPECT_EQ(affine{}(affine_map<std::int64_t>{big, big}, affine_map<std::int64_t>{2, 2}),
            (affine_map<std::int64_t>{-2, 0}));
  double const e = 0x1p-30;  // (1 + e)(1 - e) - 1 is -e^2 in a fused operation, 0 when the product
                             // is rounded first
  EXPECT_EQ(affine{}(affine_map<double>{1, 1 + e}, affine_map<double>{1 - e, -1}).b, 0);
  static_assert(
      std::is_same_v<result_t<affine, affine_map<std::int8_t>>, affine_map<std::int64_t>>);
  static_assert(std::is_same_v<result_t<affine, affine_map<bfloat16>>, affine_map<float>>);
}

TEST(matrix2x2, multiplies_in_input_order) {
  matrix2x2<int> const a{1, 2, 3, 4}, b{0, 1, 1, 1};
  EXPECT_EQ(over(std::vector{a, b}, matrix2x2_product{}), (matrix2x2<std::int64_t>{2, 3, 4, 7}));
  EXPECT_EQ(over(std::vector{b, a}, matrix2x2_product{}), (matrix2x2<std::int64_t>{3, 4, 4, 6}));
  std::vector<matrix2x2<std::uint64_t>> const steps(90, {1, 1, 1, 0});
  EXPECT_EQ(over(steps, matrix2x2_product{}).b, 2880067194370816120u);  // the 90th Fibonacci number
}

TEST(moments, agree_with_the_textbook_and_do_not_cancel) {
  std::vector<double> const x{2, 4, 4, 4, 5, 5, 7, 9};
  auto const m = over(x, moments{});
  EXPECT_EQ(m.count, 8u);
  EXPECT_EQ(m.mean, 5);
  EXPECT_EQ(m.variance(), 4);
  EXPECT_EQ(m.stddev(), 2);
  EXPECT_EQ(m.sample_variance(), 32.0 / 7);
  EXPECT_EQ(m.sample_stddev(), std::sqrt(32.0 / 7));
  std::vector<double> shifted;
  for (int i = 0; i < 100000; ++i)
    shifted.push_back(1e9 + i % 2);  // the difference of sums of squares would lose every digit
  EXPECT_NEAR(over(shifted, moments{}).variance(), 0.25, 1e-9);
  EXPECT_NEAR(over(shifted, moments{}).mean, 1e9 + 0.5, 1e-6);
}

TEST(moments, have_the_error_of_pairwise_updating) {
  test::random_bits next(test::test_seed());
  for (int const shift : {0, 10, 20, 30})  // the mean is about 2^shift standard deviations
    for (std::size_t const n : {1000u, 65536u, 100003u}) {
      std::vector<double> x(n);
      int128 sum = 0, squares = 0;
      for (double& e : x) {
        auto const whole =
            static_cast<std::int64_t>((std::uint64_t{578} << shift) + next.below(2000));
        e = static_cast<double>(whole);
        sum += whole;
        squares += int128{whole} * whole;
      }
      auto const count = static_cast<int128>(n);
      auto const exact = static_cast<double>(count * squares - sum * sum) / static_cast<double>(n);
      double const condition = std::sqrt(static_cast<double>(squares) / exact);
      double const bound = condition * std::log2(static_cast<double>(n)) * 0x1p-53;
      EXPECT_LE(std::abs(over(x, moments{}).m2 / exact - 1), bound + 0x1p-51)
          << n << " elements, shift " << shift << ", " << test::seed_note();
    }
}

TEST(moments, say_nan_where_there_is_no_answer) {
  auto const none = over(std::vector<float>{}, moments{});
  EXPECT_EQ(none, detail::moments_of{});
  EXPECT_TRUE(std::isnan(none.variance()));
  EXPECT_TRUE(std::isnan(over(std::vector{5}, moments{}).sample_variance()));
  EXPECT_EQ(over(std::vector{5}, moments{}).variance(), 0);
  EXPECT_TRUE(std::isnan(over(std::vector{1., nan, 2.}, moments{}).mean));
  EXPECT_EQ(over(std::vector{inf, 1., inf, inf}, moments{}).mean, inf);
  EXPECT_TRUE(std::isnan(over(std::vector{inf, -inf}, moments{}).mean));
  EXPECT_EQ(over(std::vector{-1.5e308, 1.5e308}, moments{}).mean, 0);
}

TEST(first_last, give_the_ends_of_the_input) {
  std::vector<std::string> const x{"a", "b", "c"};
  EXPECT_EQ(*over(x, first{}), "a");
  EXPECT_EQ(*over(x, last{}), "c");
  EXPECT_FALSE(over(std::vector<int>{}, first{}).has_value());
  EXPECT_THROW((void)over(std::vector<int>{}, last{}).value(), precondition_error);
}

TEST(first_last, shift_by_one_as_an_exclusive_scan) {
  std::vector<float> const x{1, 2, 3};
  std::vector<float> out(3);
  exclusive_scan(x, out, last{}, {.initial = -1.0f});
  EXPECT_EQ(out, (std::vector<float>{-1, 1, 2}));
  EXPECT_THROW(exclusive_scan(x, out, last{}), precondition_error);
  std::vector<maybe<float>> present(3);
  exclusive_scan(x, present, last{});
  EXPECT_EQ(present, (std::vector<maybe<float>>{{}, 1.0f, 2.0f}));
}

TEST(gcd, agrees_with_std_gcd_and_holds_the_smallest_integer) {
  for (int a = -60; a <= 60; ++a)
    for (int b = -60; b <= 60; ++b)
      EXPECT_EQ(over(std::vector{a, b}, gcd{}), static_cast<std::uint64_t>(std::gcd(a, b)));
  auto const lowest = std::numeric_limits<std::int64_t>::min();
  EXPECT_EQ(over(std::vector{lowest, lowest}, gcd{}), std::uint64_t{1} << 63);
  EXPECT_EQ(over(std::vector<std::int8_t>{-128, 96}, gcd{}), 32u);
  EXPECT_EQ(over(std::vector<int>{}, gcd{}), 0u);
  EXPECT_TRUE(over(std::vector<int128>{int128{6} << 100, -(int128{9} << 90)}, gcd{}) == uint128{3}
                                                                                            << 90);
}

TEST(concat, joins_in_order_whatever_the_elements_are) {
  EXPECT_EQ(over(std::vector<std::string>{"up", "", "sweep"}, concat{}), "upsweep");
  EXPECT_EQ(over(std::vector<char>{'a', 'b', 'c'}, concat{}), "abc");
  EXPECT_EQ(over(std::vector<char const*>{"x", "yz"}, concat{}), "xyz");
  EXPECT_EQ(over(std::vector<std::string_view>{"x", "yz"}, concat{}), "xyz");
  EXPECT_EQ(over(std::vector<std::string>{}, concat{}), "");
  std::vector<std::string> out(3);
  exclusive_scan(std::vector<char>{'a', 'b', 'c'}, out, concat{}, {.initial = ">"});
  EXPECT_EQ(out, (std::vector<std::string>{">", ">a", ">ab"}));
}

TEST(tuple_of, applies_every_operator_to_the_same_elements) {
  std::vector<std::int8_t> const x{100, 100, -3, 100};
  auto const [total, smallest, where, stats, mine] =
      over(x, tuple_of{plus{}, min{}, argmax_last{}, moments{},
                       monoid([](long a, long b) { return a > b ? a : b; }, 0L)});
  EXPECT_EQ(total, 297);
  EXPECT_EQ(smallest, -3);
  EXPECT_EQ(where.index, 3u);
  EXPECT_EQ(stats.mean, 74.25);
  EXPECT_EQ(mine, 100);
}

TEST(tuple_of, derives_its_claims_from_its_parts) {
  using exact_pair = tuple_of<min, max>;
  using float_sum = tuple_of<min, plus>;
  static_assert(is_commutative<exact_pair> && !is_commutative<tuple_of<min, first>>);
  static_assert(is_exact<exact_pair, accumulator_t<exact_pair, float>>);
  static_assert(is_exact<float_sum, accumulator_t<float_sum, int>>);
  static_assert(!is_exact<float_sum, accumulator_t<float_sum, float>>);
  auto const no_identity = [](int a, int b) { return a < b ? a : b; };
  using without = tuple_of<plus, decltype(no_identity)>;
  static_assert(!monoid_over<without, accumulator_t<without, int>>);
  EXPECT_THROW((void)over(std::vector<int>{}, tuple_of{plus{}, no_identity}), precondition_error);
}

TEST(segmented, restarts_at_flags) {
  std::vector<flagged<int>> const x{{false, 1}, {false, 2}, {true, 3}, {false, 4}, {true, 5}};
  std::vector<std::int64_t> out(5);
  inclusive_scan(x, out, segmented{plus{}});
  EXPECT_EQ(out, (std::vector<std::int64_t>{1, 3, 3, 7, 5}));
  exclusive_scan(x, out, segmented{plus{}});
  EXPECT_EQ(out, (std::vector<std::int64_t>{0, 1, 3, 3, 7}));
  EXPECT_EQ(over(x, segmented{plus{}}), 5);
}

TEST(segmented, keeps_the_order_and_the_indices_of_what_it_wraps) {
  std::vector<flagged<char>> const x{{true, 'a'}, {false, 'b'}, {true, 'c'}, {false, 'd'}};
  std::vector<std::string> out(4);
  inclusive_scan(x, out, segmented{concat{}});
  EXPECT_EQ(out, (std::vector<std::string>{"a", "ab", "c", "cd"}));
  EXPECT_EQ(over(x, segmented{argmax{}}).index, 3u);
}

TEST(arithmetic, sums_and_multiplies_complex_numbers) {
  using c = std::complex<double>;
  std::vector<c> const x{{1, 2}, {3, -1}};
  EXPECT_EQ(over(x, plus{}), c(4, 1));
  EXPECT_EQ(over(x, multiplies{}), c(5, 5));
  EXPECT_EQ(over(std::vector<c>{}, multiplies{}), c(1, 0));
}

TEST(operators, are_usable_in_constant_expressions) {
  static_assert(min{}(1, 2) == 1 && max_number{}(nan, 2.0) == 2.0 && gcd{}(12u, 18u) == 6u);
  static_assert(affine{}(affine_map<int>{2, 0}, affine_map<int>{1, 1}).b == 1);
  static_assert(argmin{}(indexed<int>{1, 4}, indexed<int>{1, 2}).index == 2);
  static_assert(moments{}(moments{}.lift(1), moments{}.lift(3)).variance() == 1);
  static_assert(std::get<0>(tuple_of{plus{}, max{}}(std::tuple(1, 2), std::tuple(3, 4))) == 4);
  static_assert(segmented{plus{}}(flagged<int>{false, 1}, flagged<int>{false, 2}).value == 3);
  static_assert(*first{}(maybe<int>(1), maybe<int>(2)) == 1);
}

}  // namespace
}  // namespace upsweep
