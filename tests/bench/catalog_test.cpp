/// The rows by name are complete, their results have the library's types, and their references are
/// those of reference.hpp.
#include <gtest/gtest.h>

#include <bench/harness/data.hpp>
#include <bench/harness/measure.hpp>
#include <bench/plain/operators.hpp>
#include <bench/rows/catalog.hpp>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <set>
#include <upsweep/by_name/run.hpp>
#include <upsweep/generic/reference.hpp>
#include <vector>

namespace upsweep::bench {
namespace {

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

}  // namespace
}  // namespace upsweep::bench
