/// Contract 2 for calls on a few elements, which have code of their own: every number of elements
/// up to 70, also with an initial value, in place and reversed.
#include <support/bits.hpp>
#include <support/random.hpp>
#include <support/types.hpp>
#include <upsweep/generic/reference.hpp>
#include <upsweep/ops/min_max.hpp>
#include <upsweep/upsweep.hpp>

#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace upsweep::test {
namespace {

/// Not associative, so that every grouping has other bits; not commutative.
struct skewed {
  template <class T>
  T operator()(T earlier, T later) const {
    return static_cast<T>(earlier + later * T(0.75));
  }
};

template <class T>
bool same(std::vector<T> const& a, std::vector<T> const& b) {
  for (std::size_t i = 0; i < a.size(); ++i)
    if (!same_bits(a[i], b[i])) return false;
  return a.size() == b.size();
}

template <class To, class From>
std::vector<To> converted(std::vector<From> const& x) {
  std::vector<To> to;
  for (auto const& value : x) to.push_back(static_cast<To>(value));
  return to;
}

/// The calls on x, with `initial` or without, forward and from the end.
template <class T, class Op>
void expect_calls(std::vector<T> const& x, Op const& op, options<accumulator_t<Op, T>> const& o) {
  std::vector<T> const seen = o.reverse ? std::vector<T>(x.rbegin(), x.rend()) : x;
  auto const in_order = [&](std::vector<T> results) {
    return o.reverse ? std::vector<T>(results.rbegin(), results.rend()) : results;
  };
  EXPECT_TRUE(same_bits(reduce(x, op, o), reference::reduce(seen, op, o.initial))) << "reduce";
  std::vector<T> out(x.size());
  upsweep::inclusive_scan(x, out, op, o);
  auto const inclusive = converted<T>(reference::inclusive_scan(seen, op, o.initial));
  EXPECT_TRUE(same(out, in_order(inclusive))) << "inclusive_scan";
  out = x;
  upsweep::exclusive_scan(out, out, op, o);
  auto const exclusive = converted<T>(reference::exclusive_scan(seen, op, o.initial));
  EXPECT_TRUE(same(out, in_order(exclusive))) << "exclusive_scan in place";
}

template <class T, class Op>
void expect_few(Op const& op) {
  random_bits next(test_seed());
  for (std::size_t n = 0; n <= 70; ++n) {
    std::vector<T> x(n);
    for (T& value : x) value = random_element<T>(next);
    std::optional<accumulator_t<Op, T>> const initial = random_element<T>(next);
    for (bool const reverse : {false, true}) {
      SCOPED_TRACE("n = " + std::to_string(n) + (reverse ? ", reversed, " : ", ") + seed_note());
      expect_calls(x, op, {.reverse = reverse});
      expect_calls(x, op, {.initial = initial, .reverse = reverse});
    }
  }
}

TEST(few_elements, of_floats_have_the_references_bits) {
  expect_few<float>(plus{});
  expect_few<float>(multiplies{});
  expect_few<double>(plus{});
  expect_few<float>(max{});
}
TEST(few_elements, of_integers_have_the_references_bits) {
  expect_few<std::int8_t>(plus{});
  expect_few<std::uint32_t>(multiplies{});
  expect_few<std::int64_t>(min{});
}
TEST(few_elements, of_callers_operators_have_the_references_bits) {
  expect_few<float>(monoid(skewed{}, 0.0f));
  expect_few<double>(monoid(skewed{}, 0.0));
}

TEST(few_elements, refuse_a_negative_number_of_threads) {
  std::vector<int> const x(3);
  EXPECT_THROW((void)reduce(cpu{.threads = -1}, x), precondition_error);
}

TEST(forms, braces_in_place_of_the_executor_set_the_threads_of_cpu) {
  std::vector<int> const in{1, 2, 3, 4};
  std::vector<int> out(4);
  EXPECT_EQ(upsweep::reduce({.threads = 2}, in), 10);
  EXPECT_EQ(upsweep::reduce({.threads = 2}, in, larger_of_two{}, {.initial = 9}), 9);
  upsweep::inclusive_scan({.threads = 2}, in, out, {.initial = 5});
  EXPECT_EQ(out, (std::vector{6, 8, 11, 15}));
}

}  // namespace
}  // namespace upsweep::test
