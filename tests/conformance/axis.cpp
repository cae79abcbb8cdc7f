/// Axes of n-dimensional views on the executors of the CPU.
#include <conformance/axis_contract.hpp>
#include <conformance/backends.hpp>
#include <conformance/every_call_starts_threads.hpp>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <set>
#include <span>
#include <string>
#include <vector>

namespace upsweep::test {
INSTANTIATE_TYPED_TEST_SUITE_P(host, axis_contract, host_backends, backend_name);

/// Takes all lines at once, as matrices, like upsweep::gpu.
struct scans_matrices : serial {
  template <class T>
  static auto line_of(detail::matrices<T> const& m, bool rows, std::size_t plane,
                      std::size_t line) {
    T* const first = m.first + static_cast<std::ptrdiff_t>(plane) * m.plane_stride +
                     static_cast<std::ptrdiff_t>(line) * (rows ? m.row_stride : m.column_stride);
    return detail::strided_line<T>(first, rows ? m.column_stride : m.row_stride,
                                   rows ? m.columns : m.rows);
  }
  /// f(from, to) for each line.
  template <class T, class R, class F>
  static bool for_each(detail::line_matrices<T const, R> const& lines, F const& f) {
    auto const& [fit, in, out, along_rows] = lines;
    for (std::size_t plane = 0; plane < in.planes; ++plane)
      for (std::size_t line = 0; line < (along_rows ? in.rows : in.columns); ++line)
        f(line_of(in, along_rows, plane, line), line_of(out, along_rows, plane, line));
    return true;
  }
  template <scan_kind kind, class T, class R, class Op, class A>
  bool scan_lines(detail::line_matrices<T const, R> const& lines, bool reverse, Op const& op,
                  A const* initial, A const*) const {
    options<A> o{.reverse = reverse};
    if (initial) o.initial = *initial;
    return for_each(lines, [&](auto const& from, auto to) {
      detail::scan_range<kind>("scan", serial{}, from, to, detail::as_is{}, op, o);
    });
  }
  template <class T, class R, class Op, class A>
  bool reduce_lines(detail::line_matrices<T const, R> const& lines, bool reverse, Op const& op,
                    A const* initial) const {
    options<A> o{.reverse = reverse};
    if (initial) o.initial = *initial;
    return for_each(lines, [&](auto const& from, auto const& to) {
      *to.begin() = static_cast<R>(upsweep::reduce(serial{}, from, op, o));
    });
  }
};
struct on_matrices {
  static scans_matrices make() { return {}; }
  static std::string name() { return "matrices"; }
};
INSTANTIATE_TYPED_TEST_SUITE_P(matrices, axis_contract, testing::Types<on_matrices>, backend_name);

/// Dimensions whose strides nest are one, whatever lies between them.
TEST(line_matrices, of_most_views_are_one_launch) {
  float x{};
  strided_view<float> const four(&x, {2, 3, 4, 5}), gaps(&x, {2, 3, 4, 5}, {80, 20, 5, 1}),
      no_order(&x, {2, 3, 4, 5}, {1, 100, 7, 1000});
  auto const along = [](auto const& view, std::size_t axis) {
    return detail::line_matrices_of<float const, float>(view, view, axis);
  };
  auto const inner = along(four, 3), middle = along(four, 1), outer = along(gaps, 0);
  EXPECT_TRUE(inner.fit && inner.along_rows && inner.in.rows == 24 && inner.in.columns == 5);
  EXPECT_TRUE(middle.fit && !middle.along_rows && middle.in.planes == 2 && middle.in.rows == 3 &&
              middle.in.columns == 20);
  EXPECT_TRUE(outer.fit && !outer.along_rows && outer.in.rows == 2 && outer.in.columns == 60);
  EXPECT_FALSE(along(no_order, 1).fit);
}

/// Each column's scans of products have the bits of its own calls, also where they replace it.
template <class E>
void expect_products_of_columns(E const& on, std::vector<double> const& x, std::size_t columns) {
  std::size_t const rows = x.size() / columns;
  std::vector<double> out(x.size()), own(rows), want(rows);
  auto const view = [&](std::vector<double>& of) {
    return strided_view<double>(of.data(), {rows, columns});
  };
  auto const expect = [&](auto const& scan) {
    for (bool const in_place : {false, true}) {
      std::vector<double> in = x;
      scan(on, view(in), view(in_place ? in : out), options<double>{.axis = 0});
      for (std::size_t c = 0; c < columns; ++c) {
        for (std::size_t r = 0; r < rows; ++r) own[r] = x[r * columns + c];
        scan(serial{}, own, want, options<double>{});
        for (std::size_t r = 0; r < rows; ++r)
          ASSERT_TRUE(same_bits((in_place ? in : out)[r * columns + c], want[r]))
              << r << " of column " << c << (in_place ? ", in place; " : "; ") << seed_note();
      }
    }
  };
  expect([](auto const& by, auto const& in, auto&& to, options<double> const& o) {
    upsweep::exclusive_scan(by, in, to, multiplies{}, o);
  });
  expect([](auto const& by, auto const& in, auto&& to, options<double> const& o) {
    upsweep::inclusive_scan(by, in, to, multiplies{}, o);
  });
}

/// The product of finite numbers that contain a zero is zero, although others overflow.
TEST(columns, of_products_that_overflow_beside_zeros) {
  constexpr std::size_t columns = 9;
  // Infinity times zero in the seventh prefix, but in no later one.
  std::vector<double> x;
  for (double const factor : {1e75, 1e75, 1e75, 1e75, 1e75, 1e75, 0.0, 1.0})
    x.insert(x.end(), columns, factor);
  std::vector<double> mixed(40 * columns), regular(40 * columns);
  random_bits next(test_seed());
  constexpr double factors[] = {0, 1, 1e75, -1e150, 1e-160, 3};
  for (double& e : mixed) e = factors[next.below(6)];
  for (double& e : regular) e = static_cast<double>(next.below(9)) / 3 - 1.5;
  for (int const threads : {1, 3}) {
    expect_products_of_columns(cpu{.threads = threads}, x, columns);
    expect_products_of_columns(cpu{.threads = threads}, mixed, columns);
    expect_products_of_columns(cpu{.threads = threads}, regular, columns);
  }
  std::vector<double> out(x.size());
  upsweep::inclusive_scan(strided_view<double>(x.data(), {8, columns}),
                          strided_view<double>(out.data(), {8, columns}), multiplies{},
                          {.axis = 0});
  EXPECT_EQ(out[5 * columns], std::numeric_limits<double>::infinity());
  EXPECT_EQ(out[6 * columns], 0);
  EXPECT_EQ(out[7 * columns], 0);
}

/// So many sums of a byte, shifted.
template <std::size_t count>
struct shifted_sums {
  struct sums {
    std::uint64_t of[count];
    friend bool operator==(sums const&, sums const&) = default;
  };
  template <class>
  using accumulator = sums;
  [[nodiscard]] sums lift(std::uint8_t x) const {
    sums made{};
    for (std::size_t i = 0; i < count; ++i) made.of[i] = std::uint64_t{x} << i;
    return made;
  }
  [[nodiscard]] sums operator()(sums const& a, sums const& b) const {
    sums made{};
    for (std::size_t i = 0; i < count; ++i) made.of[i] = a.of[i] + b.of[i];
    return made;
  }
  [[nodiscard]] sums identity() const { return {}; }
};
template <std::size_t count>
void expect_shifted_sums() {
  using op = shifted_sums<count>;
  constexpr std::size_t rows = 100;
  for (int const threads : {1, 3})
    for (std::size_t const columns : {1u, 15u, 16u, 17u, 33u, 40u, 64u, 65u, 200u}) {
      cpu const on{.threads = threads};
      std::vector<std::uint8_t> x(rows * columns);
      random_bits next(test_seed() + columns);
      for (auto& v : x) v = static_cast<std::uint8_t>(next());
      std::vector<typename op::sums> totals(columns), prefixes(x.size()), sums(columns);
      strided_view<std::uint8_t> const in(x.data(), {rows, columns});
      upsweep::reduce(on, in, strided_view<typename op::sums>(totals.data(), {columns}), op{},
                      {.axis = 0});
      upsweep::inclusive_scan(on, in,
                              strided_view<typename op::sums>(prefixes.data(), {rows, columns}),
                              op{}, {.axis = 0});
      for (std::size_t i = 0; i < x.size(); ++i) {
        for (std::size_t k = 0; k < count; ++k) sums[i % columns].of[k] += std::uint64_t{x[i]} << k;
        ASSERT_EQ(prefixes[i], sums[i % columns]) << i << " of " << columns << " columns";
      }
      ASSERT_EQ(totals, sums) << columns << " columns";
    }
}
/// A cache line of narrow elements has more columns than wide accumulators are combined at a time.
TEST(columns, of_wide_accumulators_over_narrow_elements) {
  every_call_starts_threads const all;
  expect_shifted_sums<3>();
  expect_shifted_sums<4>();
  expect_shifted_sums<8>();
}

/// Each of three columns has all seven threads, which side by side would have work for one.
TEST(columns, that_are_few_and_long_are_taken_one_after_another) {
  every_call_starts_threads const all;
  cpu const on{.threads = 7};
  std::array<std::size_t, 3> const extent{2'001, 3, 1};
  EXPECT_TRUE((axis_reductions_follow_tree<std::uint64_t>(on, extent, hash_tree{})));
  EXPECT_TRUE((axes_follow_tree<std::uint64_t>(on, extent, monoid(hash_tree{}, std::uint64_t{5}))));
}

/// Every byte of a small view of T, one by one.
template <class T>
std::set<std::ptrdiff_t> bytes_of(T* memory, strided_view<T> const& view) {
  std::set<std::ptrdiff_t> bytes;
  for (std::size_t i = 0; i < view.extent(0); ++i)
    for (std::size_t j = 0; j < view.extent(1); ++j)
      for (std::size_t k = 0; k < view.extent(2); ++k)
        for (std::size_t byte = 0; byte < sizeof(T); ++byte)
          bytes.insert((&view(i, j, k) - memory) * static_cast<std::ptrdiff_t>(sizeof(T)) +
                       static_cast<std::ptrdiff_t>(byte));
  return bytes;
}

template <class T>
strided_view<T> random_view(T* memory, random_bits& next) {
  std::array<std::size_t, 3> extent;
  std::array<std::ptrdiff_t, 3> stride;
  for (std::size_t d = 0; d < 3; ++d) {
    extent[d] = next() % 5;
    stride[d] = static_cast<std::ptrdiff_t>(next() % 31) - 15;
  }
  return {memory + next() % 60, std::span(extent), std::span(stride)};
}

TEST(overlap, of_random_views_agrees_with_a_test_of_every_byte) {
  std::vector<std::int64_t> memory(400);
  auto* const longs = memory.data() + 180;
  auto* const shorts = reinterpret_cast<std::int16_t*>(longs);
  random_bits next(test_seed());
  int common = 0;
  for (int round = 0; round < 3000; ++round) {
    auto const a = random_view(longs, next), b = random_view(longs, next);
    auto const c = random_view(shorts, next);
    auto const in_a = bytes_of(longs, a), in_b = bytes_of(longs, b), in_c = bytes_of(shorts, c);
    auto const meet = [](auto const& x, auto const& y) {
      return std::any_of(x.begin(), x.end(), [&](std::ptrdiff_t byte) { return y.contains(byte); });
    };
    ASSERT_EQ(detail::share_memory(a, b), meet(in_a, in_b))
        << "round " << round << "; " << seed_note();
    ASSERT_EQ(detail::share_memory(a, c), meet(in_a, in_c))
        << "round " << round << "; " << seed_note();
    common += meet(in_a, in_b);
  }
  EXPECT_GT(common, 300);
}
}  // namespace upsweep::test
