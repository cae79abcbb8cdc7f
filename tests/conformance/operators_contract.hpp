/// Every operator of the catalog, on elements that it supports.
#pragma once

#include <conformance/checks.hpp>
#include <conformance/contract_test.hpp>
#include <support/types.hpp>
#include <upsweep/ops/catalog.hpp>

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>
#include <tuple>
#include <type_traits>
#include <vector>

namespace upsweep::test {

template <class... T>
struct on_elements {
  using types = std::tuple<T...>;
};
/// The elements on which `Op` is tested.
template <class Op>
struct elements_for : on_elements<std::int32_t, double> {};
template <class Op>
  requires(Op::about.takes == catalog::operand_kind::integers)
struct elements_for<Op> : on_elements<std::int32_t, std::uint64_t> {};
template <>
struct elements_for<bit_and> : on_elements<std::uint8_t, std::int64_t> {};
template <>
struct elements_for<bit_or> : on_elements<std::uint16_t, std::int64_t> {};
template <>
struct elements_for<bit_xor> : on_elements<std::uint32_t, std::int64_t> {};
template <>
struct elements_for<logical_and> : on_elements<bool, std::int32_t> {};
template <>
struct elements_for<logical_or> : on_elements<bool, std::int32_t> {};
template <>
struct elements_for<logical_xor> : on_elements<bool, std::int32_t> {};
template <>
struct elements_for<min> : on_elements<std::int8_t, std::uint64_t, float, double> {};
template <>
struct elements_for<max> : on_elements<std::int16_t, std::uint32_t, float, double> {};
template <>
struct elements_for<affine> : on_elements<upsweep::affine_map<float>, upsweep::affine_map<double>,
                                          upsweep::affine_map<std::int64_t>> {};
template <>
struct elements_for<matrix2x2_product> : on_elements<matrix2x2<double>, matrix2x2<std::int64_t>> {};
template <>
struct elements_for<concat> : on_elements<std::string> {};
template <>
struct elements_for<exact_sum> : on_elements<float, double> {};
template <>
struct elements_for<log_sum_exp> : on_elements<float, double> {};
template <>
struct elements_for<moments> : on_elements<float, double> {};
template <>
struct elements_for<central_moments> : on_elements<double> {};
template <class Op>
  requires(Op::about.takes == catalog::operand_kind::pairs)
struct elements_for<Op> : on_elements<xy<double>> {};
template <>
struct elements_for<checked_plus<>> : on_elements<std::int32_t, std::uint16_t> {};
template <>
struct elements_for<checked_multiplies<>> : on_elements<std::int8_t> {};

/// Random elements for an operator: any values, or numbers of moderate size where results would
/// otherwise soon be infinite or overflow.
template <class Op, class T>
std::vector<T> elements_of(std::size_t n) {
  random_bits next(test_seed() + n);
  std::vector<T> x;
  while (x.size() < n) {
    if constexpr (std::is_same_v<Op, checked_multiplies<>>)
      x.push_back(static_cast<T>(next.below(2) == 0 ? 1 : -1));
    else if constexpr (std::is_same_v<Op, log_sum_exp>)
      x.push_back(static_cast<T>(small(next) * 50));
    else if constexpr (std::is_same_v<Op, logical_and>)
      x.push_back(next.below(500) != 0);
    else if constexpr (requires { T{}.c; })
      x.push_back({random_element<decltype(T::a)>(next), random_element<decltype(T::a)>(next),
                   random_element<decltype(T::a)>(next), random_element<decltype(T::a)>(next)});
    else if constexpr (requires { T{}.y; })
      x.push_back({small(next), std::abs(small(next))});
    else if constexpr (requires { T{}.b; })
      x.push_back(
          {static_cast<decltype(T::a)>(small(next) * 2), random_element<decltype(T::a)>(next)});
    else
      x.push_back(random_element<T>(next));
  }
  return x;
}

/// Small sizes, odd ones and, unless the accumulators are large, one for several threads.
template <class A>
std::vector<std::size_t> operator_sizes() {
  if constexpr (!std::is_trivially_copyable_v<A>) return {0, 1, 2, 17, 100, 700};
  return {0, 1, 2, 17, 100, 1009, sizeof(A) > 64 ? 5003u : 20011u};
}

/// Whether `E` supports the operator and the elements: yes, unless it lists what it supports.
template <class E, class Op, class T>
constexpr bool can_take() {
  if constexpr (requires { E::template takes<Op, T>; })
    return E::template takes<Op, T>;
  else
    return true;
}

template <class T, class E, class Op>
testing::AssertionResult operator_follows_tree(E const& on, std::string_view name, Op const& op) {
  using A = accumulator_t<Op, T>;
  for (std::size_t const n : operator_sizes<A>()) {
    auto in = elements_of<Op, T>(n + 1);
    A const initial = detail::lift(op, in.back(), 0);
    in.pop_back();
    if (auto r = follows_tree(on, in, op, initial); !r)
      return r << "; operator " << std::string(name);
  }
  return testing::AssertionSuccess();
}

enum class element_kind { integer, real, other };

template <class T>
inline constexpr element_kind kind_of = detail::is_integer<T> ? element_kind::integer
                                        : detail::is_float<T> ? element_kind::real
                                                              : element_kind::other;

/// The whole catalog, on elements of one kind: one source with all kinds would take minutes to
/// compile.
template <element_kind kind, class E>
void expect_catalog_follows_tree(E const& on) {
  catalog::for_each_operator([&](std::string_view name, auto const& op) {
    using Op = std::remove_cvref_t<decltype(op)>;
    auto const try_elements = [&]<class T>(std::type_identity<T>) {
      if constexpr (kind_of<T> == kind && can_take<E, Op, T>()) {
        EXPECT_TRUE((operator_follows_tree<T>(on, name, op)));
      }
    };
    [&]<class... T>(std::type_identity<std::tuple<T...>>) {
      (try_elements(std::type_identity<T>{}), ...);
    }(std::type_identity<typename elements_for<Op>::types>{});
  });
}

template <class Backend>
class integer_operators_contract : public testing::Test {};
TYPED_TEST_SUITE_P(integer_operators_contract);
CONTRACT_TEST(integer_operators_contract, whole_catalog_follows_the_tree) {
  expect_catalog_follows_tree<element_kind::integer>(TypeParam::make());
}
REGISTER_TYPED_TEST_SUITE_P(integer_operators_contract, whole_catalog_follows_the_tree);

template <class Backend>
class structure_operators_contract : public testing::Test {};
TYPED_TEST_SUITE_P(structure_operators_contract);
CONTRACT_TEST(structure_operators_contract, whole_catalog_follows_the_tree) {
  expect_catalog_follows_tree<element_kind::other>(TypeParam::make());
}
REGISTER_TYPED_TEST_SUITE_P(structure_operators_contract, whole_catalog_follows_the_tree);

template <class Backend>
class float_operators_contract : public testing::Test {};
TYPED_TEST_SUITE_P(float_operators_contract);
CONTRACT_TEST(float_operators_contract, whole_catalog_follows_the_tree) {
  expect_catalog_follows_tree<element_kind::real>(TypeParam::make());
}

/// NaN, infinities and signed zeros, dense and rare, in every operator that selects among numbers.
template <class Op, class E>
void expect_special_values_follow_tree(E const& on, Op const& op) {
  for (std::uint64_t const rarity : {0u, 2u, 50u, 3000u})
    for (std::size_t const n : {1u, 2u, 16u, 33u, 1009u, 20011u})
      EXPECT_TRUE(
          follows_tree(on, elements_with_specials<float>(n, rarity, test_seed() + n + rarity), op));
}
CONTRACT_TEST(float_operators_contract, special_values_are_ordered_in_the_same_way_everywhere) {
  expect_special_values_follow_tree(TypeParam::make(), min{});
  expect_special_values_follow_tree(TypeParam::make(), max{});
  expect_special_values_follow_tree(TypeParam::make(), min_number{});
  expect_special_values_follow_tree(TypeParam::make(), max_number{});
  expect_special_values_follow_tree(TypeParam::make(), argmin{});
  expect_special_values_follow_tree(TypeParam::make(), argmax_last{});
}
REGISTER_TYPED_TEST_SUITE_P(float_operators_contract, whole_catalog_follows_the_tree,
                            special_values_are_ordered_in_the_same_way_everywhere);

}  // namespace upsweep::test
