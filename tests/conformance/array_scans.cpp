/// Contract 2 and 6: scans through arrays in L1 (host/array_scans.hpp) have the reference's bits:
/// converted and transformed elements, both extrema, positions of extrema, several operators at
/// once, with NaN, zeros of both signs and ties at the borders of the arrays.
#include <support/random.hpp>
#include <support/tree.hpp>
#include <upsweep/generic/reference.hpp>
#include <upsweep/ops/parts.hpp>
#include <upsweep/upsweep.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <span>
#include <string>
#include <tuple>
#include <vector>

namespace upsweep::test {
namespace {

constexpr std::size_t sizes[] = {1, 2, 63, 64, 65, 511, 512, 513, 577, 1025};

/// Few different values, so that there are ties; some are NaN or zeros of either sign.
template <class T>
std::vector<T> tied(std::size_t n, bool with_nan = false) {
  random_bits next(test_seed() + n);
  std::vector<T> x(n);
  for (T& e : x) e = static_cast<T>(static_cast<std::int8_t>(next.below(120)));
  if constexpr (detail::is_float<T>) {
    for (T& e : x)
      if (next.below(3) == 0) e = next.below(2) == 0 ? T(0.0f) : T(-0.0f);
    if (with_nan) x[n / 2 + next.below(n - n / 2)] = std::numeric_limits<float>::quiet_NaN();
  }
  return x;
}

template <class R>
testing::AssertionResult same(std::vector<R> const& got, std::vector<R> const& want) {
  for (std::size_t i = 0; i < want.size(); ++i)
    if (!detail::parts::same(got[i], want[i]))
      return testing::AssertionFailure() << "result " << i << " of " << want.size();
  return testing::AssertionSuccess();
}

/// Results in the type of the output.
template <class R, class From>
std::vector<R> converted(std::vector<From> const& x) {
  std::vector<R> to;
  to.reserve(x.size());
  for (From const& each : x) to.push_back(static_cast<R>(each));
  return to;
}

template <class T>
std::vector<T> reversed(std::vector<T> x) {
  std::reverse(x.begin(), x.end());
  return x;
}

/// Both scans of x by `op` into results of type R.
template <class R, class T, class Op>
void expect_the_references_scans(std::vector<T> const& x, Op const& op,
                                 accumulator_t<Op, T> const& start) {
  using A = accumulator_t<Op, T>;
  for (auto const& initial : {std::optional<A>{}, std::optional<A>(start)}) {
    std::string const what = std::to_string(x.size()) + " elements, " +
                             (initial ? "with" : "without") + " initial; " + seed_note();
    tree_scans const want(x, op, initial);
    std::vector<R> out(x.size());
    upsweep::inclusive_scan(serial{}, x, out, op, {.initial = initial});
    EXPECT_TRUE(same(out, converted<R>(want.inclusive))) << what;
    upsweep::exclusive_scan(serial{}, x, out, op, {.initial = initial});
    EXPECT_TRUE(same(out, converted<R>(want.exclusive))) << what;
  }
}

/// The same of what does not count positions.
template <class R, class T, class Op>
void expect_the_references_scans_from_both_ends(std::vector<T> const& x, Op const& op,
                                                accumulator_t<Op, T> const& start) {
  expect_the_references_scans<R>(x, op, start);
  auto const back = reversed(x);
  std::vector<R> out(x.size());
  upsweep::inclusive_scan(serial{}, x, out, op, {.initial = start, .reverse = true});
  EXPECT_TRUE(
      same(reversed(out), converted<R>(tree_scans(back, op, std::optional(start)).inclusive)));
  upsweep::exclusive_scan(serial{}, x, out, op, {.reverse = true});
  EXPECT_TRUE(same(reversed(out), converted<R>(tree_scans(back, op).exclusive)));
}

template <class T, class R>
void expect_converted_sums() {
  for (std::size_t const n : sizes) {
    using A = accumulator_t<plus, T>;
    expect_the_references_scans_from_both_ends<R>(tied<T>(n), plus{}, static_cast<A>(1000003));
    expect_the_references_scans_from_both_ends<R>(tied<T>(n), multiplies{}, static_cast<A>(3));
  }
}

TEST(array_scans, of_narrow_integers_into_wide_ones) {
  expect_converted_sums<std::int32_t, std::int64_t>();
  expect_converted_sums<std::int8_t, std::int32_t>();
  expect_converted_sums<std::uint8_t, long long>();
  expect_converted_sums<std::int16_t, std::uint64_t>();
}
TEST(array_scans, wrap_in_narrow_results) {
  expect_converted_sums<std::int64_t, std::int32_t>();
  expect_converted_sums<std::uint32_t, std::int8_t>();
  expect_converted_sums<std::int32_t, std::uint16_t>();
}
TEST(array_scans, of_integers_into_floats_and_of_floats_into_doubles) {
  expect_converted_sums<std::int16_t, float>();
  expect_converted_sums<float, double>();
  expect_converted_sums<bfloat16, double>();
}

template <class T, class R>
void expect_converted_extrema() {
  for (std::size_t const n : sizes)
    for (bool with_nan : {false, true}) {
      auto const x = tied<T>(n, with_nan);
      using A = accumulator_t<max, T>;
      expect_the_references_scans_from_both_ends<R>(x, min{}, static_cast<A>(3));
      expect_the_references_scans_from_both_ends<R>(x, max{}, static_cast<A>(3));
      expect_the_references_scans_from_both_ends<R>(x, max_number{}, static_cast<A>(3));
    }
}
TEST(array_scans, of_extrema_into_wider_types) {
  expect_converted_extrema<std::int16_t, std::int64_t>();
  expect_converted_extrema<float, double>();
}

template <class T, class Op>
void expect_scans_of_structures(Op const& op, accumulator_t<Op, T> const& start) {
  for (std::size_t const n : sizes)
    for (bool with_nan : {false, true})
      expect_the_references_scans<accumulator_t<Op, T>>(tied<T>(n, with_nan), op, start);
}
template <class T>
void expect_scans_of_every_structure() {
  using S = detail::selected_t<T>;
  S const five = static_cast<S>(5);
  expect_scans_of_structures<T>(minmax{}, {five, five});
  // Initial values before all elements, among them, and after all.
  for (std::size_t const index : {std::size_t{0}, std::size_t{600}, no_index}) {
    indexed<S> const start{static_cast<S>(117), index};
    expect_scans_of_structures<T>(argmin{}, start);
    expect_scans_of_structures<T>(argmax{}, start);
    expect_scans_of_structures<T>(argmin_last{}, start);
    expect_scans_of_structures<T>(argmax_last{}, start);
  }
  using sum = accumulator_t<plus, T>;
  expect_scans_of_structures<T>(tuple_of{plus{}, max{}}, {sum(1), five});
  expect_scans_of_structures<T>(tuple_of{minmax{}, argmax{}, tuple_of{plus{}}},
                                {{five, five}, {five, 0}, {sum(1)}});
}
TEST(array_scans, of_structures_of_bytes) {
  expect_scans_of_every_structure<std::int8_t>();
}
TEST(array_scans, of_structures_of_floats) {
  expect_scans_of_every_structure<float>();
}
TEST(array_scans, of_structures_of_16_bit_floats) {
  expect_scans_of_every_structure<bfloat16>();
}
#ifdef UPSWEEP_FULL_TESTS  // Each takes 8 s to compile, and the code is that of the types above.
TEST(array_scans, of_structures_of_long_integers) {
  expect_scans_of_every_structure<std::uint64_t>();
}
TEST(array_scans, of_structures_of_doubles) {
  expect_scans_of_every_structure<double>();
}
#endif

TEST(array_scans, of_pairs_from_the_end) {
  for (std::size_t const n : sizes) {
    auto const x = tied<float>(n, true);
    expect_the_references_scans_from_both_ends<extrema<float>>(x, minmax{}, {5, 5});
    expect_the_references_scans_from_both_ends<std::tuple<float, float>>(x, tuple_of{plus{}, max{}},
                                                                         {5, 5});
    // Positions count from the front, and among ties the operator still decides.
    std::vector<std::size_t> out(n);
    upsweep::inclusive_scan(serial{}, x, out, argmax_last{}, {.reverse = true});
    for (std::size_t i = 0; i < n; ++i)
      ASSERT_EQ(out[i],
                i + reference::reduce(
                        std::vector<float>(x.begin() + static_cast<std::ptrdiff_t>(i), x.end()),
                        argmax_last{})
                        .index);
  }
}

TEST(array_scans, in_place) {
  for (std::size_t const n : sizes) {
    auto x = tied<float>(n);
    auto const half = [](float e) { return e / 2; };
    std::vector<float> halves(n);
    std::transform(x.begin(), x.end(), halves.begin(), half);
    auto out = x;
    transform_inclusive_scan(serial{}, out, out, half, max{});
    EXPECT_TRUE(same(out, reference::inclusive_scan(halves, max{})));
    out = x;
    transform_exclusive_scan(serial{}, out, out, half, max{});
    EXPECT_TRUE(same(out, reference::exclusive_scan(halves, max{})));
    auto keys = tied<std::uint32_t>(n);
    auto const want = reversed(reference::exclusive_scan(reversed(keys), bit_xor{}));
    upsweep::exclusive_scan(serial{}, keys, keys, bit_xor{}, {.reverse = true});
    EXPECT_EQ(keys, want);
  }
}

/// On several threads, and in chunks of 1, 4, 13, ... elements.
template <class R, class T, class Op>
void expect_the_same_scans(std::vector<T> const& x, Op const& op) {
  std::vector<R> want(x.size()), out(x.size());
  upsweep::inclusive_scan(serial{}, x, want, op);
  for (int threads : {1, 3}) {
    upsweep::inclusive_scan(cpu{.threads = threads}, x, out, op);
    EXPECT_TRUE(same(out, want)) << threads;
    scan_stream<T, Op, cpu> stream(cpu{.threads = threads}, op);
    std::size_t done = 0;
    for (std::size_t size = 1; done < x.size(); size = 3 * size + 1) {
      std::size_t const now = std::min(size, x.size() - done);
      stream.inclusive(std::span(x).subspan(done, now), std::span(out).subspan(done, now));
      done += now;
    }
    EXPECT_TRUE(same(out, want)) << "in chunks, " << threads;
  }
}

TEST(array_scans, have_the_same_bits_on_several_threads_and_in_chunks) {
  expect_the_same_scans<std::int64_t>(tied<std::int32_t>(100003), plus{});
  expect_the_same_scans<std::int32_t>(tied<std::int8_t>(100003), plus{});
  auto const x = tied<float>(100003, true);
  expect_the_same_scans<double>(x, plus{});
  expect_the_same_scans<extrema<float>>(x, minmax{});
  expect_the_same_scans<indexed<float>>(x, argmin_last{});
  expect_the_same_scans<std::tuple<float, indexed<float>>>(x, tuple_of{plus{}, argmax{}});
}

/// A NaN is the extremum of all elements, whatever its sign: the first one, or the last.
template <class T>
void expect_positions_of_nan() {
  constexpr std::size_t n = 300, first = 100, last = 200;
  for (T const nan : {std::numeric_limits<T>::quiet_NaN(), -std::numeric_limits<T>::quiet_NaN()}) {
    std::vector<T> x(n, T(1));
    x[first] = nan;
    x[last] = -nan;
    x[150] = std::numeric_limits<T>::infinity();
    x[151] = -std::numeric_limits<T>::infinity();
    std::vector<std::uint64_t> out(n);
    auto const expect = [&](auto const& op, std::size_t at_end) {
      upsweep::inclusive_scan(serial{}, x, out, op);
      EXPECT_EQ(out[first], first);
      EXPECT_EQ(out[151], first);
      EXPECT_EQ(out[n - 1], at_end);
    };
    expect(argmax{}, first);
    expect(argmin{}, first);
    expect(argmax_last{}, last);
    expect(argmin_last{}, last);
  }
}
TEST(array_scans, find_a_nan_of_either_sign) {
  expect_positions_of_nan<float>();
  expect_positions_of_nan<double>();
}

/// A function that throws leaves its exception, whichever block it is in.
TEST(array_scans, let_the_exceptions_of_functions_pass) {
  for (std::size_t const bad : {0u, 100u, 511u, 512u, 4000u}) {
    std::vector<std::size_t> x(5003), out(5003);
    for (std::size_t i = 0; i < x.size(); ++i) x[i] = i;
    auto const checked = [bad](std::size_t i) {
      if (i >= bad) throw i;
      return i;
    };
    try {
      transform_inclusive_scan(serial{}, x, out, checked, max{});
      ADD_FAILURE() << "nothing was thrown";
    } catch (std::size_t first) {
      EXPECT_EQ(first, bad);
    }
  }
}

}  // namespace
}  // namespace upsweep::test
