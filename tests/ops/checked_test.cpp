/// The checked operators against a plain loop over 128-bit integers: the same value, or the same
/// first element that overflows.
#include <support/message.hpp>
#include <support/random.hpp>
#include <upsweep/generic/reference.hpp>
#include <upsweep/ops/checked.hpp>
#include <upsweep/ops/laws.hpp>
#include <upsweep/ops/tuple.hpp>
#include <upsweep/upsweep.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <ostream>
#include <span>
#include <string>
#include <tuple>
#include <type_traits>
#include <vector>

namespace upsweep {
namespace {

constexpr auto max64 = std::numeric_limits<std::int64_t>::max();
constexpr auto min64 = std::numeric_limits<std::int64_t>::min();
constexpr auto max_u64 = std::numeric_limits<std::uint64_t>::max();

struct outcome {
  int128 value = 0;                       // of the whole input, when nothing overflows
  std::optional<std::size_t> overflow{};  // else the first element whose prefix does
  friend bool operator==(outcome const&, outcome const&) = default;
};
void PrintTo(outcome const& o, std::ostream* out) {
  *out << (o.overflow ? "overflow at " + std::to_string(*o.overflow) : describe(o.value));
}

/// What a careful loop finds. R is the type every prefix must fit; a prefix is out of range before
/// it can leave 128 bits.
template <class R, class T>
outcome plain_loop(std::vector<T> const& x, bool product, int128 initial, bool reverse = false) {
  int128 prefix = initial;
  for (std::size_t i = 0; i < x.size(); ++i) {
    std::size_t const at = reverse ? x.size() - 1 - i : i;
    prefix = product ? prefix * int128{x[at]} : prefix + int128{x[at]};
    if (prefix < int128{std::numeric_limits<R>::min()} ||
        prefix > int128{std::numeric_limits<R>::max()})
      return {0, at};
  }
  return {prefix, {}};
}

template <class Op, class T, class... Options>
outcome reduced(Op const& op, std::vector<T> const& x, options<accumulator_t<Op, T>> const& o = {},
                cpu const& on = {}) {
  try {
    return {int128{reduce(on, x, op, o)}, {}};
  } catch (overflow_error const& e) {
    return {0, e.index()};
  }
}

template <class Op, class T>
outcome scanned(Op const& op, std::vector<T> const& x, options<accumulator_t<Op, T>> const& o = {},
                cpu const& on = {}) {
  std::vector<result_t<Op, T>> out(x.size());
  try {
    inclusive_scan(on, x, out, op, o);
    return {x.empty() ? int128{reduce(x, op, o)} : int128{o.reverse ? out.front() : out.back()},
            {}};
  } catch (overflow_error const& e) {
    return {0, e.index()};
  }
}

TEST(checked_plus, overflows_at_the_first_prefix_that_does_not_fit) {
  std::vector<std::int64_t> const x{max64, 1, -5};
  EXPECT_EQ(reduced(checked_plus{}, x), (outcome{0, 1}));
  EXPECT_EQ(scanned(checked_plus{}, x), (outcome{0, 1}));
}

TEST(checked_plus, lets_a_block_of_the_tree_overflow_when_no_prefix_does) {
  std::vector<std::int64_t> const x{5, max64 - 10, -20, -1, max64, 30, min64, min64};
  EXPECT_EQ(reduced(checked_plus{}, x), plain_loop<std::int64_t>(x, false, 0));
  std::vector<std::int64_t> const y{-9, 0, max64, 9, min64, 0, max64, 1};
  EXPECT_EQ(plain_loop<std::int64_t>(y, false, 0).overflow, std::nullopt);
  EXPECT_EQ(reduced(checked_plus{}, y), plain_loop<std::int64_t>(y, false, 0));
}

TEST(checked_plus, names_the_first_overflow_and_not_the_largest_excess) {
  std::vector<std::int64_t> x(1000, 1);
  x[0] = max64 - 600;
  EXPECT_EQ(reduced(checked_plus{}, x), (outcome{0, 601}));
}

TEST(checked_plus, says_what_happened_and_where) {
  std::vector<std::uint64_t> const x{1, max_u64};
  EXPECT_EQ(test::message_of<overflow_error>([&] { (void)reduce(x, checked_plus{}); }),
            "checked_plus: integer overflow at element 1; use a wider type, or the unchecked "
            "operator if wrapping is intended");
}

TEST(checked_plus, counts_the_initial_value_and_handles_empty_input) {
  EXPECT_EQ(reduce(std::vector<int>{}, checked_plus{}), 0);
  EXPECT_EQ(reduce(std::vector<int>{}, checked_plus{}, {.initial = 7}), 7);
  EXPECT_EQ(reduced(checked_plus{}, std::vector<int>{1, 1}, {.initial = max64 - 1}),
            (outcome{0, 1}));
  EXPECT_EQ(reduced(checked_plus{}, std::vector<int>{-1, 1}, {.initial = max64}),
            (outcome{max64, {}}));
}

TEST(checked_plus, holds_narrow_elements_to_the_type_that_is_asked_for) {
  std::vector<std::int8_t> const x{100, 27, 1};
  EXPECT_EQ(reduced(checked_plus{}, x), (outcome{128, {}}));
  EXPECT_EQ(reduced(checked_plus<std::int8_t>{}, x), (outcome{0, 2}));
  EXPECT_EQ(reduced(checked_plus<std::uint8_t>{}, x), (outcome{128, {}}));
  static_assert(std::is_same_v<result_t<checked_plus<std::uint8_t>, std::int8_t>, std::uint8_t>);
  static_assert(std::is_same_v<result_t<checked_plus<>, std::int8_t>, std::int64_t>);
}

TEST(checked_multiplies, survives_a_zero_only_before_the_overflow) {
  EXPECT_EQ(reduced(checked_multiplies{}, std::vector<std::int64_t>{0, max64, max64}),
            (outcome{0, {}}));
  EXPECT_EQ(reduced(checked_multiplies{}, std::vector<std::int64_t>{max64, max64, 0}),
            (outcome{0, 1}));
  EXPECT_EQ(reduced(checked_multiplies{}, std::vector<std::int64_t>{-1, min64}), (outcome{0, 1}));
  EXPECT_EQ(reduced(checked_multiplies{}, std::vector<std::int64_t>{min64, -1}), (outcome{0, 1}));
  EXPECT_EQ(reduced(checked_multiplies{}, std::vector<std::int64_t>{1, min64}),
            (outcome{min64, {}}));
  EXPECT_EQ(reduced(checked_multiplies{}, std::vector<std::uint64_t>(64, 2)), (outcome{0, 63}));
  EXPECT_EQ(reduced(checked_multiplies{}, std::vector<int>(100000, -3)), (outcome{0, 39}));
}

/// Inputs whose prefixes hover around the limits of R, so that about half of them overflow
/// somewhere.
template <class R, class T>
std::vector<T> edgy(test::random_bits& next, bool product) {
  std::vector<T> x(next.below(40));
  for (T& element : x) {
    std::uint64_t const bits = next();
    bool const negative = std::is_signed_v<T> && bits % 8 > 4;
    if (product)
      element = static_cast<T>(bits % 64 == 0 ? 0 : 1 + next() % 3);
    else
      element = bits % 4 == 0 ? static_cast<T>(std::numeric_limits<R>::max() / 2)
                              : static_cast<T>(next() >> next.below(64));
    if (negative) element = static_cast<T>(-(element / (product ? 1 : 2)));
  }
  return x;
}

/// Inputs of several blocks of the kernels, most of whose elements hardly move the prefix, so that
/// they overflow at any position, or not at all.
template <class R, class T>
std::vector<T> long_and_edgy(test::random_bits& next, bool product) {
  std::vector<T> x(1 + next.below(4000));
  for (T& element : x) element = static_cast<T>(product ? 1 : static_cast<int>(next.below(4)));
  for (T& element : x)
    if (std::is_signed_v<T> && next.below(2) == 0) element = static_cast<T>(-element);
  for (std::uint64_t some = next.below(8); some > 0; --some)
    x[next.below(x.size())] = static_cast<T>(next() >> (product ? 30 : 1) >> next.below(34));
  return x;
}

/// Returns how many of 120 overflow.
template <class R, class T>
std::size_t compare_long_inputs_with_plain_loop() {
  SCOPED_TRACE(test::seed_note());
  test::random_bits next(test::test_seed());
  std::size_t overflows = 0;
  for (int round = 0; round < 60; ++round)
    for (bool const product : {false, true}) {
      auto const x = long_and_edgy<R, T>(next, product);
      R const initial = static_cast<R>(1 + next.below(2));
      cpu const on{.threads = 1 + static_cast<int>(next.below(2))};
      auto expect_the_loops = [&](auto const& op) {
        outcome const want = plain_loop<R>(x, product, int128{initial});
        overflows += want.overflow ? 1u : 0u;
        ASSERT_EQ(reduced(op, x, {.initial = initial}, on), want);
        ASSERT_EQ(scanned(op, x, {.initial = initial}, on), want);
        // An exclusive scan lacks the last prefix.
        std::vector<R> out(x.size());
        auto const front = std::vector<T>(x.begin(), x.end() - 1);
        outcome const in_front = plain_loop<R>(front, product, int128{initial});
        try {
          exclusive_scan(on, x, out, op, {.initial = initial});
          ASSERT_EQ((outcome{int128{out.back()}, {}}), in_front);
        } catch (overflow_error const& e) {
          ASSERT_EQ((outcome{0, e.index()}), in_front);
        }
      };
      if (product)
        expect_the_loops(checked_multiplies<R>{});
      else
        expect_the_loops(checked_plus<R>{});
    }
  return overflows;
}

TEST(checked, agrees_with_a_plain_loop_over_many_blocks) {
  std::size_t const overflows =
      compare_long_inputs_with_plain_loop<std::int64_t, std::int64_t>() +
      compare_long_inputs_with_plain_loop<std::uint64_t, std::uint64_t>() +
      compare_long_inputs_with_plain_loop<std::int64_t, std::int32_t>() +
      compare_long_inputs_with_plain_loop<std::int16_t, std::int32_t>() +
      compare_long_inputs_with_plain_loop<std::uint64_t, std::int8_t>();
  EXPECT_GT(overflows, 60u) << "the inputs do not test much";
  EXPECT_LT(overflows, 540u) << "the inputs do not test much";
}

template <class R, class T>
void compare_with_plain_loop() {
  SCOPED_TRACE(test::seed_note());
  test::random_bits next(test::test_seed());
  std::size_t overflows = 0;
  for (int round = 0; round < 2000; ++round) {
    bool const reverse = next.below(4) == 0;
    auto const sums = edgy<R, T>(next, false), products = edgy<R, T>(next, true);
    R const initial = static_cast<R>(next.below(3) == 0 ? next() >> next.below(63) : 1);
    outcome const sum = plain_loop<R>(sums, false, int128{initial}, reverse);
    outcome const product = plain_loop<R>(products, true, int128{initial}, reverse);
    overflows += (sum.overflow ? 1u : 0u) + (product.overflow ? 1u : 0u);
    ASSERT_EQ(reduced(checked_plus<R>{}, sums, {.initial = initial, .reverse = reverse}), sum);
    ASSERT_EQ(scanned(checked_plus<R>{}, sums, {.initial = initial, .reverse = reverse}), sum);
    ASSERT_EQ(reduced(checked_multiplies<R>{}, products, {.initial = initial, .reverse = reverse}),
              product);
    ASSERT_EQ(scanned(checked_multiplies<R>{}, products, {.initial = initial, .reverse = reverse}),
              product);
  }
  EXPECT_GT(overflows, 500u) << "the inputs do not test much";
  EXPECT_LT(overflows, 3900u) << "the inputs do not test much";
}

TEST(checked, agrees_with_a_plain_loop_over_int64) {
  compare_with_plain_loop<std::int64_t, std::int64_t>();
}
TEST(checked, agrees_with_a_plain_loop_over_uint64) {
  compare_with_plain_loop<std::uint64_t, std::uint64_t>();
}
TEST(checked, agrees_with_a_plain_loop_over_int32_in_int16) {
  compare_with_plain_loop<std::int16_t, std::int32_t>();
}
TEST(checked, agrees_with_a_plain_loop_over_int8_in_uint64) {
  compare_with_plain_loop<std::uint64_t, std::int8_t>();
}

TEST(checked, names_the_same_element_for_every_thread_count_and_chunking) {
  std::vector<std::int64_t> x(200001, max64 / 150000);
  outcome const expected = plain_loop<std::int64_t>(x, false, 0);
  ASSERT_EQ(expected.overflow, 150000u);
  for (int const threads : {1, 2, 3, 7}) {
    EXPECT_EQ(reduced(checked_plus{}, x, {}, cpu{.threads = threads}), expected);
    EXPECT_EQ(scanned(checked_plus{}, x, {}, cpu{.threads = threads}), expected);
  }
  for (std::size_t const chunk : {1000u, 65536u, 200001u}) {
    reduce_stream<std::int64_t, checked_plus<>> sum;
    std::optional<std::size_t> at;
    try {
      for (std::size_t begin = 0; begin < x.size(); begin += chunk)
        sum.push(
            std::span<std::int64_t const>(x).subspan(begin, std::min(chunk, x.size() - begin)));
    } catch (overflow_error const& e) {
      at = e.index();
    }
    EXPECT_EQ(at, expected.overflow);
    EXPECT_EQ(sum.size(), 0u);
  }
}

TEST(checked, works_as_part_of_a_tuple) {
  std::vector<std::int64_t> const x{max64, 1, -5}, y{max64, -1, -5};
  auto const both = tuple_of{max{}, checked_plus{}};
  try {
    (void)reduce(x, both);
    FAIL() << "no exception";
  } catch (overflow_error const& e) {
    EXPECT_EQ(e.index(), 1u);
  }
  EXPECT_EQ(reduce(y, both), std::tuple(max64, max64 - 6));
}

TEST(checked, is_exactly_associative_even_where_products_saturate) {
  std::vector<std::int64_t> const x{0, 1, -1, 2, -3, max64, min64, min64 + 1, 1 << 20};
  EXPECT_EQ(check_monoid(checked_plus{}, x), std::nullopt);
  EXPECT_EQ(check_monoid(checked_multiplies{}, x), std::nullopt);
  EXPECT_EQ(
      check_monoid(checked_multiplies{}, std::vector<std::uint64_t>{0, 1, 2, max_u64, max_u64 - 1}),
      std::nullopt);
}

}  // namespace
}  // namespace upsweep
