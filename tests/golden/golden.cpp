/// Golden bits on every executor, every SIMD target, every cut of a stream, every layout and axis.
#include <golden/golden_table.hpp>
#include <upsweep/host/simd/dispatch.hpp>

#include <algorithm>
#include <cstddef>
#include <deque>
#include <span>
#include <string>
#include <vector>

namespace upsweep::golden {
namespace {

template <class Kind>
class golden_bits : public testing::Test {};

struct kind_name {
  template <class Kind>
  static std::string GetName(int) {
    return std::string(type_name<Kind>()) + "_" + Kind::name;
  }
};

using kinds = testing::Types<sums<float>, sums<double>, recurrences<float>, recurrences<double>>;
TYPED_TEST_SUITE(golden_bits, kinds, kind_name);

TYPED_TEST(golden_bits, serial_executor) {
  EXPECT_TRUE(has_golden_bits<TypeParam>(serial{}));
}

TYPED_TEST(golden_bits, any_number_of_threads) {
  for (int const threads : {0, 1, 2, 3, 7})
    EXPECT_TRUE(has_golden_bits<TypeParam>(cpu{.threads = threads})) << threads << " threads";
}

TYPED_TEST(golden_bits, every_simd_target) {
  for (std::string const& name : host::simd::targets()) {
    host::simd::forced_target const forced(name);
    ASSERT_EQ(host::simd::target(), name);
    EXPECT_TRUE(has_golden_bits<TypeParam>(cpu{.threads = 1})) << name;
    EXPECT_TRUE(has_golden_bits<TypeParam>(cpu{.threads = 2})) << name;
  }
}

TYPED_TEST(golden_bits, any_chunks_of_a_stream) {
  using T = typename TypeParam::element;
  using Op = typename TypeParam::operation;
  for (row const& r : rows(type_name<TypeParam>(), TypeParam::name)) {
    if (r.initial) continue;
    std::vector<T> const x = input<TypeParam>(r);
    for (std::size_t const longest : {std::size_t{3}, std::size_t{1000}, std::size_t{100000}}) {
      if (r.n > 3000 * longest) continue;
      word_source lengths(longest + r.n);
      scan_stream<T, Op> inclusive, exclusive;
      reduce_stream<T, Op> total;
      std::vector<T> through(r.n), before(r.n);
      for (std::size_t start = 0; start < r.n;) {
        std::size_t const n = std::min<std::size_t>(r.n - start, lengths() % (longest + 1));
        auto const chunk = std::span(x).subspan(start, n);
        inclusive.inclusive(chunk, std::span(through).subspan(start, n));
        exclusive.exclusive(chunk, std::span(before).subspan(start, n));
        total.push(chunk);
        start += n;
      }
      ASSERT_TRUE(scan_matches<TypeParam>(r, scan_kind::inclusive, through))
          << "chunks of up to " << longest;
      ASSERT_TRUE(scan_matches<TypeParam>(r, scan_kind::exclusive, before))
          << "chunks of up to " << longest;
      ASSERT_TRUE(matches(r, "reduce_stream", TypeParam::text(total.result()), r.reduce))
          << "chunks of up to " << longest;
    }
  }
}

TYPED_TEST(golden_bits, any_axis_and_layout) {
  using T = typename TypeParam::element;
  typename TypeParam::operation const op;
  for (row const& r : rows(type_name<TypeParam>(), TypeParam::name)) {
    if (r.initial || r.n > 70000) continue;
    std::vector<T> const x = input<TypeParam>(r);
    constexpr std::size_t copies = 19;  // more than a bundle of lines, and a rest
    std::vector<T> columns, in_columns(r.n * copies), in_rows(r.n * copies);
    for (T const& element : x) columns.insert(columns.end(), copies, element);
    inclusive_scan(strided_view<T>(columns.data(), {r.n, copies}),
                   strided_view<T>(in_columns.data(), {r.n, copies}), op, {.axis = 0});
    // The same columns again, seen as the rows of the transposed view and written row by row.
    strided_view<T> const transposed(columns.data(), {copies, r.n},
                                     {1, static_cast<std::ptrdiff_t>(copies)});
    exclusive_scan(transposed, strided_view<T>(in_rows.data(), {copies, r.n}), op, {.axis = -1});
    for (std::size_t line : {std::size_t{0}, std::size_t{7}, copies - 1}) {
      std::vector<T> column;
      for (std::size_t i = 0; i < r.n; ++i) column.push_back(in_columns[i * copies + line]);
      ASSERT_TRUE(scan_matches<TypeParam>(r, scan_kind::inclusive, column)) << "column " << line;
      ASSERT_TRUE(scan_matches<TypeParam>(r, scan_kind::exclusive,
                                          std::span(in_rows).subspan(line * r.n, r.n)))
          << "row " << line;
    }
  }
}

TYPED_TEST(golden_bits, reversed_and_scattered_ranges) {
  using T = typename TypeParam::element;
  typename TypeParam::operation const op;
  for (row const& r : rows(type_name<TypeParam>(), TypeParam::name)) {
    if (r.initial) continue;
    std::vector<T> x = input<TypeParam>(r);
    std::deque<T> const pieces(x.begin(), x.end());
    std::vector<T> out(r.n);
    ASSERT_TRUE(matches(r, "reduce of a deque", TypeParam::text(reduce(pieces, op)), r.reduce));
    std::reverse(x.begin(), x.end());
    inclusive_scan(x, out, op, {.reverse = true});
    std::reverse(out.begin(), out.end());
    ASSERT_TRUE(scan_matches<TypeParam>(r, scan_kind::inclusive, out));
  }
}

}  // namespace
}  // namespace upsweep::golden
