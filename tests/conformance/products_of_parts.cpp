/// Contract 6: products of floats that overflow before they meet a zero, in segments, runs,
/// windows, bins and along an axis.
#include <support/products.hpp>
#include <support/random.hpp>
#include <upsweep/axis.hpp>
#include <upsweep/by_key.hpp>
#include <upsweep/histogram.hpp>
#include <upsweep/upsweep.hpp>
#include <upsweep/windowed.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <optional>
#include <vector>

namespace upsweep::test {
namespace {

template <class T>
class products_of_parts : public testing::Test {};
using factor_types = testing::Types<factors_type<double>, factors_type<bfloat16>>;
TYPED_TEST_SUITE(products_of_parts, factor_types);

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
