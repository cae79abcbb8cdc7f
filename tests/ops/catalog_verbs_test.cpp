/// Every operator of the catalog through reduce and both scans, against the definition in
/// reference.hpp.
#include <ops/elements_of.hpp>
#include <support/random.hpp>
#include <upsweep/generic/reference.hpp>
#include <upsweep/ops/describe.hpp>
#include <upsweep/upsweep.hpp>

#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

namespace upsweep {
namespace {

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
