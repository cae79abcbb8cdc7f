/// Products of finite numbers with a zero, in which the tree multiplies infinity by zero: zero by
/// every verb, and NaN where an element is infinite or NaN, as a plain loop with a flag has it.
#include <upsweep/axis.hpp>
#include <upsweep/by_key.hpp>
#include <upsweep/histogram.hpp>
#include <upsweep/scan_stream.hpp>
#include <upsweep/segments.hpp>
#include <upsweep/upsweep.hpp>
#include <upsweep/windowed.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <deque>
#include <limits>
#include <span>
#include <vector>

namespace {

using namespace upsweep;

constexpr double infinity = std::numeric_limits<double>::infinity();

/// n factors of which some overflow together, zeros from `zero` on, and one that is not finite.
std::vector<double> factors(std::size_t n, std::size_t zero, std::size_t odd = ~std::size_t{0}) {
  std::vector<double> x(n, 1e100);
  for (std::size_t i = 0; i < n; i += 3) x[i] = -1e-90;
  for (std::size_t i = zero; i < n; i += 97) x[i] = 0;
  if (odd < n) x[odd] = odd % 2 == 0 ? infinity : std::nan("");
  return x;
}

/// What is known of the product of x[begin, end) without multiplying: 0, NaN, or neither.
enum class kind_of { zero, nan, other };
kind_of known(std::vector<double> const& x, std::size_t begin, std::size_t end) {
  bool has_zero = false, has_infinity = false;
  for (std::size_t i = begin; i < end; ++i) {
    if (std::isnan(x[i])) return kind_of::nan;
    has_zero = has_zero || x[i] == 0;
    has_infinity = has_infinity || std::isinf(x[i]);
  }
  return !has_zero ? kind_of::other : has_infinity ? kind_of::nan : kind_of::zero;
}
void expect_known(double product, std::vector<double> const& x, std::size_t begin,
                  std::size_t end) {
  bool const are_finite = std::ranges::all_of(x, [](double v) { return std::isfinite(v); });
  switch (known(x, begin, end)) {
    case kind_of::zero:
      EXPECT_EQ(product, 0) << begin << ' ' << end;
      break;
    case kind_of::nan:
      EXPECT_TRUE(std::isnan(product)) << begin << ' ' << end;
      break;
    case kind_of::other:
      EXPECT_FALSE(are_finite && std::isnan(product)) << begin << ' ' << end;
  }
}
template <class F>
void for_each_input(F const& f) {
  for (std::size_t const n : {2u, 3u, 7u, 16u, 17u, 64u, 65u, 130u, 1000u})
    for (std::size_t const zero : {std::size_t{0}, n / 3, n - 1, n})
      for (std::size_t const odd : {n, n / 2, n / 2 + 1}) f(factors(n, zero, odd));
}
void expect_prefixes(std::vector<double> const& got, std::vector<double> const& x, bool inclusive) {
  for (std::size_t i = 0; i < got.size(); i += got.size() > 70 ? got.size() / 40 : 1)
    expect_known(got[i], x, 0, i + (inclusive ? 1 : 0));
}

TEST(products_with_zeros, of_reductions) {
  for_each_input([](auto const& x) {
    std::size_t const n = x.size();
    double const all = reduce(x, multiplies{});
    expect_known(all, x, 0, n);
    expect_known(reduce(x, multiplies{}, {.reverse = true}), x, 0, n);
    expect_known(reduce(x, multiplies{}, {.tree = tree::pairwise}), x, 0, n);
    expect_known(reduce(cpu{.threads = 3}, x, multiplies{}), x, 0, n);
    expect_known(reduce(std::deque<double>(x.begin(), x.end()), multiplies{}), x, 0, n);
    expect_known(transform_reduce(x, [](double v) { return v; }, multiplies{}), x, 0, n);
  });
}
TEST(products_with_zeros, of_initial_values) {
  std::vector<double> const huge{1e200, 1e200}, zero{1e200, 0};
  EXPECT_EQ(reduce(huge, multiplies{}, {.initial = 0.0}), 0);
  EXPECT_TRUE(std::isnan(reduce(zero, multiplies{}, {.initial = infinity})));
  std::vector<double> out(2);
  inclusive_scan(huge, out, multiplies{}, {.initial = 0.0});
  EXPECT_EQ(out, (std::vector{0.0, 0.0}));
  exclusive_scan(zero, out, multiplies{}, {.initial = infinity});
  EXPECT_EQ(out, (std::vector{infinity, infinity}));
  inclusive_scan(zero, out, multiplies{}, {.initial = infinity});
  EXPECT_TRUE(out[0] == infinity && std::isnan(out[1]));
}
TEST(products_with_zeros, of_scans) {
  for_each_input([](auto const& x) {
    std::vector<double> out(x.size());
    for (int const threads : {1, 3}) {
      cpu const on{.threads = threads};
      inclusive_scan(on, x, out, multiplies{});
      expect_prefixes(out, x, true);
      EXPECT_TRUE(out.back() == reduce(x, multiplies{}) || std::isnan(out.back()));
      exclusive_scan(on, x, out, multiplies{});
      expect_prefixes(out, x, false);
      out = x;
      inclusive_scan(on, out, out, multiplies{});
      expect_prefixes(out, x, true);
      out = x;
      exclusive_scan(on, out, out, multiplies{});
      expect_prefixes(out, x, false);
    }
    std::vector<double> const backwards(x.rbegin(), x.rend());
    inclusive_scan(x, out, multiplies{}, {.reverse = true});
    expect_prefixes({out.rbegin(), out.rend()}, backwards, true);
    std::deque<double> far(x.begin(), x.end());
    upsweep::inclusive_scan(far, far, multiplies{});
    expect_prefixes({far.begin(), far.end()}, x, true);
  });
}
TEST(products_with_zeros, of_scans_in_several_tiles) {
  constexpr std::size_t n = 300'000;
  for (std::size_t const zero : {std::size_t{5}, n / 2})
    for (std::size_t const odd : {n, n - 100'000}) {
      auto const x = factors(n, zero, odd);
      std::vector<double> out(n), same(x);
      inclusive_scan(cpu{.threads = 3}, x, out, multiplies{});
      inclusive_scan(cpu{.threads = 3}, same, same, multiplies{});
      for (std::size_t i = 0; i < n; ++i) {
        bool const has_odd = odd <= i, has_zero = zero <= i;
        ASSERT_EQ(std::isnan(out[i]), has_odd && (has_zero || odd % 2 == 1)) << i;
        ASSERT_EQ(std::isnan(same[i]), std::isnan(out[i])) << i;
        if (has_zero && !has_odd) {
          ASSERT_EQ(out[i], 0) << i;
        }
      }
    }
}
TEST(products_with_zeros, of_streams) {
  for_each_input([](auto const& x) {
    for (std::size_t const chunk : {1u, 5u, 64u}) {
      reduce_stream<double, multiplies> reduced;
      scan_stream<double, multiplies> scanned, in_place;
      std::vector<double> out(x.size()), same(x);
      for (std::size_t i = 0; i < x.size(); i += chunk) {
        std::size_t const n = std::min(chunk, x.size() - i);
        reduced.push(std::span(x).subspan(i, n));
        scanned.inclusive(std::span(x).subspan(i, n), std::span(out).subspan(i, n));
        auto const here = std::span(same).subspan(i, n);
        in_place.exclusive(std::span<double const>(here), here);
      }
      expect_known(reduced.result(), x, 0, x.size());
      expect_known(in_place.result(), x, 0, x.size());
      expect_prefixes(out, x, true);
      expect_prefixes(same, x, false);
    }
  });
}
TEST(products_with_zeros, of_segments_and_runs) {
  for_each_input([](auto const& x) {
    std::size_t const n = x.size();
    for (std::size_t const step : {1u, 3u, 16u, 150u}) {
      std::vector<std::size_t> offsets;
      std::vector<int> keys;
      for (std::size_t i = 0; i < n; ++i) {
        if (i % step == 0) offsets.push_back(i);
        keys.push_back(static_cast<int>(i / step));
      }
      offsets.push_back(n);
      std::size_t const count = offsets.size() - 1;
      std::vector<double> totals(count), of_runs(count), out(n), same(x), scanned(n);
      std::vector<int> first(count);
      reduce_segments(x, offsets, totals, multiplies{});
      reduce_runs(keys, x, first, of_runs, multiplies{});
      inclusive_scan_segments(x, offsets, out, multiplies{});
      inclusive_scan_segments(same, offsets, same, multiplies{});
      exclusive_scan_runs(keys, x, scanned, multiplies{});
      for (std::size_t k = 0; k < count; k += count > 70 ? count / 40 : 1) {
        expect_known(totals[k], x, offsets[k], offsets[k + 1]);
        expect_known(of_runs[k], x, offsets[k], offsets[k + 1]);
        for (std::size_t i = offsets[k]; i < offsets[k + 1]; i += 7) {
          expect_known(out[i], x, offsets[k], i + 1);
          expect_known(same[i], x, offsets[k], i + 1);
          expect_known(scanned[i], x, offsets[k], i);
        }
      }
    }
  });
}
TEST(products_with_zeros, of_windows) {
  for_each_input([](auto const& x) {
    for (std::size_t const width : {1u, 2u, 7u, 33u}) {
      if (width > x.size()) continue;
      std::vector<double> out(x.size() - width + 1);
      windowed(x, width, out, multiplies{});
      for (std::size_t i = 0; i < out.size(); i += out.size() > 70 ? out.size() / 40 : 1)
        expect_known(out[i], x, i, i + width);
    }
  });
}
TEST(products_with_zeros, of_weights_in_bins) {
  for (std::size_t const n : {9u, 5000u})
    for (std::size_t const odd : {n, n / 2}) {
      auto const x = factors(n, 5, odd);
      std::vector<std::vector<double>> of_bin(3);
      std::vector<double> where(n), out(3);
      for (std::size_t i = 0; i < n; ++i) {
        where[i] = static_cast<double>(i % 3) + 0.5;
        of_bin[i % 3].push_back(x[i]);
      }
      weighted_histogram(where, x, out, even{0, 3}, multiplies{});
      for (std::size_t b = 0; b < 3; ++b) expect_known(out[b], of_bin[b], 0, of_bin[b].size());
    }
}
TEST(products_with_zeros, of_lines) {
  constexpr std::size_t rows = 50, columns = 21;
  for (bool const has_odd : {false, true}) {
    std::vector<std::vector<double>> column(columns);
    std::vector<double> x(rows * columns), totals(columns), out(rows * columns), same;
    for (std::size_t c = 0; c < columns; ++c) {
      column[c] = factors(rows, c + 10, has_odd && c % 4 == 0 ? c + 5 : rows);
      for (std::size_t r = 0; r < rows; ++r) x[r * columns + c] = column[c][r];
    }
    same = x;
    strided_view<double const> const in(x.data(), {rows, columns});
    strided_view<double> const to(out.data(), {rows, columns}), own(same.data(), {rows, columns});
    reduce(in, strided_view<double>(totals.data(), {columns}), multiplies{}, {.axis = 0});
    inclusive_scan(in, to, multiplies{}, {.axis = 0});
    inclusive_scan(own, own, multiplies{}, {.axis = 0});
    for (std::size_t c = 0; c < columns; ++c) {
      expect_known(totals[c], column[c], 0, rows);
      for (std::size_t r = 0; r < rows; ++r) {
        expect_known(out[r * columns + c], column[c], 0, r + 1);
        expect_known(same[r * columns + c], column[c], 0, r + 1);
      }
    }
    inclusive_scan(in, to, multiplies{}, {.reverse = true, .axis = 0});
    for (std::size_t c = 0; c < columns; ++c) {
      std::vector<double> const up(column[c].rbegin(), column[c].rend());
      for (std::size_t r = 0; r < rows; ++r)
        expect_known(out[(rows - 1 - r) * columns + c], up, 0, r + 1);
    }
  }
}
TEST(products_with_zeros, of_float_and_half) {
  std::vector<float> const x{0, 1, 1e30f, 1e30f};
  EXPECT_EQ(reduce(x, multiplies{}), 0);
  std::vector<float16> const half{float16(0), float16(1), float16(60000), float16(60000)};
  std::vector<float16> out(4);
  std::vector<float16> many(64, float16(60000));
  many[7] = float16(0);
  EXPECT_EQ(reduce(many, multiplies{}), 0);
  upsweep::inclusive_scan(half, out, multiplies{});
  for (auto const& v : out) EXPECT_EQ(static_cast<float>(v), 0);
}

}  // namespace
