/// All forms of calls of the verbs in C++: fused functions, ranges of any kind, outputs anywhere in
/// memory.
#pragma once

#include <conformance/checks.hpp>
#include <conformance/contract_test.hpp>
#include <support/sizes.hpp>
#include <support/types.hpp>

#include <array>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <ranges>
#include <span>
#include <string>
#include <type_traits>
#include <vector>

namespace upsweep::test {

/// reduce and both scans of any range, into any range of the same size, forwards and reversed.
template <class E, class In, class Out, class Op, class A>
testing::AssertionResult range_follows_tree(E const& on, In const& in, Out& out, Op const& op,
                                            A const& initial) {
  for (bool const reverse : {false, true}) {
    options<A> const o{.initial = initial, .reverse = reverse};
    auto const v = values_by_tree(in, op, o);
    if (auto const r = reduce_is(v, on, in, op, o); !r) return r;
    upsweep::inclusive_scan(on, in, out, op, o);
    if (auto const r = holds_scan<scan_kind::inclusive>(v, out, op, o); !r) return r;
    upsweep::exclusive_scan(on, in, out, op, o);
    if (auto const r = holds_scan<scan_kind::exclusive>(v, out, op, o); !r) return r;
  }
  return testing::AssertionSuccess();
}

inline std::vector<std::size_t> form_sizes() {
  return {0, 1, 2, 17, 100, 1009, 4097, many};
}

template <class Backend>
class forms_contract : public testing::Test {};
TYPED_TEST_SUITE_P(forms_contract);

CONTRACT_TEST(forms_contract, transform_is_applied_to_each_element_before_the_operator) {
  squared const square;
  for (std::size_t const n : form_sizes()) {
    auto const in = random_elements<float>(n);
    std::vector<double> squares, out(n);
    for (float const x : in) squares.push_back(square(x));
    for (bool const reverse : {false, true}) {
      options<double> const o{.initial = 0.1, .reverse = reverse};
      auto const v = values_by_tree(squares, plus{}, o);
      ASSERT_TRUE(equal_at("transform_reduce", n,
                           upsweep::transform_reduce(TypeParam::make(), in, square, plus{}, o),
                           n == 0 ? 0.1 : v.inclusive.back()));
      upsweep::transform_inclusive_scan(TypeParam::make(), in, out, square, plus{}, o);
      ASSERT_TRUE((holds_scan<scan_kind::inclusive>(v, out, plus{}, o)));
      upsweep::transform_exclusive_scan(TypeParam::make(), in, out, square, plus{}, o);
      ASSERT_TRUE((holds_scan<scan_kind::exclusive>(v, out, plus{}, o)));
    }
  }
}

CONTRACT_TEST(forms_contract, transform_in_place) {
  halved const half;
  for (std::size_t const n : form_sizes()) {
    std::vector<double> both = random_elements<double>(n), halves;
    for (double const x : both) halves.push_back(half(x));
    options<double> const o{.reverse = true};
    auto const v = values_by_tree(halves, plus{}, o);
    upsweep::transform_exclusive_scan(TypeParam::make(), both, both, half, plus{}, o);
    ASSERT_TRUE((holds_scan<scan_kind::exclusive>(v, both, plus{}, o)));
  }
}

/// What the reference says about f(x[i], y[i]), forwards and reversed, with an initial value and
/// without, is what the two-range forms give.
template <class E, class X, class Y, class F, class Op, class A>
testing::AssertionResult pairs_follow_tree(E const& on, X const& x, Y const& y, F const& f,
                                           Op const& op, A const& initial) {
  auto const both = reference::transformed(x, y, f);
  using R = result_t<Op, typename std::remove_cvref_t<decltype(both)>::value_type>;
  std::vector<R> out(both.size());
  for (bool const reverse : {false, true})
    for (bool const with_initial : {false, true}) {
      options<A> o{.reverse = reverse};
      if (with_initial) o.initial.emplace(initial);
      auto const v = values_by_tree(both, op, o);
      auto const total = both.empty() ? *v.exclusive_0 : v.inclusive.back();
      if (auto const r =
              equal_at<R>(form("transform_reduce of two ranges", both.size(), o), 0,
                          upsweep::transform_reduce(on, x, y, f, op, o), detail::finish(op, total));
          !r)
        return r;
      upsweep::transform_inclusive_scan(on, x, y, out, f, op, o);
      if (auto const r = holds_scan<scan_kind::inclusive>(v, out, op, o); !r) return r;
      upsweep::transform_exclusive_scan(on, x, y, out, f, op, o);
      if (auto const r = holds_scan<scan_kind::exclusive>(v, out, op, o); !r) return r;
    }
  return testing::AssertionSuccess();
}

CONTRACT_TEST(forms_contract, function_of_two_ranges_is_applied_before_the_operator) {
  if (is_device<TypeParam>) GTEST_SKIP() << "the tests have no kernels for it";
  auto const on = TypeParam::make();
  auto const product = [](auto a, auto b) { return a * b; };
  auto const pair = [](tree_name a, unsigned short b) { return name_tree{}(a, tree_name{b}); };
  for (std::size_t const n : form_sizes()) {
    auto const x = random_elements<float>(n), y = random_elements<float>(n, test_seed() + 1);
    ASSERT_TRUE(pairs_follow_tree(on, x, y, product, plus{}, 0.1f));
    ASSERT_TRUE(pairs_follow_tree(on, x, y, std::less<>{}, plus{}, std::uint64_t{7}));
    ASSERT_TRUE(pairs_follow_tree(on, random_elements<std::int8_t>(n),
                                  random_elements<std::int16_t>(n), product, plus{},
                                  std::int64_t{-9}));
    ASSERT_TRUE(pairs_follow_tree(on, random_elements<tree_name>(n),
                                  random_elements<unsigned short>(n), pair, name_tree{},
                                  tree_name{5}));
  }
}

CONTRACT_TEST(forms_contract, two_ranges_may_be_of_any_kind) {
  if (is_device<TypeParam>) GTEST_SKIP() << "such ranges are in the host's memory";
  auto const on = TypeParam::make();
  auto const weighted = [](double w, auto x) { return w * static_cast<double>(x); };
  for (std::size_t const n : form_sizes()) {
    auto const x = random_elements<double>(n);
    std::deque<double> const pieces(x.begin(), x.end());
    auto const numbers = std::views::iota(std::uint32_t{7}, static_cast<std::uint32_t>(7 + n));
    auto const flags = random_elements<bool>(n);
    auto const negated = std::views::transform(x, [](double v) { return -v; });
    ASSERT_TRUE(pairs_follow_tree(on, x, numbers, weighted, plus{}, 1.5));
    ASSERT_TRUE(pairs_follow_tree(on, pieces, flags, weighted, plus{}, 1.5));
    ASSERT_TRUE(pairs_follow_tree(on, std::views::reverse(x), negated, weighted, plus{}, 1.5));
    if (n > 0) {
      ASSERT_TRUE(pairs_follow_tree(on, x, x, weighted, argmax{}, indexed<double>{0.5, 2}));
    }
  }
}

CONTRACT_TEST(forms_contract, scans_of_two_ranges_in_place) {
  if (is_device<TypeParam>) GTEST_SKIP() << "the tests have no kernels for it";
  auto const on = TypeParam::make();
  auto const product = [](double a, double b) { return a * b; };
  for (std::size_t const n : form_sizes()) {
    auto const x = random_elements<double>(n), y = random_elements<double>(n, test_seed() + 1);
    options<double> const o{.initial = 0.5, .reverse = true};
    auto const v = values_by_tree(reference::transformed(x, y, product), plus{}, o);
    auto first = x, second = y, square = x;
    upsweep::transform_inclusive_scan(on, first, y, first, product, plus{}, o);
    ASSERT_TRUE((holds_scan<scan_kind::inclusive>(v, first, plus{}, o)));
    upsweep::transform_exclusive_scan(on, x, second, second, product, plus{}, o);
    ASSERT_TRUE((holds_scan<scan_kind::exclusive>(v, second, plus{}, o)));
    upsweep::transform_inclusive_scan(on, square, square, square, product, plus{}, o);
    auto const squares = values_by_tree(reference::transformed(x, x, product), plus{}, o);
    ASSERT_TRUE((holds_scan<scan_kind::inclusive>(squares, square, plus{}, o)));
  }
}

CONTRACT_TEST(forms_contract, deque_in_and_deque_out) {
  if (is_device<TypeParam>) GTEST_SKIP() << "a deque's pieces are in the host's memory";
  for (std::size_t const n : form_sizes()) {
    auto const x = random_elements<tree_name>(n);
    std::deque<tree_name> const in(x.begin(), x.end());
    std::deque<tree_name> out(n);
    ASSERT_TRUE(range_follows_tree(TypeParam::make(), in, out, name_tree{}, tree_name{5}));
  }
}

CONTRACT_TEST(forms_contract, deque_in_place) {
  if (is_device<TypeParam>) GTEST_SKIP() << "a deque's pieces are in the host's memory";
  for (std::size_t const n : form_sizes()) {
    auto const x = random_elements<tree_name>(n);
    std::deque<tree_name> both(x.begin(), x.end());
    auto const v = values_by_tree(x, name_tree{}, options<tree_name>{});
    upsweep::inclusive_scan(TypeParam::make(), both, both, name_tree{});
    ASSERT_TRUE((holds_scan<scan_kind::inclusive>(v, both, name_tree{}, options<tree_name>{})));
  }
}

CONTRACT_TEST(forms_contract, views_are_read_as_they_are) {
  if (is_device<TypeParam>)
    GTEST_SKIP()
        << "views of the host's memory; tests/cuda/verbs_on_gpu.cu has iterators of the device";
  for (std::size_t const n : form_sizes()) {
    auto const x = random_elements<double>(n);
    std::vector<double> out(n);
    auto const negated = std::views::transform(x, [](double v) { return -v; });
    ASSERT_TRUE(range_follows_tree(TypeParam::make(), negated, out, plus{}, 1.5));
    auto const backwards = std::views::reverse(x);
    ASSERT_TRUE(range_follows_tree(TypeParam::make(), backwards, out, plus{}, 1.5));
    auto const numbers = std::views::iota(std::uint32_t{7}, static_cast<std::uint32_t>(7 + n));
    ASSERT_TRUE(range_follows_tree(TypeParam::make(), numbers, out, plus{}, std::uint64_t{1}));
  }
}

CONTRACT_TEST(forms_contract, vector_of_bool_is_counted) {
  if (is_device<TypeParam>) GTEST_SKIP() << "a std::vector of bool is no array";
  for (std::size_t const n : form_sizes()) {
    auto const in = random_elements<bool>(n);
    std::vector<int> out(n);
    ASSERT_TRUE(range_follows_tree(TypeParam::make(), in, out, plus{}, std::uint64_t{3}));
  }
}

CONTRACT_TEST(forms_contract, unaligned_starts_do_not_change_the_bits) {
  auto const memory = random_elements<float>(4096 + 64);
  for (std::size_t start = 0; start < 64; ++start) {
    auto const in = std::span(memory).subspan(start, 4001);
    fenced<float> out(in.size());
    upsweep::inclusive_scan(TypeParam::make(), in, out.inside());
    auto const v = values_by_tree(in, plus{}, options<float>{});
    ASSERT_TRUE((holds_scan<scan_kind::inclusive>(v, out.inside(), plus{}, options<float>{})))
        << "start = " << start;
    ASSERT_TRUE(out.intact());
  }
}

CONTRACT_TEST(forms_contract, arrays_and_temporaries_are_ranges) {
  int const in[] = {1, 2, 3, 4};
  std::array<int, 4> out{};
  upsweep::inclusive_scan(TypeParam::make(), in, out);
  EXPECT_EQ(out, (std::array{1, 3, 6, 10}));
  upsweep::exclusive_scan(TypeParam::make(), in, std::span(out), plus{}, {.initial = 100});
  EXPECT_EQ(out, (std::array{100, 101, 103, 106}));
  EXPECT_EQ(upsweep::reduce(TypeParam::make(), std::vector{1.5, 2.5}), 4.0);
}

CONTRACT_TEST(forms_contract, plain_callable_works_where_no_identity_is_needed) {
  larger_of_two const larger;
  for (std::size_t const n : form_sizes()) {
    if (n == 0) continue;
    auto const in = random_elements<int>(n);
    ASSERT_TRUE(follows_tree(TypeParam::make(), in, larger, 12345));
  }
  EXPECT_EQ(upsweep::reduce(TypeParam::make(), std::vector<int>{}, larger, {.initial = 9}), 9);
}

CONTRACT_TEST(forms_contract, user_defined_operator_with_its_identity) {
  auto const mixed = upsweep::monoid(mixed_up{}, 12ul);
  for (std::size_t const n : form_sizes())
    ASSERT_TRUE(follows_tree(TypeParam::make(), random_elements<unsigned short>(n), mixed, 17ul));
}

CONTRACT_TEST(forms_contract, function_pointer_is_an_operator) {
  if (is_device<TypeParam>) GTEST_SKIP() << "a device cannot call functions of the host";
  auto* const f = +[](double a, double b) { return a * 0.5 + b; };
  ASSERT_TRUE(follows_tree(TypeParam::make(), random_elements<double>(1009), f, 2.0));
}

CONTRACT_TEST(forms_contract, initial_value_is_left_of_all_elements) {
  if (is_device<TypeParam>) GTEST_SKIP() << "a device cannot hold strings";
  std::vector<std::string> const x{"b", "c", "d"};
  std::vector<std::string> out(3);
  EXPECT_EQ(upsweep::reduce(TypeParam::make(), x, concatenate{}, {.initial = "a"}), "abcd");
  EXPECT_EQ(upsweep::reduce(TypeParam::make(), x, concatenate{}, {.initial = "a", .reverse = true}),
            "adcb");
  upsweep::exclusive_scan(TypeParam::make(), x, out, concatenate{},
                          {.initial = "a", .reverse = true});
  EXPECT_EQ(out, (std::vector<std::string>{"adc", "ad", "a"}));
}

CONTRACT_TEST(forms_contract, options_without_an_operator_are_those_of_a_sum) {
  auto const on = TypeParam::make();
  std::vector<int> const in{1, 2, 3, 4};
  std::vector<int> out(4), sums(2);
  EXPECT_EQ(upsweep::reduce(on, in, {.initial = 10}), 20);
  EXPECT_EQ(upsweep::reduce(on, std::vector<int>{}, {.initial = 10}), 10);
  upsweep::inclusive_scan(on, in, out, {.initial = 10, .reverse = true});
  EXPECT_EQ(out, (std::vector{20, 19, 17, 14}));
  upsweep::exclusive_scan(on, in, out, {.initial = 10});
  EXPECT_EQ(out, (std::vector{10, 11, 13, 16}));
  strided_view<int const> const rows(in.data(), {2, 2});
  upsweep::inclusive_scan(on, rows, strided_view<int>(out.data(), {2, 2}), {.axis = 0});
  EXPECT_EQ(out, (std::vector{1, 2, 4, 6}));
  upsweep::exclusive_scan(on, rows, strided_view<int>(out.data(), {2, 2}),
                          {.initial = 10, .axis = 0});
  EXPECT_EQ(out, (std::vector{10, 10, 11, 12}));
  upsweep::reduce(on, rows, strided_view<int>(sums.data(), {2}), {.initial = 10, .axis = 0});
  EXPECT_EQ(sums, (std::vector{14, 16}));
}

CONTRACT_TEST(forms_contract, options_without_an_operator_follow_the_function) {
  auto const on = TypeParam::make();
  std::vector<double> const in{2, 4, 6};
  std::vector<double> out(3);
  EXPECT_EQ(upsweep::transform_reduce(on, in, halved{}, {.initial = 10}), 16.0);
  upsweep::transform_inclusive_scan(on, in, out, halved{}, {.initial = 10});
  EXPECT_EQ(out, (std::vector{11.0, 13.0, 16.0}));
  upsweep::transform_exclusive_scan(on, in, out, halved{}, {.initial = 10, .reverse = true});
  EXPECT_EQ(out, (std::vector{15.0, 13.0, 10.0}));
}

CONTRACT_TEST(forms_contract, two_ranges_have_the_same_optional_arguments) {
  if (is_device<TypeParam>) GTEST_SKIP() << "the tests have no kernels for it";
  auto const on = TypeParam::make();
  int const x[] = {1, 2, 3};
  std::vector<double> const y{2, 4, 6};
  std::array<double, 3> out{};
  auto const product = [](int a, double b) { return a * b; };
  EXPECT_EQ(upsweep::transform_reduce(on, x, y, product), 28.0);
  EXPECT_EQ(upsweep::transform_reduce(on, x, y, product, {.initial = 10}), 38.0);
  EXPECT_EQ(upsweep::transform_reduce(on, x, y, product, upsweep::max{}), 18.0);
  EXPECT_EQ(upsweep::transform_reduce(on, x, y, product, {}, {.initial = 10}), 38.0);
  EXPECT_EQ(upsweep::transform_reduce(x, y, product), 28.0);
  EXPECT_EQ(upsweep::transform_reduce(x, y, product, {.initial = 10}), 38.0);
  EXPECT_EQ(upsweep::transform_reduce(x, y, product, upsweep::max{}, {.initial = 20}), 20.0);
  upsweep::transform_inclusive_scan(on, x, y, out, product);
  EXPECT_EQ(out, (std::array{2.0, 10.0, 28.0}));
  upsweep::transform_inclusive_scan(x, y, std::span(out), product, {.reverse = true});
  EXPECT_EQ(out, (std::array{28.0, 26.0, 18.0}));
  upsweep::transform_inclusive_scan(x, y, out, product, upsweep::min{}, {.reverse = true});
  EXPECT_EQ(out, (std::array{2.0, 8.0, 18.0}));
  upsweep::transform_exclusive_scan(on, x, y, out, product, {.initial = 1});
  EXPECT_EQ(out, (std::array{1.0, 3.0, 11.0}));
  upsweep::transform_exclusive_scan(x, y, out, product);
  EXPECT_EQ(out, (std::array{0.0, 2.0, 10.0}));
  upsweep::transform_exclusive_scan(x, y, out, product, upsweep::max{}, {.initial = 5});
  EXPECT_EQ(out, (std::array{5.0, 5.0, 8.0}));
}

struct person {
  int age;
  [[nodiscard]] int months() const { return 12 * age; }
  [[nodiscard]] int years_after(int year) const { return age - year; }
};

CONTRACT_TEST(forms_contract, pointer_to_a_member_is_a_function) {
  if (is_device<TypeParam>) GTEST_SKIP() << "the tests have no kernels for it";
  auto const on = TypeParam::make();
  for (std::size_t const n : form_sizes()) {
    std::vector<person> people;
    std::vector<person const*> pointers;
    for (int const x : random_elements<std::uint8_t>(n)) people.push_back({x});
    for (person const& p : people) pointers.push_back(&p);
    std::int64_t years = 0;
    std::vector<std::int64_t> before, with, out(n);
    for (person const& p : people) {
      before.push_back(years);
      with.push_back(years += p.age);
    }
    auto const by_value = std::views::transform(
        people, [](person const& p) { return p; });  // elements that are temporaries
    ASSERT_EQ(upsweep::transform_reduce(on, people, &person::age), years) << "n = " << n;
    ASSERT_EQ(upsweep::transform_reduce(on, people, &person::months, plus{}), 12 * years)
        << "n = " << n;
    ASSERT_EQ(upsweep::transform_reduce(on, pointers, &person::age), years) << "n = " << n;
    ASSERT_EQ(upsweep::transform_reduce(on, pointers, &person::months), 12 * years) << "n = " << n;
    ASSERT_EQ(upsweep::transform_reduce(on, by_value, &person::age), years) << "n = " << n;
    upsweep::transform_inclusive_scan(on, people, out, &person::age);
    ASSERT_EQ(out, with);
    upsweep::transform_exclusive_scan(on, pointers, out, &person::age);
    ASSERT_EQ(out, before);
    std::vector<int> const birth(n, 3);
    auto const three = static_cast<std::int64_t>(3 * n);
    ASSERT_EQ(upsweep::transform_reduce(on, people, birth, &person::years_after), years - three);
    ASSERT_EQ(upsweep::transform_reduce(on, pointers, birth, &person::years_after), years - three);
  }
}

REGISTER_TYPED_TEST_SUITE_P(
    forms_contract, transform_is_applied_to_each_element_before_the_operator, transform_in_place,
    function_of_two_ranges_is_applied_before_the_operator, two_ranges_may_be_of_any_kind,
    scans_of_two_ranges_in_place, two_ranges_have_the_same_optional_arguments,
    deque_in_and_deque_out, deque_in_place, views_are_read_as_they_are, vector_of_bool_is_counted,
    unaligned_starts_do_not_change_the_bits, arrays_and_temporaries_are_ranges,
    plain_callable_works_where_no_identity_is_needed, user_defined_operator_with_its_identity,
    function_pointer_is_an_operator, initial_value_is_left_of_all_elements,
    options_without_an_operator_are_those_of_a_sum, options_without_an_operator_follow_the_function,
    pointer_to_a_member_is_a_function);

}  // namespace upsweep::test
