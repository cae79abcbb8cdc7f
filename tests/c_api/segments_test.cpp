/// Segments, runs and windows of the C interface: every type with every operator against plain
/// loops, the bits of the combine tree, and each error.
#include <upsweep/upsweep.h>
#include <c_api/plain_loops.hpp>
#include <support/random.hpp>
#include <support/tree.hpp>
#include <upsweep/by_name/verbs/segments.hpp>
#include <upsweep/c_api/vocabulary.hpp>
#include <upsweep/upsweep.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <limits>
#include <optional>
#include <span>
#include <string>
#include <type_traits>
#include <vector>

namespace {

using upsweep::test::expect_refused;
using upsweep::test::expected;
using upsweep::test::for_each_type_in_c;
using upsweep::test::random_bits;
using upsweep::test::same_bytes;
using upsweep::test::small_values;
using upsweep::test::type_of;
using upsweep::test::value_at;

constexpr auto reduce_segments = upsweep_reduce_segments;
constexpr auto inclusive = upsweep_inclusive_scan_segments;
constexpr auto exclusive = upsweep_exclusive_scan_segments;

bool is_position(upsweep_operator op) {
  return op == UPSWEEP_ARGMIN || op == UPSWEEP_ARGMAX;
}

/// Calls f.operator()<T>(operator, type of the results) for all pairs.
template <class F>
void for_every_pair(F const& f) {
  std::size_t pairs = 0;
  for_each_type_in_c([&]<class T>() {
    for (int o = UPSWEEP_SUM; o <= upsweep::c_api::last_operator; ++o) {
      auto const op = static_cast<upsweep_operator>(o);
      upsweep_type result;
      if (upsweep_result_type(type_of<T>(), op, &result) != UPSWEEP_OK) continue;
      SCOPED_TRACE("type " + std::to_string(type_of<T>()) + ", operator " + std::to_string(o));
      f.template operator()<T>(op, result);
      ++pairs;
    }
  });
  EXPECT_GT(pairs, 150u);
}

/// Ascending borders of segments of up to 40 elements, from `least` on.
std::vector<std::uint64_t> short_segments(std::size_t n, std::size_t least, random_bits& next) {
  std::vector<std::uint64_t> offsets{0};
  while (offsets.back() < n)
    offsets.push_back(std::min<std::uint64_t>(n, offsets.back() + least + next.below(40)));
  return offsets;
}

/// A C array of results of a type that is known at run time.
struct results {
  upsweep_type type;
  std::vector<std::byte> bytes;
  results(upsweep_type t, std::size_t n) : type(t), bytes(n * upsweep_type_size(t)) {}
  void* data() { return bytes.data(); }
  [[nodiscard]] double at(std::size_t i) const { return value_at(type, bytes, i); }
};

/// Equal, or NaN both: the identity of MIN_NUMBER and MAX_NUMBER.
bool same_value(double a, double b) {
  return a == b || (a != a && b != b);
}

/// What the results of the segments of x should be, by plain loops and, for no element, the
/// identity that upsweep_reduce has.
template <class T>
void expect_segments(std::vector<T> const& x, std::vector<std::uint64_t> const& offsets,
                     upsweep_operator op, results const& totals, results const& in,
                     results const& ex) {
  results identity(totals.type, 1);
  if (!is_position(op)) {
    ASSERT_EQ(upsweep_reduce(type_of<T>(), op, nullptr, 0, nullptr, identity.data()), UPSWEEP_OK);
  }
  for (std::size_t k = 0; k + 1 < offsets.size(); ++k) {
    auto const begin = static_cast<std::ptrdiff_t>(offsets[k]);
    std::vector<double> const alone(x.begin() + begin,
                                    x.begin() + static_cast<std::ptrdiff_t>(offsets[k + 1]));
    ASSERT_PRED2(same_value, totals.at(k),
                 alone.empty() ? identity.at(0) : expected(op, alone, alone.size()))
        << "segment " << k << " of " << alone.size();
    for (std::size_t i = 0; i < alone.size(); ++i) {
      ASSERT_EQ(in.at(offsets[k] + i), expected(op, alone, i + 1)) << "segment " << k << ", " << i;
      if (i == 0 && is_position(op)) continue;
      ASSERT_PRED2(same_value, ex.at(offsets[k] + i),
                   i == 0 ? identity.at(0) : expected(op, alone, i))
          << "segment " << k << ", " << i;
    }
  }
}

TEST(c_segments, agree_with_plain_loops_for_every_type_and_operator) {
  SCOPED_TRACE(upsweep::test::seed_note());
  random_bits next(upsweep::test::test_seed());
  for_every_pair([&]<class T>(upsweep_operator op, upsweep_type result) {
    std::size_t const n = 500;
    auto const x = small_values<T>(n);
    auto const offsets = short_segments(n, is_position(op) ? 1 : 0, next);
    std::size_t const count = offsets.size() - 1;
    results totals(result, count), in(result, n), ex(result, n);
    auto const run = [&](auto call, results& out) {
      ASSERT_EQ(call(type_of<T>(), op, x.data(), n, offsets.data(), count, nullptr, out.data()),
                UPSWEEP_OK)
          << upsweep_last_error_message();
    };
    run(reduce_segments, totals);
    run(inclusive, in);
    run(exclusive, ex);
    expect_segments(x, offsets, op, totals, in, ex);
  });
}

/// Keys 0 and 1 in turns, a run for each segment.
template <class Key>
std::vector<Key> alternating_keys(std::vector<std::uint64_t> const& offsets) {
  std::vector<Key> keys;
  for (std::size_t k = 0; k + 1 < offsets.size(); ++k)
    keys.insert(keys.end(), offsets[k + 1] - offsets[k],
                static_cast<Key>(static_cast<float>(k % 2)));
  return keys;
}

template <class Key, class T>
void check_runs(std::size_t n, upsweep_operator op, upsweep_type result, random_bits& next) {
  auto const x = small_values<T>(n);
  auto const offsets = short_segments(n, 1, next);
  auto const keys = alternating_keys<Key>(offsets);
  std::size_t const runs = offsets.size() - 1;
  results totals(result, runs), in(result, n), ex(result, n);
  std::vector<Key> first(runs);
  std::size_t count = 0;
  ASSERT_EQ(upsweep_reduce_runs(type_of<Key>(), keys.data(), type_of<T>(), op, x.data(), n, nullptr,
                                first.data(), totals.data(), runs, &count),
            UPSWEEP_OK)
      << upsweep_last_error_message();
  ASSERT_EQ(count, runs);
  for (std::size_t k = 0; k < runs; ++k)
    ASSERT_EQ(static_cast<float>(first[k]), static_cast<float>(k % 2));
  ASSERT_EQ(upsweep_inclusive_scan_runs(type_of<Key>(), keys.data(), type_of<T>(), op, x.data(), n,
                                        nullptr, in.data()),
            UPSWEEP_OK);
  ASSERT_EQ(upsweep_exclusive_scan_runs(type_of<Key>(), keys.data(), type_of<T>(), op, x.data(), n,
                                        nullptr, ex.data()),
            UPSWEEP_OK);
  expect_segments(x, offsets, op, totals, in, ex);
}

TEST(c_runs, agree_with_plain_loops_for_every_type_operator_and_key) {
  SCOPED_TRACE(upsweep::test::seed_note());
  random_bits next(upsweep::test::test_seed());
  for_every_pair([&]<class T>(upsweep_operator op, upsweep_type result) {
    check_runs<std::int32_t, T>(300, op, result, next);
  });
  for_each_type_in_c([&]<class Key>() {
    SCOPED_TRACE("keys of type " + std::to_string(type_of<Key>()));
    check_runs<Key, float>(300, UPSWEEP_SUM, UPSWEEP_F32, next);
    check_runs<Key, std::uint8_t>(300, UPSWEEP_BIT_XOR, UPSWEEP_U8, next);
  });
}

TEST(c_runs, fill_outputs_without_room_and_say_how_much_is_needed) {
  std::int32_t const keys[] = {1, 1, 2, 3, 3};
  double const x[] = {1, 2, 3, 4, 5};
  std::int32_t first[3] = {-1, -1, -1};
  double out[3] = {-1, -1, -1};
  std::size_t count = 0;
  expect_refused(upsweep_reduce_runs(UPSWEEP_I32, keys, UPSWEEP_F64, UPSWEEP_SUM, x, 5, nullptr,
                                     first, out, 2, &count),
                 UPSWEEP_CAPACITY, "has room for 2 elements, but there are 3");
  EXPECT_EQ(count, 3u);
  EXPECT_EQ(std::vector(first, first + 3), (std::vector{1, 2, -1}));
  EXPECT_EQ(std::vector(out, out + 3), (std::vector{3.0, 3.0, -1.0}));
}

TEST(c_windows, agree_with_plain_loops_for_every_type_and_operator) {
  for_every_pair([&]<class T>(upsweep_operator op, upsweep_type result) {
    std::size_t const n = 100;
    auto const x = small_values<T>(n);
    for (std::size_t const width : {1u, 2u, 7u, 37u, 100u, 101u}) {
      std::size_t const windows = width > n ? 0 : n - width + 1;
      results out(result, windows);
      ASSERT_EQ(upsweep_windowed(type_of<T>(), op, x.data(), n, width, nullptr, out.data()),
                UPSWEEP_OK)
          << upsweep_last_error_message();
      for (std::size_t i = 0; i < windows; ++i) {
        auto const first = x.begin() + static_cast<std::ptrdiff_t>(i);
        std::vector<double> const alone(first, first + static_cast<std::ptrdiff_t>(width));
        ASSERT_EQ(out.at(i), expected(op, alone, width)) << "window " << i << " of " << width;
      }
    }
  });
}

/// Random numbers whose sums depend on the order, in segments short and long.
template <class T>
struct input {
  std::vector<T> x;
  std::vector<std::uint64_t> offsets{0};
  std::vector<std::int16_t> keys;
  explicit input(std::size_t n, random_bits& next) : x(n) {
    for (T& value : x) value = upsweep::test::random_element<T>(next);
    while (offsets.back() < n) {
      std::uint64_t const most = next.below(50) == 0 ? 200'000 : next.below(2) == 0 ? 300 : 9;
      offsets.push_back(std::min<std::uint64_t>(n, offsets.back() + 1 + next.below(most)));
    }
    keys = alternating_keys<std::int16_t>(offsets);
  }
};

/// What the segments' totals and scans must be: the combine tree of each alone, after `initial`.
template <class R>
struct trees {
  std::vector<R> totals, inclusive, exclusive;

  template <class T, class Op>
  trees(input<T> const& data, Op const& op, R initial) {
    for (std::size_t k = 0; k + 1 < data.offsets.size(); ++k) {
      std::span const alone(data.x.data() + data.offsets[k], data.offsets[k + 1] - data.offsets[k]);
      upsweep::test::tree_scans const scans(alone, op, std::optional(initial));
      inclusive.insert(inclusive.end(), scans.inclusive.begin(), scans.inclusive.end());
      exclusive.insert(exclusive.end(), scans.exclusive.begin(), scans.exclusive.end());
      totals.push_back(inclusive.back());
    }
  }
};

/// Compares all functions with the trees, and windows with the C++ verb, on several threads.
template <class T, class Op>
void check_bits(upsweep_operator name, Op const& op, random_bits& next) {
  using R = upsweep::result_t<Op, T>;
  static_assert(std::is_same_v<R, upsweep::accumulator_t<Op, T>>);
  SCOPED_TRACE("type " + std::to_string(type_of<T>()) + ", operator " + std::to_string(name));
  input<T> const data(300'007, next);
  std::size_t const n = data.x.size(), count = data.offsets.size() - 1, width = 1000;
  R const initial = static_cast<R>(3);
  auto const [totals, in, ex] = trees<R>(data, op, initial);
  std::vector<R> windows(n - width + 1);
  upsweep::windowed(upsweep::serial{}, data.x, width, windows, op, {.initial = initial});
  for (int const threads : {1, 3}) {
    upsweep_options o = UPSWEEP_OPTIONS_INIT;
    o.threads = threads;
    o.initial = &initial;
    auto const* const x = data.x.data();
    auto const* const at = data.offsets.data();
    auto const expect = [&](upsweep_status status, std::vector<R> const& out,
                            std::vector<R> const& wanted) {
      ASSERT_EQ(status, UPSWEEP_OK) << upsweep_last_error_message();
      EXPECT_TRUE(same_bytes(out, wanted));
    };
    std::vector<R> out(count);
    expect(reduce_segments(type_of<T>(), name, x, n, at, count, &o, out.data()), out, totals);
    std::vector<std::int16_t> first(count);
    std::size_t runs = 0;
    expect(upsweep_reduce_runs(UPSWEEP_I16, data.keys.data(), type_of<T>(), name, x, n, &o,
                               first.data(), out.data(), count, &runs),
           out, totals);
    out.resize(n);
    expect(inclusive(type_of<T>(), name, x, n, at, count, &o, out.data()), out, in);
    expect(exclusive(type_of<T>(), name, x, n, at, count, &o, out.data()), out, ex);
    expect(upsweep_inclusive_scan_runs(UPSWEEP_I16, data.keys.data(), type_of<T>(), name, x, n, &o,
                                       out.data()),
           out, in);
    expect(upsweep_exclusive_scan_runs(UPSWEEP_I16, data.keys.data(), type_of<T>(), name, x, n, &o,
                                       out.data()),
           out, ex);
    if constexpr (std::is_same_v<T, R>) {
      std::copy(data.x.begin(), data.x.end(), out.begin());
      expect(inclusive(type_of<T>(), name, out.data(), n, at, count, &o, out.data()), out, in);
    }
    out.resize(n - width + 1);
    expect(upsweep_windowed(type_of<T>(), name, x, n, width, &o, out.data()), out, windows);
  }
}

TEST(c_segments, have_the_bits_of_the_cpp_interface_on_any_number_of_threads) {
  SCOPED_TRACE(upsweep::test::seed_note());
  random_bits next(upsweep::test::test_seed());
  check_bits<float>(UPSWEEP_SUM, upsweep::plus{}, next);
  check_bits<double>(UPSWEEP_SUM, upsweep::plus{}, next);
  check_bits<float>(UPSWEEP_PRODUCT, upsweep::multiplies{}, next);
  check_bits<std::int32_t>(UPSWEEP_SUM, upsweep::plus{}, next);
  check_bits<std::int64_t>(UPSWEEP_MIN, upsweep::min{}, next);
  check_bits<double>(UPSWEEP_MAX, upsweep::max{}, next);
  // Without an engine for segments.
  check_bits<upsweep::bfloat16>(UPSWEEP_SUM, upsweep::plus{}, next);
  check_bits<std::int16_t>(UPSWEEP_BIT_OR, upsweep::bit_or{}, next);
}

TEST(c_segments, count_positions_from_the_begin_of_the_segment) {
  std::int64_t const x[] = {5, INT64_MAX, 1, 7, INT64_MAX};
  std::uint64_t const offsets[] = {0, 1, 3, 5};
  std::uint64_t where[3];
  ASSERT_EQ(reduce_segments(UPSWEEP_I64, UPSWEEP_ARGMAX, x, 5, offsets, 3, nullptr, where),
            UPSWEEP_OK);
  EXPECT_EQ(std::vector(where, where + 3), (std::vector<std::uint64_t>{0, 0, 1}));
  std::int64_t out[5];
  EXPECT_EQ(reduce_segments(UPSWEEP_I64, UPSWEEP_CHECKED_SUM, x, 5, offsets, 3, nullptr, out),
            UPSWEEP_OVERFLOW);
  EXPECT_EQ(upsweep_last_error_index(), 1u);
  std::uint64_t const empty[] = {0, 0, 5};
  expect_refused(reduce_segments(UPSWEEP_I64, UPSWEEP_ARGMIN, x, 5, empty, 2, nullptr, where),
                 UPSWEEP_INVALID_ARGUMENT, "empty");
}

/// Of a sum that refuses overflow, whose windows are reduced one by one.
TEST(c_segments, put_the_initial_value_in_front_of_every_window) {
  std::int64_t const x[] = {1, 2, 3, 4, INT64_MAX}, initial = 10;
  upsweep_options o = UPSWEEP_OPTIONS_INIT;
  o.initial = &initial;
  std::int64_t out[3];
  ASSERT_EQ(upsweep_windowed(UPSWEEP_I64, UPSWEEP_CHECKED_SUM, x, 4, 2, &o, out), UPSWEEP_OK);
  EXPECT_EQ(std::vector(out, out + 3), (std::vector<std::int64_t>{13, 15, 17}));
  EXPECT_EQ(upsweep_windowed(UPSWEEP_I64, UPSWEEP_CHECKED_SUM, x + 4, 1, 1, &o, out),
            UPSWEEP_OVERFLOW);
}

TEST(c_segments, take_no_segments_no_elements_and_no_arrays) {
  std::uint64_t const offsets[] = {0, 0};
  float out = -1;
  EXPECT_EQ(reduce_segments(UPSWEEP_F32, UPSWEEP_SUM, nullptr, 0, offsets, 0, nullptr, nullptr),
            UPSWEEP_OK);
  EXPECT_EQ(reduce_segments(UPSWEEP_F32, UPSWEEP_MAX, nullptr, 0, offsets, 1, nullptr, &out),
            UPSWEEP_OK);
  EXPECT_EQ(out, -std::numeric_limits<float>::infinity());
  EXPECT_EQ(inclusive(UPSWEEP_F32, UPSWEEP_SUM, nullptr, 0, offsets, 1, nullptr, nullptr),
            UPSWEEP_OK);
  std::size_t count = 1;
  EXPECT_EQ(upsweep_reduce_runs(UPSWEEP_I8, nullptr, UPSWEEP_F32, UPSWEEP_SUM, nullptr, 0, nullptr,
                                nullptr, nullptr, 0, &count),
            UPSWEEP_OK);
  EXPECT_EQ(count, 0u);
  EXPECT_EQ(upsweep_windowed(UPSWEEP_F32, UPSWEEP_SUM, &out, 1, 2, nullptr, nullptr), UPSWEEP_OK);
}

TEST(segments_by_name, have_pairs_for_affine_maps) {
  SCOPED_TRACE(upsweep::test::seed_note());
  random_bits next(upsweep::test::test_seed());
  std::size_t const n = 5000, width = 30;
  using map = upsweep::affine_map<double>;
  std::vector<map> x(n), out(n), expected(n);
  for (map& m : x) m = {upsweep::test::small(next), upsweep::test::small(next)};
  auto const offsets = short_segments(n, 0, next);
  std::size_t const count = offsets.size() - 1;
  namespace dynamic = upsweep::dynamic;
  dynamic::call_entry const& e = *dynamic::find(upsweep::catalog::id::affine, dynamic::dtype::f64);
  dynamic::segments const s{x.data(), n, offsets.data(), count};
  dynamic::run_segments(dynamic::verb::reduce, e, s, {}, out.data());
  upsweep::reduce_segments(x, offsets, std::span(expected).first(count), upsweep::affine{});
  EXPECT_EQ(out, expected);
  dynamic::run_segments(dynamic::verb::exclusive_scan, e, s, {}, out.data());
  upsweep::exclusive_scan_segments(x, offsets, expected, upsweep::affine{});
  EXPECT_EQ(out, expected);
  dynamic::windowed(e, x.data(), n, width, {}, out.data());
  upsweep::windowed(x, width, std::span(expected).first(n - width + 1), upsweep::affine{});
  EXPECT_EQ(out, expected);
}

}  // namespace
