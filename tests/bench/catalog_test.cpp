/// The rows by name, their inputs and their references.
#include <bench/harness/data.hpp>
#include <bench/harness/measure.hpp>
#include <bench/plain/operators.hpp>
#include <bench/rows/catalog.hpp>
#include <upsweep/by_name/run.hpp>
#include <upsweep/generic/reference.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <numeric>
#include <set>
#include <utility>
#include <vector>

namespace upsweep::bench {
namespace {

// The rows by name are complete, their results have the library's types, and their references are
// those of reference.hpp.

TEST(bench_catalog, has_every_operator_that_takes_numbers) {
  std::set<operation> found;
  for (auto const& row : catalog_rows()) found.insert(row.op);
  for (auto const& entry : catalog::operators)
    EXPECT_EQ(found.count(operation_of(entry.id)),
              entry.takes != catalog::operand_kind::text ? 1u : 0u)
        << entry.name;
}

TEST(bench_catalog, has_every_call_by_name_with_its_types) {
  std::size_t entries = 0;
  std::set<catalog::id> called;
  for (auto const family : dynamic::all_entries())
    for (auto const& e : family) {
      ++entries;
      called.insert(e.op);
      work w{verb::reduce, operation_of(e.op), element_of(e.element)};
      auto const* const row = find_row(w);
      ASSERT_NE(row, nullptr) << title_of(w);
      std::size_t const numbers = e.op == catalog::id::affine ? 2 : 1;
      EXPECT_EQ(row->result_bytes, numbers * size_of(e.result)) << title_of(w);
      EXPECT_EQ(row->element_bytes, numbers * size_of(e.element)) << title_of(w);
      EXPECT_EQ(row->element_bytes, element_bytes(w)) << title_of(w);
    }
  auto const others = catalog::operator_count - called.size() - 1;  // but concat
  EXPECT_EQ(catalog_rows().size(), entries + others);
}

/// The reference of a row is what reference.hpp gives for n elements of its pattern.
template <class Op, class T, class R = result_t<Op, T>>
void expect_reference_of(std::size_t n) {
  work w{verb::inclusive_scan, operation_of(catalog::id_of<Op>),
         element_of(dynamic::dtype_of<dynamic::number_of<T>>)};
  auto const* const row = find_row(w);
  ASSERT_NE(row, nullptr) << title_of(w);
  std::vector<T> block(pattern_elements), x;
  row->pattern(block.data());
  x.assign(block.end() - static_cast<std::ptrdiff_t>(n / 2), block.end());  // over the seam
  x.insert(x.end(), block.begin(), block.begin() + static_cast<std::ptrdiff_t>(n - n / 2));
  ASSERT_EQ(row->result_bytes, sizeof(R)) << title_of(w);
  std::vector<R> found(n), expected;
  row->reference(w.verb, x.data(), found.data(), n);
  for (auto const& r : reference::inclusive_scan(x, Op{})) expected.push_back(static_cast<R>(r));
  EXPECT_EQ(std::memcmp(found.data(), expected.data(), n * sizeof(R)), 0) << title_of(w);
  row->reference(verb::reduce, x.data(), found.data(), n);
  EXPECT_EQ(std::memcmp(found.data(), &expected.back(), sizeof(R)), 0) << title_of(w);
}

TEST(bench_catalog, references_are_those_of_the_library_also_where_order_matters) {
  for (std::size_t const n : {1u, 2u, 3u, 7u, 64u, 333u}) {
    expect_reference_of<moments, float>(n);
    expect_reference_of<central_moments, float>(n);
    expect_reference_of<comoments, xy<float>>(n);
    expect_reference_of<weighted_moments, xy<float>>(n);
    expect_reference_of<log_sum_exp, float>(n);
    expect_reference_of<affine, affine_map<double>>(n);
    expect_reference_of<matrix2x2_product, matrix2x2<float>>(n);
    expect_reference_of<minmax, float>(n);
    expect_reference_of<last, float, float>(n);
    expect_reference_of<argmin_last, float, std::uint64_t>(n);
    expect_reference_of<exact_sum, double>(n);
    expect_reference_of<plus, bfloat16>(n);
    expect_reference_of<multiplies, std::int8_t>(n);
    expect_reference_of<checked_plus<>, std::uint16_t>(n);
    expect_reference_of<gcd, std::int64_t>(n);
  }
}

/// Measures moments by a competitor whose variance is `factor` times the right one.
bool is_accepted(double factor, bool reorders) {
  work w{verb::reduce, operation_of(catalog::id::moments), element::f32};
  w.by_name = true;
  auto find = [=](work const& what, std::size_t n) -> timed_run {
    return [=](slots& memory, std::size_t) {
      auto const [in, out] = memory.take();
      reference(what, in, out, n);
      detail::moments_of result;
      std::memcpy(&result, out, sizeof result);
      result.m2 *= factor;
      std::memcpy(out, &result, sizeof result);
      return 1.0;
    };
  };
  team t(1);
  arena memory(1u << 20);
  settings s;
  s.cell_seconds = 0;
  return measure(w, 100, {{"fake", "", role::peer, false, find, {}, {}, reorders}}, memory, t, s)
      .all[0]
      .correct();
}

TEST(bench_catalog, only_competitors_that_reorder_may_round_otherwise) {
  EXPECT_TRUE(is_accepted(1, false));
  EXPECT_FALSE(is_accepted(1 + 1e-9, false));
  EXPECT_TRUE(is_accepted(1 + 1e-9, true));
  EXPECT_FALSE(is_accepted(1.01, true));
}

// The inputs have the properties that verification relies on, the checksum detects differences,
// and the reference is correct.

constexpr work float_scan{verb::inclusive_scan, operation::sum, element::f32};

template <class T>
std::vector<T> filled(work const& w, std::size_t n) {
  team t(2);
  std::vector<T> x(n * element_bytes(w) / sizeof(T));
  fill(t, w, x.data(), n);
  return x;
}

TEST(bench_data, sums_of_floats_are_exact_in_any_order) {
  std::size_t const n = 3 * pattern_elements + 12345;
  auto const x = filled<float>(float_scan, n);
  std::int64_t total = 0, largest = 0;
  for (float const v : x) {
    ASSERT_EQ(v, std::floor(v));
    ASSERT_LE(std::fabs(v), 8);
    total += static_cast<std::int64_t>(v);
    largest = std::max(largest, std::abs(total));
  }
  EXPECT_LT(largest, 1 << 20)
      << "prefixes stay far below 2^24, above which floats cannot represent all integers";
  EXPECT_EQ(std::accumulate(x.begin(), x.end(), 0.0f), static_cast<float>(total));
  EXPECT_EQ(std::accumulate(x.rbegin(), x.rend(), 0.0f), static_cast<float>(total));
  for (std::size_t stride :
       {2u, 7u, 16u, 4096u}) {  // subsets that a vectorized or tiled sum adds first
    float sum = 0;
    for (std::size_t lane = 0; lane < stride; ++lane) {
      float part = 0;
      for (std::size_t i = lane; i < n; i += stride) part += x[i];
      sum += part;
    }
    EXPECT_EQ(sum, static_cast<float>(total)) << "stride " << stride;
  }
}

TEST(bench_data, one_block_of_a_sum_totals_one_and_blocks_repeat) {
  auto const x =
      filled<std::int32_t>({verb::reduce, operation::sum, element::i32}, 2 * pattern_elements);
  EXPECT_EQ(std::accumulate(x.begin(), x.begin() + pattern_elements, 0), 1);
  EXPECT_TRUE(std::equal(x.begin(), x.begin() + pattern_elements, x.begin() + pattern_elements));
}

TEST(bench_data, maps_have_slope_plus_or_minus_one_so_that_compositions_are_exact) {
  work const w{verb::inclusive_scan, operation::affine, element::f32};
  auto const x = filled<float>(w, 1000);
  int falling = 0;
  for (std::size_t i = 0; i < 1000; ++i) {
    ASSERT_EQ(std::fabs(x[2 * i]), 1);
    ASSERT_EQ(x[2 * i + 1], std::floor(x[2 * i + 1]));
    falling += x[2 * i] < 0;
  }
  EXPECT_GT(falling, 400);
  EXPECT_LT(falling, 600);
}

TEST(bench_data, of_exact_sum_cancels_but_for_one_element) {
  for (std::size_t n : {2u, 3u, 1000u, 1001u}) {
    auto x = filled<double>({verb::reduce, operation::exact_sum, element::f64}, n);
    std::multiset<double> left;
    for (double const v : x) left.insert(v);
    for (double const v : x)
      if (auto const opposite = left.find(-v);
          v > 0 && v != exact_total && opposite != left.end()) {
        left.erase(opposite);
        left.erase(left.find(v));
      }
    double rest = 0;
    for (double const v : left) rest += v;  // the extra element, and zeros
    EXPECT_EQ(rest, exact_total) << "n " << n;
  }
}

TEST(bench_data, checksum_sees_a_changed_and_an_exchanged_element) {
  team t(3);
  std::vector<std::uint32_t> x(100000);
  std::iota(x.begin(), x.end(), 5u);
  auto const sum = checksum(t, x.data(), x.size(), 4);
  std::swap(x[10], x[70000]);
  EXPECT_NE(checksum(t, x.data(), x.size(), 4), sum);
  std::swap(x[10], x[70000]);
  EXPECT_EQ(checksum(t, x.data(), x.size(), 4), sum);
  x[99999] ^= 1;
  EXPECT_NE(checksum(t, x.data(), x.size(), 4), sum);
}

TEST(bench_data, checksum_is_the_sum_that_its_comment_states) {
  team t(2);
  std::vector<std::uint64_t> const x{3, 5, ~std::uint64_t{0}};
  EXPECT_EQ(checksum(t, x.data(), 3, 8), 3u * 1 + 5u * 3 + ~std::uint64_t{0} * 5);
}

TEST(bench_reference, sums_maxima_and_maps_by_definition) {
  std::vector<std::int32_t> const x{3, -1, 4, -1, 5};
  std::vector<std::int32_t> out(5);
  reference({verb::inclusive_scan, operation::sum, element::i32}, x.data(), out.data(), 5);
  EXPECT_EQ(out, (std::vector<std::int32_t>{3, 2, 6, 5, 10}));
  reference({verb::exclusive_scan, operation::sum, element::i32}, x.data(), out.data(), 5);
  EXPECT_EQ(out, (std::vector<std::int32_t>{0, 3, 2, 6, 5}));
  reference({verb::inclusive_scan, operation::max, element::i32}, x.data(), out.data(), 5);
  EXPECT_EQ(out, (std::vector<std::int32_t>{3, 3, 4, 4, 5}));
  std::int64_t total = 0;
  std::vector<std::int32_t> const large(3, 2000000000);
  reference({verb::reduce, operation::sum, element::i32}, large.data(), &total, 3);
  EXPECT_EQ(total, 6000000000);
  std::vector<float> const maps{2, 1,  3,
                                4, -1, 5};  // 2x + 1, then 3x + 4: 6x + 7, then -x + 5: -6x - 2
  std::vector<float> composed(6);
  reference({verb::inclusive_scan, operation::affine, element::f32}, maps.data(), composed.data(),
            3);
  EXPECT_EQ(composed, (std::vector<float>{2, 1, 6, 7, -6, -2}));
  reference({verb::reduce, operation::affine, element::f32}, maps.data(), composed.data(), 3);
  EXPECT_EQ(composed[0], -6);
  EXPECT_EQ(composed[1], -2);
  EXPECT_EQ(composed[2], 6) << "a reduction writes one value";
}

TEST(bench_arena, gives_disjoint_slots_that_cover_four_caches_when_cold) {
  arena memory(64u << 20);
  std::size_t const n = 1u << 20, cache = 8u << 20;
  slots const cold = memory.lay_out(float_scan, n, true, cache);
  EXPECT_GE(cold.count * 2 * n * 4, 3 * cache) << "four caches, rounded by at most one slot";
  for (std::size_t s = 0; s < cold.count; ++s) {
    EXPECT_GE(cold.out(s), cold.in(s) + n * 4);
    EXPECT_GE(cold.in(s), s == 0 ? cold.in(0) : cold.out(s - 1) + n * 4);
    EXPECT_LE(cold.out(s) + n * 4, cold.in(0) + memory.size());
  }
  EXPECT_EQ(memory.lay_out(float_scan, n, false, cache).count, 1u);
  slots const in_place =
      memory.lay_out({verb::inclusive_scan, operation::sum, element::f32, true}, n, false, cache);
  EXPECT_EQ(in_place.in(0), in_place.out(0));
}

TEST(bench_slots, are_taken_in_turn_and_the_first_alone_again_and_again) {
  std::byte memory[64];
  slots all{memory, memory + 32, 16, 8, 2};
  EXPECT_EQ(all.take(), std::pair(memory, memory + 32));
  EXPECT_EQ(all.take(), std::pair(memory + 16, memory + 40));
  EXPECT_EQ(all.take(), std::pair(memory, memory + 32));
  slots first = all.one();
  (void)first.take();
  EXPECT_EQ(first.take(), std::pair(memory, memory + 32));
}

}  // namespace
}  // namespace upsweep::bench
