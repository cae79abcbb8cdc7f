/// Reductions and scans along an axis in C: the lines' elements by plain indexing.
#include <upsweep/c_api/axis.h>
#include <c_api/plain_loops.hpp>
#include <support/random.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <limits>
#include <string>
#include <type_traits>
#include <vector>

namespace {

using upsweep::test::expect_refused;
using upsweep::test::random_bits;
using upsweep::test::type_of;
using upsweep::test::wrong;
using shape = std::vector<std::size_t>;
using function = decltype(&upsweep_reduce_along_axis);

std::size_t size_of(shape const& s) {
  std::size_t n = 1;
  for (std::size_t const extent : s) n *= extent;
  return n;
}

/// The positions of the elements of each line along an axis, in row-major order of the others.
std::vector<std::vector<std::size_t>> lines_along(shape const& s, std::size_t axis) {
  std::vector<std::vector<std::size_t>> lines;
  for (std::size_t at = 0; at < size_of(s); ++at) {
    std::size_t rest = at, line = 0, scale = 1, here = 0;
    for (std::size_t d = s.size(); d-- > 0; rest /= s[d]) {
      if (d == axis) {
        here = rest % s[d];
        continue;
      }
      line += rest % s[d] * scale;
      scale *= s[d];
    }
    if (lines.size() <= line) lines.resize(line + 1);
    if (lines[line].size() <= here) lines[line].resize(here + 1);
    lines[line][here] = at;
  }
  return lines;
}

template <class T>
std::vector<T> chosen(std::vector<T> const& x, std::vector<std::size_t> const& positions) {
  std::vector<T> some;
  for (std::size_t const at : positions) some.push_back(x[at]);
  return some;
}

template <class T>
void check_by_plain_loops(upsweep_operator op, shape const& s) {
  using upsweep::test::expected;
  using upsweep::test::value_at;
  upsweep_type result;
  if (upsweep_result_type(type_of<T>(), op, &result) != UPSWEEP_OK) return;
  auto const x = upsweep::test::small_values<T>(size_of(s));
  std::size_t const bytes = upsweep_type_size(result);
  for (int axis = 0; axis < static_cast<int>(s.size()); ++axis) {
    SCOPED_TRACE("type " + std::to_string(type_of<T>()) + ", operator " + std::to_string(op) +
                 ", axis " + std::to_string(axis));
    auto const lines = lines_along(s, static_cast<std::size_t>(axis));
    std::vector<std::byte> totals(lines.size() * bytes), to(x.size() * bytes), first(bytes);
    auto const run = [&](function call, std::vector<std::byte>& out) {
      ASSERT_EQ(call(type_of<T>(), op, x.data(), s.data(), s.size(), axis, nullptr, out.data()),
                UPSWEEP_OK)
          << upsweep_last_error_message();
    };
    auto const expect_prefixes = [&](std::size_t later, std::vector<double> const& line,
                                     std::vector<std::size_t> const& at) {
      for (std::size_t i = later; i < line.size(); ++i)
        ASSERT_EQ(value_at(result, to, at[i]), expected(op, line, i + 1 - later)) << i;
    };
    auto const for_each_line = [&](auto const& f) {
      for (std::size_t k = 0; k < lines.size(); ++k) {
        std::vector<double> line;
        for (std::size_t const at : lines[k]) line.push_back(static_cast<double>(x[at]));
        f(k, line);
      }
    };
    run(upsweep_reduce_along_axis, totals);
    for_each_line([&](std::size_t k, std::vector<double> const& line) {
      ASSERT_EQ(value_at(result, totals, k), expected(op, line, line.size())) << k;
    });
    run(upsweep_inclusive_scan_along_axis, to);
    for_each_line([&](std::size_t k, auto const& line) {
      if (k % 4 == 0) expect_prefixes(0, line, lines[k]);
    });
    run(upsweep_exclusive_scan_along_axis, to);
    ASSERT_EQ(upsweep_exclusive_scan(type_of<T>(), op, x.data(), 1, nullptr, first.data()),
              UPSWEEP_OK);
    for_each_line([&](std::size_t k, auto const& line) {
      ASSERT_EQ(std::memcmp(to.data() + lines[k][0] * bytes, first.data(), bytes), 0) << k;
      if (k % 4 == 0) expect_prefixes(1, line, lines[k]);
    });
  }
}

TEST(c_along_axis, every_type_and_operator_has_the_results_of_plain_loops) {
  upsweep::test::for_each_type_in_c([]<class T>() {
    for (int op = UPSWEEP_SUM; op <= upsweep::c_api::last_operator; ++op) {
      check_by_plain_loops<T>(static_cast<upsweep_operator>(op), {3, 37, 12});
      check_by_plain_loops<T>(static_cast<upsweep_operator>(op), {5, 9});
    }
  });
}

/// Every line has the bits of a call on a copy of it, whatever the options and threads.
template <class T, class R>
void check_bits(upsweep_operator op, shape const& s, bool takes_initial, random_bits& next) {
  std::vector<T> x(size_of(s));
  for (T& value : x) value = static_cast<T>(static_cast<double>(next() % 2000) / 7 - 100);
  R const initial = static_cast<R>(3);
  auto const count = next() % s.size();
  int const axis = static_cast<int>(count) - static_cast<int>(next() % 2 * s.size());
  upsweep_options o = UPSWEEP_OPTIONS_INIT, alone = UPSWEEP_OPTIONS_INIT;
  o.threads = static_cast<int>(next() % 3) + 1;
  if (takes_initial && next() % 2 == 0) o.initial = alone.initial = &initial;
  auto const expect_bits = [](std::vector<R> const& out, std::vector<R> const& wanted) {
    ASSERT_EQ(std::memcmp(out.data(), wanted.data(), wanted.size() * sizeof(R)), 0);
  };
  for (unsigned const flags : {0u, unsigned{UPSWEEP_REVERSE}, unsigned{UPSWEEP_PAIRWISE}}) {
    o.flags = alone.flags = flags;
    SCOPED_TRACE("operator " + std::to_string(op) + ", shape " + std::to_string(s[0]) + " x " +
                 std::to_string(s[1]) + " x " + std::to_string(s[2]) + ", axis " +
                 std::to_string(axis) + ", flags " + std::to_string(flags));
    auto const lines = lines_along(s, count);
    std::vector<R> totals(lines.size()), wanted(lines.size());
    for (std::size_t k = 0; k < lines.size(); ++k)
      ASSERT_EQ(upsweep_reduce(type_of<T>(), op, chosen(x, lines[k]).data(), lines[k].size(),
                               &alone, &wanted[k]),
                UPSWEEP_OK);
    ASSERT_EQ(
        upsweep_reduce_along_axis(type_of<T>(), op, x.data(), s.data(), 3, axis, &o, totals.data()),
        UPSWEEP_OK);
    expect_bits(totals, wanted);
    if (flags == UPSWEEP_PAIRWISE) continue;
    for (bool const exclusive : {false, true}) {
      std::vector<R> out(x.size()), expected(x.size());
      for (auto const& line : lines) {
        std::vector<R> of_line(line.size());
        ASSERT_EQ(
            (exclusive ? upsweep_exclusive_scan : upsweep_inclusive_scan)(
                type_of<T>(), op, chosen(x, line).data(), line.size(), &alone, of_line.data()),
            UPSWEEP_OK);
        for (std::size_t i = 0; i < line.size(); ++i) expected[line[i]] = of_line[i];
      }
      auto const scan =
          exclusive ? upsweep_exclusive_scan_along_axis : upsweep_inclusive_scan_along_axis;
      ASSERT_EQ(scan(type_of<T>(), op, x.data(), s.data(), 3, axis, &o, out.data()), UPSWEEP_OK);
      expect_bits(out, expected);
      if constexpr (std::is_same_v<T, R>) {
        out = x;
        ASSERT_EQ(scan(type_of<T>(), op, out.data(), s.data(), 3, axis, &o, out.data()),
                  UPSWEEP_OK);
        expect_bits(out, expected);
      }
    }
  }
}

TEST(c_along_axis, lines_have_the_bits_of_calls_on_each_line) {
  SCOPED_TRACE(upsweep::test::seed_note());
  random_bits next(upsweep::test::test_seed());
  // Where lines are read row by row, copied in blocks, transposed, or read where they are.
  std::vector<shape> shapes{{1, 1, 1},   {7, 1, 1},  {1, 33, 8},
                            {2, 100, 7}, {9, 32, 1}, {300, 33, 1}};
  for (int i = 0; i < 12; ++i)
    shapes.push_back({next() % 40 + 1, next() % 40 + 1, next() % 40 + 1});
  for (shape const& s : shapes) {
    check_bits<float, float>(UPSWEEP_SUM, s, true, next);
    check_bits<double, double>(UPSWEEP_SUM, s, true, next);
    check_bits<double, double>(UPSWEEP_PRODUCT, s, true, next);
    check_bits<double, double>(UPSWEEP_MAX, s, true, next);
    check_bits<float, std::uint64_t>(UPSWEEP_ARGMIN, s, false, next);
    check_bits<std::int32_t, std::int64_t>(UPSWEEP_SUM, s, true, next);
    check_bits<std::int64_t, std::int64_t>(UPSWEEP_SUM, s, true, next);
    check_bits<std::int16_t, std::int16_t>(UPSWEEP_BIT_XOR, s, true, next);
    check_bits<double, double>(UPSWEEP_EXACT_SUM, s, true, next);
  }
}

TEST(c_along_axis, empty_lines_have_the_identity_and_empty_arrays_no_results) {
  shape const no_rows{3, 0, 2}, no_lines{0, 4};
  double out[6] = {-1, -1, -1, -1, -1, -1};
  EXPECT_EQ(upsweep_reduce_along_axis(UPSWEEP_F64, UPSWEEP_MAX, nullptr, no_rows.data(), 3, 1,
                                      nullptr, out),
            UPSWEEP_OK);
  for (double const value : out) EXPECT_EQ(value, -std::numeric_limits<double>::infinity());
  expect_refused(upsweep_reduce_along_axis(UPSWEEP_F64, UPSWEEP_ARGMAX, nullptr, no_rows.data(), 3,
                                           1, nullptr, out),
                 UPSWEEP_INVALID_ARGUMENT, "empty");
  EXPECT_EQ(upsweep_reduce_along_axis(UPSWEEP_F64, UPSWEEP_ARGMAX, nullptr, no_lines.data(), 2, 1,
                                      nullptr, nullptr),
            UPSWEEP_OK);
  for (auto const scan : {upsweep_inclusive_scan_along_axis, upsweep_exclusive_scan_along_axis})
    EXPECT_EQ(scan(UPSWEEP_F64, UPSWEEP_SUM, nullptr, no_rows.data(), 3, -2, nullptr, nullptr),
              UPSWEEP_OK);
}

TEST(c_along_axis, indices_count_from_the_begin_of_the_line) {
  std::int64_t const x[] = {1, 5, 2, 4, INT64_MAX, 3};
  std::size_t const s[] = {3, 2};
  std::uint64_t where[2];
  ASSERT_EQ(upsweep_reduce_along_axis(UPSWEEP_I64, UPSWEEP_ARGMAX, x, s, 2, 0, nullptr, where),
            UPSWEEP_OK);
  EXPECT_EQ(where[0], 2u);
  EXPECT_EQ(where[1], 0u);
  std::int64_t out[6];
  EXPECT_EQ(upsweep_reduce_along_axis(UPSWEEP_I64, UPSWEEP_CHECKED_SUM, x, s, 2, 0, nullptr, out),
            UPSWEEP_OVERFLOW);
  EXPECT_EQ(upsweep_last_error_index(), 2u);
}

TEST(c_along_axis, refuse_what_is_wrong_and_change_nothing) {
  float x[6] = {1, 2, 3, 4, 5, 6}, out[6] = {-1, -1, -1, -1, -1, -1};
  std::size_t const s[] = {2, 3};
  for (function const call : {upsweep_reduce_along_axis, upsweep_inclusive_scan_along_axis,
                              upsweep_exclusive_scan_along_axis}) {
    auto const sum = [&](void const* in, std::size_t const* of, std::size_t dimensions, int axis,
                         void* to) {
      return call(UPSWEEP_F32, UPSWEEP_SUM, in, of, dimensions, axis, nullptr, to);
    };
    expect_refused(call(UPSWEEP_F32, UPSWEEP_GCD, x, s, 2, 0, nullptr, out), UPSWEEP_UNSUPPORTED,
                   "UPSWEEP_GCD is not defined for UPSWEEP_F32");
    expect_refused(sum(x, s, 2, 2, out), wrong,
                   "there is no axis 2 in an array of 2 dimensions; give 0 to 1, or -2 to -1");
    expect_refused(sum(x, s, 2, -3, out), wrong, "there is no axis -3 in an array of 2 dimensions");
    expect_refused(sum(x, nullptr, 0, 0, out), wrong, "there is no axis 0 in an array of 0 dim");
    expect_refused(sum(x, nullptr, 2, 0, out), wrong, "`shape` is NULL, but dimensions is 2");
    expect_refused(sum(x, s, 1025, 0, out), wrong, "dimensions is 1025; it is at most 1024");
    expect_refused(sum(nullptr, s, 2, 0, out), wrong,
                   "`in` is NULL, but the number of elements is 6");
    expect_refused(sum(x, s, 2, 0, nullptr), wrong, "`out` is NULL, but the number of results is");
    expect_refused(sum(reinterpret_cast<char*>(x) + 1, s, 2, 0, out), wrong, "`in` is not aligned");
    expect_refused(sum(x, s, 2, 0, reinterpret_cast<char*>(out) + 1), wrong,
                   "`out` is not aligned");
    expect_refused(sum(x, s, 2, 0, x + 1), wrong, "overlap");
    std::size_t const huge[] = {SIZE_MAX / 2, 3}, many[] = {SIZE_MAX / 2, 0, 3};
    expect_refused(sum(x, huge, 2, 0, out), wrong, "more elements than memory can hold");
    expect_refused(call(UPSWEEP_F32, UPSWEEP_SUM, x, s, 2, 0, nullptr, x + 5), wrong, "overlap");
    if (call == upsweep_reduce_along_axis) {
      expect_refused(sum(x, s, 2, 0, x), wrong, "two of its arrays overlap");
      expect_refused(sum(x, many, 3, 1, out), wrong, "more elements than memory can hold");
    }
    upsweep_options o = UPSWEEP_OPTIONS_INIT;
    o.flags = UPSWEEP_CLOSED_RIGHT;
    expect_refused(call(UPSWEEP_F32, UPSWEEP_SUM, x, s, 2, 0, &o, out), wrong, "flag");
    if (call != upsweep_reduce_along_axis) {
      o.flags = UPSWEEP_PAIRWISE;
      expect_refused(call(UPSWEEP_F32, UPSWEEP_SUM, x, s, 2, 0, &o, out), wrong, "flag");
      std::int64_t wide[6] = {};
      expect_refused(call(UPSWEEP_I32, UPSWEEP_SUM, wide, s, 2, 0, nullptr, wide), wrong,
                     "two of its arrays overlap");
    }
  }
  for (int i = 0; i < 6; ++i) {
    EXPECT_EQ(x[i], static_cast<float>(i + 1));
    EXPECT_EQ(out[i], -1);
  }
}

}  // namespace
