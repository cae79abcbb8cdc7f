/// Scans and reductions along an axis of n-dimensional views: every line has the bits of its own
/// one-dimensional call, whatever the layout, and nothing between the elements is touched.
#pragma once

#include <conformance/checks.hpp>
#include <conformance/contract_test.hpp>
#include <support/scan_by.hpp>
#include <support/types.hpp>

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace upsweep::test {

/// A three-dimensional arrangement inside a block of memory.
struct layout {
  std::string name;
  std::array<std::size_t, 3> extent;
  std::array<std::ptrdiff_t, 3> stride;
  std::ptrdiff_t origin;
  std::size_t memory;

  [[nodiscard]] std::size_t offset(std::size_t i, std::size_t j, std::size_t k) const {
    return static_cast<std::size_t>(origin + static_cast<std::ptrdiff_t>(i) * stride[0] +
                                    static_cast<std::ptrdiff_t>(j) * stride[1] +
                                    static_cast<std::ptrdiff_t>(k) * stride[2]);
  }
  template <class T>
  [[nodiscard]] strided_view<T> of(std::vector<T>& data) const {
    return {data.data() + origin, std::span(extent), std::span(stride)};
  }
};

/// Row-major, column-major, with gaps after each row and element, and backwards.
inline std::vector<layout> layouts(std::array<std::size_t, 3> const extent) {
  auto const a = static_cast<std::ptrdiff_t>(extent[0]), b = static_cast<std::ptrdiff_t>(extent[1]),
             c = static_cast<std::ptrdiff_t>(extent[2]);
  auto const size = [](std::ptrdiff_t n) { return static_cast<std::size_t>(n) + 1; };
  std::vector<layout> all;
  all.push_back({"row-major", extent, {b * c, c, 1}, 0, size(a * b * c)});
  all.push_back({"column-major", extent, {1, a, a * b}, 0, size(a * b * c)});
  all.push_back({"with gaps",
                 extent,
                 {b * (2 * c + 3) + 5, 2 * c + 3, 2},
                 1,
                 size(a * (b * (2 * c + 3) + 5) + 1)});
  all.push_back(
      {"with gaps after rows", extent, {b * (c + 3), c + 3, 1}, 2, size(a * b * (c + 3) + 2)});
  all.push_back({"backwards", extent, {-b * c, -c, -1}, a * b * c, size(a * b * c)});
  return all;
}

/// The elements of the line through (i, j) in the two dimensions other than `axis`, as offsets into
/// the layout's memory.
inline std::vector<std::size_t> line(layout const& at, std::size_t axis, std::size_t i,
                                     std::size_t j) {
  std::vector<std::size_t> offsets;
  for (std::size_t k = 0; k < at.extent[axis]; ++k)
    offsets.push_back(axis == 0   ? at.offset(k, i, j)
                      : axis == 1 ? at.offset(i, k, j)
                                  : at.offset(i, j, k));
  return offsets;
}

/// One scan along one axis, from one layout to another or in place, checked line by line; then the
/// gaps.
template <scan_kind kind, class T, class E, class Op, class A = accumulator_t<Op, T>>
testing::AssertionResult lines_follow_tree(E const& on, layout const& from, layout const& to,
                                           int axis_given, Op const& op, options<A> o,
                                           bool in_place) {
  auto const axis = static_cast<std::size_t>(axis_given < 0 ? axis_given + 3 : axis_given);
  o.axis = axis_given;
  std::vector<T> const before = random_elements<T>(from.memory);
  std::vector<T> in = before, out(in_place ? before : std::vector<T>(to.memory, sentinel<T>()));
  std::vector<bool> touched(out.size(), false);
  auto const view = to.of(out);
  scan_by<kind>(on, in_place ? view : from.of(in), view, op, o);
  for (std::size_t i = 0; i < from.extent[axis == 0 ? 1 : 0]; ++i) {
    for (std::size_t j = 0; j < from.extent[axis == 2 ? 1 : 2]; ++j) {
      std::vector<T> x, result;
      for (std::size_t const at : line(from, axis, i, j)) x.push_back(before[at]);
      for (std::size_t const at : line(to, axis, i, j)) {
        result.push_back(out[at]);
        touched[at] = true;
      }
      if (auto r = holds_scan<kind>(values_by_tree(x, op, o), result, op, o); !r)
        return r << " in line (" << i << ", " << j << ") of axis " << axis << ", " << from.name
                 << " to " << to.name;
    }
  }
  for (std::size_t at = 0; at < out.size(); ++at)
    if (!touched[at] && !same_bits(out[at], in_place ? before[at] : sentinel<T>()))
      return testing::AssertionFailure()
             << "a gap was written at " << at << ", axis " << axis << ", " << to.name;
  return testing::AssertionSuccess();
}

template <class T, class E, class Op>
testing::AssertionResult axes_follow_tree(E const& on, std::array<std::size_t, 3> const& extent,
                                          Op const& op) {
  auto const all = layouts(extent);
  options<accumulator_t<Op, T>> const plain,
      other{.initial = detail::lift(op, random_elements<T>(1).front(), 0), .reverse = true};
  std::size_t const step = extent[0] * extent[1] * extent[2] > 10000
                               ? 3
                               : 1;  // of long ones, row-major and the one with gaps after rows
  for (std::size_t from = 0; from < all.size(); from += step) {
    layout const& to = all[(from * 2 + 1) % all.size()];
    for (int const axis : {0, 1, 2, -1}) {
      if (auto const r = lines_follow_tree<scan_kind::inclusive, T>(on, all[from], all[from], axis,
                                                                    op, plain, false);
          !r)
        return r;
      if (auto const r =
              lines_follow_tree<scan_kind::exclusive, T>(on, all[from], to, axis, op, plain, false);
          !r)
        return r;
      if (auto const r =
              lines_follow_tree<scan_kind::inclusive, T>(on, all[from], to, axis, op, other, false);
          !r)
        return r;
      if (auto const r = lines_follow_tree<scan_kind::exclusive, T>(on, all[from], all[from], axis,
                                                                    op, other, true);
          !r)
        return r;
    }
  }
  return testing::AssertionSuccess();
}

template <class T, class E, class Op, class A = accumulator_t<Op, T>>
testing::AssertionResult axis_reductions_follow_tree(E const& on,
                                                     std::array<std::size_t, 3> const& extent,
                                                     Op const& op, options<A> o = {}) {
  for (layout const& from : layouts(extent)) {
    for (std::size_t axis = 0; axis < 3; ++axis) {
      std::vector<T> in = random_elements<T>(from.memory);
      std::size_t const rows = extent[axis == 0 ? 1 : 0], columns = extent[axis == 2 ? 1 : 2];
      std::vector<T> out(rows * columns, sentinel<T>());
      o.axis = static_cast<int>(axis);
      upsweep::reduce(on, from.of(in), strided_view<T>(out.data(), {rows, columns}), op, o);
      for (std::size_t i = 0; i < rows; ++i) {
        for (std::size_t j = 0; j < columns; ++j) {
          std::vector<T> x;
          for (std::size_t const at : line(from, axis, i, j)) x.push_back(in[at]);
          if (auto const r = equal_at(
                  "reduce along axis " + std::to_string(axis) + ", " + from.name, i * columns + j,
                  out[i * columns + j], values_by_tree(x, op, o).inclusive.back());
              !r)
            return r;
        }
      }
    }
  }
  return testing::AssertionSuccess();
}

/// Another result for every tree, order and position, with trivial accumulators.
struct hash_tree {
  template <class>
  using accumulator = std::uint64_t;
  UPSWEEP_BOTH constexpr std::uint64_t lift(std::uint64_t x, std::size_t at) const {
    return x ^ (0x9e3779b97f4a7c15u * (at + 1));
  }
  UPSWEEP_BOTH constexpr std::uint64_t operator()(std::uint64_t a, std::uint64_t b) const {
    return a * 0xd6e8feb86659fd93u + (b ^ (b >> 31)) * 3 + 1;
  }
};

/// Few and many lines, short and long ones, and enough elements for several threads; fewer lines
/// where each is a launch, and few where a tool slows launches down.
inline std::vector<std::array<std::size_t, 3>> axis_extents(bool lines_are_launches) {
  if (lines_are_launches && slow_build) return {{1, 1, 1}, {2, 3, 4}, {3, 1, 40}, {0, 3, 2}};
  std::size_t const large = lines_are_launches ? 307 : slow_build ? 999 : 5003;
  return {{1, 1, 1},   {2, 3, 4}, {5, 1, 17},    {33, 4, 9},
          {3, 40, 19}, {0, 3, 2}, {2, 3, large}, {large, 2, 3}};
}

/// A view of another library: it has the members of std::mdspan<T, std::dextents<int, 2>> and does
/// not use upsweep.
template <class T>
struct foreign_view {
  using element_type = T;
  T* data;
  std::array<int, 2> size;
  [[nodiscard]] static constexpr std::size_t rank() { return 2; }
  [[nodiscard]] constexpr int extent(std::size_t d) const { return size[d]; }
  [[nodiscard]] constexpr int stride(std::size_t d) const { return d == 0 ? size[1] : 1; }
  [[nodiscard]] constexpr T* data_handle() const { return data; }
};

template <class Backend>
class axis_contract : public testing::Test {};
TYPED_TEST_SUITE_P(axis_contract);

CONTRACT_TEST(axis_contract, every_line_follows_the_tree_of_its_own) {
  for (auto const& extent : axis_extents(is_device<TypeParam>))
    ASSERT_TRUE((axes_follow_tree<tree_name>(TypeParam::make(), extent, name_tree{})));
}
CONTRACT_TEST(axis_contract, every_line_of_floats_has_the_bits_of_its_own_call) {
  for (auto const& extent : axis_extents(is_device<TypeParam>))
    ASSERT_TRUE((axes_follow_tree<float>(TypeParam::make(), extent, plus{})));
}
CONTRACT_TEST(axis_contract, every_line_of_affine_maps_keeps_its_order) {
  for (auto const& extent : axis_extents(is_device<TypeParam>))
    ASSERT_TRUE((axes_follow_tree<affine_map<std::uint64_t>>(TypeParam::make(), extent,
                                                             compose_maps<true>{})));
}
CONTRACT_TEST(axis_contract, columns_keep_their_order_and_positions) {
  if (is_device<TypeParam>) GTEST_SKIP() << "the tests have no kernels for it";
  auto const on = TypeParam::make();
  options<std::uint64_t> const other{.initial = 77, .reverse = true};
  using extents = std::array<std::size_t, 3>;
  // Of the last ones, which are few and long, each has all threads.
  for (extents const extent : {extents{2, 3, 4}, {33, 4, 9}, {77, 1, 300}, {9'001, 2, 1}}) {
    ASSERT_TRUE((axis_reductions_follow_tree<std::uint64_t>(on, extent, hash_tree{})));
    ASSERT_TRUE((axis_reductions_follow_tree<std::uint64_t>(on, extent, hash_tree{}, other)));
    ASSERT_TRUE(
        (axes_follow_tree<std::uint64_t>(on, extent, monoid(hash_tree{}, std::uint64_t{5}))));
  }
}
CONTRACT_TEST(axis_contract, reductions_follow_the_tree_of_each_line) {
  for (auto const& extent : axis_extents(is_device<TypeParam>)) {
    if (extent[0] == 0) continue;  // the empty lines of sums are tested below
    ASSERT_TRUE((axis_reductions_follow_tree<tree_name>(TypeParam::make(), extent, name_tree{})));
    ASSERT_TRUE((axis_reductions_follow_tree<double>(TypeParam::make(), extent, plus{})));
    if (is_device<TypeParam>) continue;  // the tests have no kernels for it
    ASSERT_TRUE((axis_reductions_follow_tree<double>(TypeParam::make(), extent, max{})));
  }
}
CONTRACT_TEST(axis_contract, empty_lines_reduce_to_the_identity) {
  std::vector<float> nothing(1), out(6, 7.0f);
  upsweep::reduce(TypeParam::make(), strided_view<float>(nothing.data(), {3, 0, 2}),
                  strided_view<float>(out.data(), {3, 2}), plus{}, {.axis = 1});
  for (float const x : out) EXPECT_TRUE(same_bits(x, 0.0f));
}
CONTRACT_TEST(axis_contract, views_of_other_libraries_are_views) {
  std::vector<int> in{1, 2, 3, 4, 5, 6};
  std::vector<int> out(6);
  upsweep::inclusive_scan(TypeParam::make(), foreign_view<int>{in.data(), {2, 3}},
                          foreign_view<int>{out.data(), {2, 3}}, plus{}, {.axis = 0});
  EXPECT_EQ(out, (std::vector{1, 2, 3, 5, 7, 9}));
}
CONTRACT_TEST(axis_contract, wrong_axes_and_extents_are_refused) {
  auto const on = TypeParam::make();
  std::vector<float> memory(1000, 1.0f), out(1000, -5.0f);
  strided_view<float> const in(memory.data(), {4, 5, 6}), same(out.data(), {4, 5, 6}),
      other(out.data(), {4, 7, 6}), flat(out.data(), {24});
  EXPECT_TRUE(
      refuses({"axis", "3"}, [&] { upsweep::inclusive_scan(on, in, same, plus{}, {.axis = 3}); }));
  EXPECT_TRUE(refuses({"axis", "-4"},
                      [&] { upsweep::inclusive_scan(on, in, same, plus{}, {.axis = -4}); }));
  EXPECT_TRUE(
      refuses({"inclusive_scan", "5", "7"}, [&] { upsweep::inclusive_scan(on, in, other); }));
  EXPECT_TRUE(refuses({"3", "1"}, [&] { upsweep::exclusive_scan(on, in, flat); }));
  EXPECT_TRUE(refuses({"reduce", "3", "1"}, [&] { upsweep::reduce(on, in, flat); }));
  strided_view<float> const shifted(memory.data() + 1, {4, 5, 6});
  EXPECT_TRUE(refuses({"overlap"}, [&] { upsweep::inclusive_scan(on, in, shifted); }));
  for (float const x : out) ASSERT_EQ(x, -5.0f) << "a refused call wrote something";
}

CONTRACT_TEST(axis_contract, overlapping_views_are_refused) {
  auto const on = TypeParam::make();
  std::vector<float> memory = random_elements<float>(1000);
  auto const before = memory;
  using view = strided_view<float>;
  float* const m = memory.data();
  auto const expect_refused = [&](char const* what, view const& in, view const& out) {
    EXPECT_TRUE(refuses({"exclusive_scan", "overlap"}, [&] {
      upsweep::exclusive_scan(on, in, out, plus{}, {.axis = 0});
    })) << what;
  };
  view const all(m, {20, 50});
  expect_refused("turned around", all, view(m + 999, {20, 50}, {-50, -1}));
  expect_refused("rows backwards", all, view(m + 950, {20, 50}, {-50, 1}));
  expect_refused("transposed", view(m, {20, 20}), view(m, {20, 20}, {1, 20}));
  expect_refused("a window one column further", view(m, {20, 49}, {50, 1}),
                 view(m + 1, {20, 49}, {50, 1}));
  expect_refused("a window one row further", view(m, {19, 7}, {50, 1}),
                 view(m + 50, {19, 7}, {50, 1}));
  expect_refused("gaps of other sizes", view(m, {100, 1}, {3, 1}), view(m + 1, {100, 1}, {4, 1}));
  EXPECT_TRUE(memory == before) << "a refused call wrote something";
  float total[20];
  EXPECT_TRUE(refuses({"reduce", "overlap"},
                      [&] { upsweep::reduce(on, all, view(m + 999, {20}, {-50})); }));
  upsweep::reduce(on, all, view(total, {20}));
}

CONTRACT_TEST(axis_contract, views_beside_each_other_and_in_place_are_taken) {
  auto const on = TypeParam::make();
  std::vector<int> memory(1000, 1);
  using view = strided_view<int>;
  int* const m = memory.data();
  upsweep::inclusive_scan(on, view(m, {20, 25}, {50, 1}),
                          view(m + 25, {20, 25}, {50, 1}));  // halves of the rows
  upsweep::inclusive_scan(on, view(m, {20, 25}, {50, 2}),
                          view(m + 1, {20, 25}, {50, 2}));  // columns in turn
  upsweep::reduce(on, view(m, {20, 49}, {50, 1}),
                  view(m + 49, {20}, {50}));  // totals after each row
  upsweep::inclusive_scan(on, view(m, {1, 50}, {50, 1}),
                          view(m, {1, 50}, {7, 1}));  // the stride of a single row leads nowhere
  upsweep::inclusive_scan(on, view(m + 999, {20, 50}, {-50, -1}),
                          view(m + 999, {20, 50}, {-50, -1}));
}

REGISTER_TYPED_TEST_SUITE_P(axis_contract, every_line_follows_the_tree_of_its_own,
                            every_line_of_floats_has_the_bits_of_its_own_call,
                            every_line_of_affine_maps_keeps_its_order,
                            columns_keep_their_order_and_positions,
                            reductions_follow_the_tree_of_each_line,
                            empty_lines_reduce_to_the_identity, views_of_other_libraries_are_views,
                            wrong_axes_and_extents_are_refused, overlapping_views_are_refused,
                            views_beside_each_other_and_in_place_are_taken);

}  // namespace upsweep::test
