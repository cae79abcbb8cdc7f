/// Contract 6: products of floats that overflow before they meet a zero.
#include <support/pieces.hpp>
#include <support/products.hpp>
#include <support/random.hpp>
#include <upsweep/axis.hpp>
#include <upsweep/by_key.hpp>
#include <upsweep/histogram.hpp>
#include <upsweep/ops/tuple.hpp>
#include <upsweep/partial/bytes.hpp>
#include <upsweep/ranks.hpp>
#include <upsweep/ranks/loopback.hpp>
#include <upsweep/upsweep.hpp>
#include <upsweep/windowed.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <limits>
#include <optional>
#include <span>
#include <tuple>
#include <utility>
#include <vector>

namespace upsweep::test {
namespace {

// Contract 6: products of floats that overflow before they meet a zero, by every verb of
// the CPU.

constexpr double infinity = std::numeric_limits<double>::infinity();

std::vector<std::size_t> const edges{1,    2,    3,    5,    8,    15,   16,   17,   31,  33,  63,
                                     64,   65,   127,  128,  129,  255,  256,  257,  500, 512, 1000,
                                     1023, 1024, 1025, 2047, 3000, 4095, 4096, 4097, 5000};
std::vector<std::size_t> const few_edges{1, 2, 7, 16, 17, 65, 129, 257, 1025, 3000};

template <class T>
class products : public testing::Test {};
using factor_types = testing::Types<factors_type<double>, factors_type<float16>>;
TYPED_TEST_SUITE(products, factor_types);

template <class T>
void expect_reductions(std::vector<T> const& x, std::optional<product_of<T>> const& initial) {
  std::vector<T> const back(x.rbegin(), x.rend());
  std::deque<T> const far(x.begin(), x.end());
  auto const want = std::vector{expected_product(x, 0, x.size(), initial)};
  auto const o = with<T>(initial);
  auto const same = [](T v) { return v; };
  expect_products(std::vector{upsweep::reduce(x, multiplies{}, o)}, want, "reduce");
  expect_products(std::vector{upsweep::reduce(cpu{.threads = 3}, x, multiplies{}, o)}, want,
                  "on three threads");
  expect_products(std::vector{upsweep::reduce(far, multiplies{}, o)}, want, "of a deque");
  expect_products(std::vector{transform_reduce(x, same, multiplies{}, o)}, want, "transformed");
  expect_products(std::vector{upsweep::reduce(back, multiplies{}, with<T>(initial, true))}, want,
                  "reversed");
  auto const both = upsweep::reduce(
      x, tuple_of(plus{}, multiplies{}),
      {.initial = initial ? std::optional(std::tuple(*initial, *initial)) : std::nullopt});
  expect_products(std::vector{std::get<1>(both)}, want, "in a tuple");
}
TYPED_TEST(products, of_reductions) {
  for_each_input<typename TypeParam::type>(edges, [](auto const& x) {
    for (auto const& initial : initials<typename TypeParam::type>()) expect_reductions(x, initial);
  });
}

template <class T>
void expect_scans(cpu const& on, std::vector<T> const& x,
                  std::optional<product_of<T>> const& initial) {
  auto const o = with<T>(initial), backwards = with<T>(initial, true);
  auto const inclusive = expected_products(x, true, initial);
  auto const exclusive = expected_products(x, false, initial);
  std::vector<T> const back(x.rbegin(), x.rend());
  auto const turned = [](auto const& v) { return std::vector(v.rbegin(), v.rend()); };
  auto const same = [](T v) { return v; };
  expect_scan(x, inclusive, "inclusive", [&](auto const& in, auto& out) {
    upsweep::inclusive_scan(on, in, out, multiplies{}, o);
  });
  expect_scan(x, exclusive, "exclusive", [&](auto const& in, auto& out) {
    upsweep::exclusive_scan(on, in, out, multiplies{}, o);
  });
  expect_scan(back, turned(inclusive), "inclusive, reversed", [&](auto const& in, auto& out) {
    upsweep::inclusive_scan(on, in, out, multiplies{}, backwards);
  });
  expect_scan(back, turned(exclusive), "exclusive, reversed", [&](auto const& in, auto& out) {
    upsweep::exclusive_scan(on, in, out, multiplies{}, backwards);
  });
  expect_scan(x, inclusive, "transformed", [&](auto const& in, auto& out) {
    transform_inclusive_scan(on, in, out, same, multiplies{}, o);
  });
  expect_scan(x, exclusive, "exclusive, transformed", [&](auto const& in, auto& out) {
    transform_exclusive_scan(on, in, out, same, multiplies{}, o);
  });
}
TEST(products_of_float_and_bfloat16, of_reductions) {
  for_each_input<float>(few_edges, [](auto const& x) { expect_reductions(x, {}); });
  for_each_input<bfloat16>(few_edges, [](auto const& x) { expect_reductions(x, {}); });
}
TYPED_TEST(products, of_scans) {
  for_each_input<typename TypeParam::type>(edges, [](auto const& x) {
    for (auto const& initial : initials<typename TypeParam::type>())
      expect_scans(cpu{.threads = 1}, x, initial);
  });
}
TEST(products_of_many, on_several_threads) {
  random_bits next(test_seed());
  auto const random = [&](std::size_t n) { return static_cast<std::size_t>(next.below(n)); };
  for (std::size_t const n : {65532u, 65536u, 65541u, 200'000u})
    for (factor_kind const kind : all_factor_kinds) {
      auto const x = factors_of<double>(kind, n, random);
      auto const want = expected_products(x, true);
      for (int const threads : {1, 2, 7}) {
        expect_scan(x, want, "inclusive", [&](auto const& in, auto& out) {
          upsweep::inclusive_scan(cpu{.threads = threads}, in, out, multiplies{});
        });
        expect_products(std::vector{upsweep::reduce(cpu{.threads = threads}, x, multiplies{})},
                        std::vector{want.back()}, "reduce");
      }
    }
}

TYPED_TEST(products, of_streams) {
  using T = typename TypeParam::type;
  for_each_input<T>(few_edges, [](auto const& x) {
    for (auto const& initial : initials<T>())
      for (std::size_t const chunk : {1u, 7u, 64u, 1000u}) {
        if (chunk == 1 && x.size() > 300) continue;
        reduce_stream<T, multiplies> reduced({}, multiplies{}, with<T>(initial));
        scan_stream<T, multiplies> scanned({}, multiplies{}, with<T>(initial)),
            in_place({}, multiplies{}, with<T>(initial));
        std::vector<T> out(x.size()), same(x);
        for (std::size_t i = 0; i < x.size(); i += chunk) {
          std::size_t const n = std::min(chunk, x.size() - i);
          reduced.push(std::span(x).subspan(i, n));
          scanned.inclusive(std::span(x).subspan(i, n), std::span(out).subspan(i, n));
          auto const here = std::span(same).subspan(i, n);
          in_place.exclusive(std::span<T const>(here), here);
        }
        auto const want = expected_products(x, true, initial);
        expect_products(std::vector{reduced.result()}, std::vector{want.back()}, "reduce_stream");
        expect_products(out, want, "scan_stream");
        expect_products(same, expected_products(x, false, initial), "scan_stream in place");
      }
  });
}
TYPED_TEST(products, of_partials_in_any_grouping) {
  using T = typename TypeParam::type;
  random_bits next(test_seed() + 1);
  for_each_input<T>(few_edges, [&](auto const& x) {
    std::vector<std::size_t> cuts{0, x.size()};
    for (int i = 0; i < 4; ++i) cuts.push_back(static_cast<std::size_t>(next.below(x.size() + 1)));
    std::ranges::sort(cuts);
    std::vector<partial<T, multiplies>> parts;
    for (std::size_t i = 0; i + 1 < cuts.size(); ++i) {
      partial<T, multiplies> part(cuts[i]);
      part.push(serial{}, std::span(x).subspan(cuts[i], cuts[i + 1] - cuts[i]));
      parts.push_back(from_bytes<T, multiplies>(to_bytes(part)));
    }
    auto const whole = appended_in_any_order(parts, next);
    for (auto const& initial : initials<T>())
      expect_products(std::vector{whole.result(with<T>(initial))},
                      std::vector{expected_product(x, 0, x.size(), initial)}, "partial");
  });
}
TYPED_TEST(products, of_ranks) {
  using T = typename TypeParam::type;
  for_each_input<T>({1, 9, 64, 1025, 3000}, [](auto const& x) {
    for (int const size : {1, 2, 3, 5}) {
      std::vector<T> inclusive(x.size()), same(x);
      std::vector<product_of<T>> totals(static_cast<std::size_t>(size));
      loopback::run(size, [&](loopback const& c) {
        auto const r = static_cast<std::size_t>(c.rank()),
                   ranks_of = static_cast<std::size_t>(size);
        std::size_t const begin = x.size() * r / ranks_of,
                          n = x.size() * (r + 1) / ranks_of - begin;
        ranks const all(c, serial{});
        totals[r] = upsweep::reduce(all, std::span(x).subspan(begin, n), multiplies{});
        upsweep::inclusive_scan(all, std::span(x).subspan(begin, n),
                                std::span(inclusive).subspan(begin, n), multiplies{});
        auto const here = std::span(same).subspan(begin, n);
        upsweep::exclusive_scan(all, std::span<T const>(here), here, multiplies{}, {.initial = -2});
      });
      auto const want = expected_products(x, true);
      expect_products(totals, std::vector(totals.size(), want.back()), "reduce of ranks");
      expect_products(inclusive, want, "scan of ranks");
      expect_products(same, expected_products<T>(x, false, product_of<T>{-2}), "in place");
    }
  });
}

TEST(products_of_factorials, are_zero_behind_a_zero) {
  std::vector<double> x(1320), out(1320);
  for (std::size_t i = 0; i < x.size(); ++i) x[i] = static_cast<double>(i);
  EXPECT_EQ(upsweep::reduce(x, multiplies{}), 0);
  upsweep::inclusive_scan(x, out, multiplies{});
  EXPECT_EQ(out, std::vector<double>(1320));
}
TEST(products_of_marks, keep_a_nan_that_looks_like_one) {
  using of = upsweep::detail::marks<double>;
  double const mark = of::marked(infinity);
  for (std::size_t const n : {1u, 3u, 20u, 200u, 3000u}) {
    std::vector<double> x(n, 1e200), out(n);
    x[n / 2] = mark;
    EXPECT_TRUE(std::isnan(upsweep::reduce(x, multiplies{}))) << n;
    EXPECT_TRUE(std::isnan(transform_reduce(x, [](double v) { return v; }, multiplies{}))) << n;
    upsweep::inclusive_scan(x, out, multiplies{});
    EXPECT_TRUE(std::isnan(out.back())) << n;
    reduce_stream<double, multiplies> s;
    s.push(x);
    EXPECT_TRUE(std::isnan(s.result())) << n;
  }
}
TEST(products_of_two, are_those_of_ieee_but_for_overflows) {
  EXPECT_EQ(multiplies{}(1e200, 1e200), infinity);
  EXPECT_TRUE(same_product(multiplies{}(-infinity, 0.0), -0.0));
  EXPECT_TRUE(std::isnan(multiplies{}(multiplies{}.lift(infinity), 0.0)));
  EXPECT_EQ(multiplies{}.finish(multiplies{}(multiplies{}.lift(infinity), -2.0)), -infinity);
}

// Contract 6: products of floats that overflow before they meet a zero, in segments, runs,
// windows, bins and along an axis.

template <class T>
class products_of_parts : public testing::Test {};
using types_of_parts = testing::Types<factors_type<double>, factors_type<bfloat16>>;
TYPED_TEST_SUITE(products_of_parts, types_of_parts);

template <class T>
void expect_segments(std::vector<T> const& x, std::vector<std::size_t> const& offsets,
                     std::optional<product_of<T>> const& initial) {
  std::size_t const n = x.size(), count = offsets.size() - 1;
  auto const o = with<T>(initial);
  std::vector<int> keys(n), first(count);
  std::vector<product_of<T>> totals, inclusive, exclusive;
  for (std::size_t k = 0; k < count; ++k) {
    totals.push_back(expected_product(x, offsets[k], offsets[k + 1], initial));
    std::fill(keys.begin() + static_cast<std::ptrdiff_t>(offsets[k]),
              keys.begin() + static_cast<std::ptrdiff_t>(offsets[k + 1]), static_cast<int>(k));
    for (bool const is_inclusive : {true, false}) {
      auto const of = expected_products(x, is_inclusive, initial, offsets[k], offsets[k + 1]);
      auto& to = is_inclusive ? inclusive : exclusive;
      to.insert(to.end(), of.begin(), of.end());
    }
  }
  std::vector<T> got(count);
  reduce_segments(x, offsets, got, multiplies{}, o);
  expect_products(got, totals, "reduce_segments");
  reduce_runs(keys, x, first, got, multiplies{}, o);
  expect_products(got, totals, "reduce_runs");
  expect_scan(x, inclusive, "inclusive_scan_segments", [&](auto const& in, auto& out) {
    inclusive_scan_segments(in, offsets, out, multiplies{}, o);
  });
  expect_scan(x, exclusive, "exclusive_scan_segments", [&](auto const& in, auto& out) {
    exclusive_scan_segments(in, offsets, out, multiplies{}, o);
  });
  expect_scan(x, inclusive, "inclusive_scan_runs", [&](auto const& in, auto& out) {
    inclusive_scan_runs(keys, in, out, multiplies{}, o);
  });
}
TYPED_TEST(products_of_parts, of_segments_and_runs) {
  using T = typename TypeParam::type;
  for_each_input<T>({1, 9, 65, 1025, 3000}, [](auto const& x) {
    for (auto const& initial : initials<T>())
      for (std::size_t const step : {1u, 3u, 16u, 31u, 150u, 900u}) {
        std::vector<std::size_t> offsets;
        for (std::size_t i = 0; i < x.size(); i += step) offsets.push_back(i);
        offsets.push_back(x.size());
        expect_segments(x, offsets, initial);
      }
  });
}
TYPED_TEST(products_of_parts, of_windows) {
  using T = typename TypeParam::type;
  for_each_input<T>({1, 9, 65, 1025, 3000}, [](auto const& x) {
    for (auto const& initial : initials<T>())
      for (std::size_t const width : {1u, 2u, 7u, 33u, 150u}) {
        if (width > x.size()) continue;
        std::vector<T> out(x.size() - width + 1);
        std::vector<product_of<T>> want;
        for (std::size_t i = 0; i < out.size(); ++i)
          want.push_back(expected_product(x, i, i + width, initial));
        windowed(x, width, out, multiplies{}, with<T>(initial));
        expect_products(out, want, "windowed");
      }
  });
}
TYPED_TEST(products_of_parts, of_weights_in_bins) {
  using T = typename TypeParam::type;
  for_each_input<T>({9, 65, 3000}, [](auto const& x) {
    for (std::size_t const bins : {1u, 3u, 40u}) {
      std::vector<std::vector<T>> of_bin(bins);
      std::vector<double> where(x.size());
      std::vector<T> out(bins);
      for (std::size_t i = 0; i < x.size(); ++i) {
        std::size_t const b = i * i % bins;
        where[i] = static_cast<double>(b) + 0.5;
        of_bin[b].push_back(x[i]);
      }
      for (int const threads : {1, 3})
        weighted_histogram(cpu{.threads = threads}, where, x, out,
                           even{0, static_cast<double>(bins)}, multiplies{});
      std::vector<product_of<T>> want;
      for (auto const& of : of_bin) want.push_back(expected_product(of, 0, of.size()));
      expect_products(out, want, "weighted_histogram");
    }
  });
}

/// The columns of a matrix in rows.
template <class T>
void expect_lines(std::vector<T> const& x, std::size_t columns,
                  std::optional<product_of<T>> const& initial, bool reverse) {
  std::size_t const rows = x.size() / columns;
  auto o = with<T>(initial, reverse);
  o.axis = 0;
  std::vector<T> totals(columns), out(rows * columns), same(x), exclusive(rows * columns);
  same.resize(rows * columns);
  std::vector<product_of<T>> want(columns), prefixes(rows * columns), before(rows * columns);
  for (std::size_t c = 0; c < columns; ++c) {
    std::vector<T> line;
    auto const row = [&](std::size_t r) { return (reverse ? rows - 1 - r : r) * columns + c; };
    for (std::size_t r = 0; r < rows; ++r) line.push_back(x[row(r)]);
    want[c] = expected_product(line, 0, rows, initial);
    auto const all = expected_products(line, true, initial);
    auto const rest = expected_products(line, false, initial);
    for (std::size_t r = 0; r < rows; ++r) prefixes[row(r)] = all[r], before[row(r)] = rest[r];
  }
  strided_view<T const> const in(x.data(), {rows, columns});
  strided_view<T> const own(same.data(), {rows, columns});
  upsweep::reduce(in, strided_view<T>(totals.data(), {columns}), multiplies{}, o);
  upsweep::inclusive_scan(in, strided_view<T>(out.data(), {rows, columns}), multiplies{}, o);
  upsweep::exclusive_scan(in, strided_view<T>(exclusive.data(), {rows, columns}), multiplies{}, o);
  upsweep::inclusive_scan(strided_view<T const>(same.data(), {rows, columns}), own, multiplies{},
                          o);
  expect_products(totals, want, "reduce of columns");
  expect_products(out, prefixes, "scan of columns");
  expect_products(exclusive, before, "exclusive scan of columns");
  expect_products(same, prefixes, "scan of columns in place");
}
TYPED_TEST(products_of_parts, of_lines) {
  using T = typename TypeParam::type;
  for_each_input<T>({40, 1025, 3000}, [](auto const& x) {
    for (auto const& initial : initials<T>())
      for (std::size_t const columns : {1u, 3u, 21u, 150u})
        for (bool const reverse : {false, true})
          if (columns <= x.size()) expect_lines(x, columns, initial, reverse);
  });
}

}  // namespace
}  // namespace upsweep::test
