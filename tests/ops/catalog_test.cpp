/// Every operator of the catalog.
#include <ops/elements_of.hpp>
#include <support/random.hpp>
#include <upsweep/generic/reference.hpp>
#include <upsweep/ops/describe.hpp>
#include <upsweep/ops/laws.hpp>
#include <upsweep/upsweep.hpp>

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include <rapidcheck.h>

namespace upsweep {
namespace {

// Every operator of the catalog obeys the monoid laws over every type that it supports, including
// special values, and its entry in the catalog is right.

using test::element;

template <class T>
std::vector<T> elements(std::vector<std::uint64_t> const& words) {
  std::vector<T> x;
  for (std::uint64_t const word : words) x.push_back(element<T>(word));
  return x;
}

RC_GTEST_PROP(catalog, operators_obey_their_laws, ()) {
  auto const words = *rc::gen::resize(
      12, rc::gen::container<std::vector<std::uint64_t>>(rc::gen::oneOf(
              rc::gen::arbitrary<std::uint64_t>(), rc::gen::inRange<std::uint64_t>(0, 999))));
  auto const seed = *rc::gen::arbitrary<std::uint64_t>();
  test::for_each_case([&](std::string_view name, auto const& op, auto type) {
    using T = typename decltype(type)::type;
    auto const found = check_monoid(op, elements<T>(words), {.triples = 40, .seed = seed});
    if (found) RC_FAIL(std::string(name) + ", " + std::string(test::name_of<T>()) + ": " + *found);
  });
}

TEST(catalog, operators_obey_their_laws_on_all_triples_of_special_values) {
  std::vector<std::uint64_t> words{0, 1, 2, 9, 11};
  for (std::uint64_t i = 0; i < 10; ++i) words.push_back(16 * i + 15 + ((i * 37) << 8));
  test::for_each_case([&](std::string_view name, auto const& op, auto type) {
    using T = typename decltype(type)::type;
    EXPECT_EQ(check_monoid(op, elements<T>(words), {.triples = 3375}), std::nullopt)
        << name << ", " << test::name_of<T>();
  });
}

TEST(catalog, claims_what_the_operators_claim) {
  std::vector<catalog::operator_entry> left(catalog::operators.begin(), catalog::operators.end());
  test::for_each_case([&](std::string_view name, auto const& op, auto type) {
    using Op = std::remove_cvref_t<decltype(op)>;
    using T = typename decltype(type)::type;
    using A = accumulator_t<Op, T>;
    auto const row = std::ranges::find(catalog::operators, name, &catalog::operator_entry::name);
    ASSERT_NE(row, catalog::operators.end()) << name;
    EXPECT_EQ(row->commutative, is_commutative<Op>) << name;
    bool const has_floats = !detail::laws::floats(detail::lift(op, element<T>(0), 0)).empty();
    bool const exact = row->exact == catalog::exactness::always ||
                       (row->exact == catalog::exactness::integers_only && !has_floats);
    EXPECT_EQ((is_exact<Op, A>), exact) << name << ", " << test::name_of<T>();
    EXPECT_TRUE((monoid_over<Op, A>)) << name << ", " << test::name_of<T>();
    std::erase_if(left, [&](catalog::operator_entry const& e) { return e.name == name; });
  });
  for (auto const& e : left)
    ADD_FAILURE() << e.name << " is listed, but for_each_operator does not visit it";
}

TEST(catalog, names_every_operator_once_and_says_something_about_it) {
  std::set<std::string_view> names;
  for (auto const& e : catalog::operators) {
    EXPECT_TRUE(names.insert(e.name).second) << e.name;
    for (auto const text : {e.meaning, e.identity, e.accumulator, e.example, e.result})
      EXPECT_FALSE(text.empty()) << e.name;
  }
  for (auto const& d : catalog::derived) {
    EXPECT_TRUE(names.insert(d.name).second) << d.name;
    EXPECT_LT(static_cast<std::size_t>(d.from), catalog::operator_count) << d.name;
  }
}

// Every operator of the catalog through reduce and both scans, against the definition in
// reference.hpp.

/// A mistake in the operator's operand order, lift, absorb or finish would show in one of these.
template <class Op, class T, class E>
void expect_as_defined(std::string_view name, E const& on, std::vector<T> const& x, Op const& op) {
  using R = result_t<Op, T>;
  SCOPED_TRACE(std::string(name) + ", " + std::string(test::name_of<T>()) + ", " +
               std::to_string(x.size()) + " elements, " + test::seed_note());
  if (x.empty() && detail::refuses_empty<Op>)
    return;  // errors_contract.empty_input_has_no_largest_element
  R const total = reduce(on, x, op), expected_total = reference::reduce(x, op);
  EXPECT_TRUE(detail::parts::same(total, expected_total))
      << describe(total) << " instead of " << describe(expected_total);
  if (x.empty()) return;
  auto const inclusive = reference::inclusive_scan(x, op),
             exclusive = reference::exclusive_scan(x, op);
  auto const expect = [&](std::vector<R> const& out, std::vector<R> const& expected) {
    for (std::size_t i = 0; i < x.size(); ++i) {
      R const got = out[i], want = expected[i];
      ASSERT_TRUE(detail::parts::same(got, want))
          << "at " << i << ": " << describe(got) << " instead of " << describe(want);
    }
  };
  std::vector<R> out(x.size());
  inclusive_scan(on, x, out, op);
  expect(out, inclusive);
  out.assign(x.size(), R{});
  exclusive_scan(on, x, out, op);
  expect(out, exclusive);
}

/// A random element; only 1 for operators that throw when they overflow (checked_test.cpp has
/// those).
template <bool may_overflow, class T>
T harmless(std::uint64_t word) {
  if constexpr (may_overflow)
    return T{1};
  else
    return test::element<T>(word);
}

TEST(catalog, operators_give_what_the_reference_defines) {
  test::random_bits next(test::test_seed());
  test::for_each_end_case(
      [&]<class Op, class T>(std::string_view name, Op const& op, std::type_identity<T>) {
        constexpr bool may_overflow = requires(accumulator_t<Op, T> const& a) { op.accepts(a); };
        for (std::size_t const n : {std::size_t{0}, std::size_t{1}, std::size_t{2}, std::size_t{7},
                                    std::size_t{64}, std::size_t{100}}) {
          std::vector<T> x;
          while (x.size() < n) x.push_back(harmless<may_overflow, T>(next()));
          expect_as_defined(name, serial{}, x, op);
        }
      });
}

}  // namespace
}  // namespace upsweep
