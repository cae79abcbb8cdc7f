/// Summed-area tables beside sums of boxes element by element.
#include <upsweep/apps/summed_area.hpp>

#include <apps/support.hpp>
#include <support/random.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace upsweep::test {
namespace {

using extents = std::vector<std::size_t>;

std::size_t size_of(extents const& e) {
  std::size_t n = 1;
  for (std::size_t const x : e) n *= x;
  return n;
}

/// A random box inside the extents.
void choose_box(random_bits& next, extents const& e, extents& first, extents& last) {
  first.clear(), last.clear();
  for (std::size_t const x : e) {
    std::size_t const a = next.below(x + 1), b = next.below(x + 1);
    first.push_back(std::min(a, b));
    last.push_back(std::max(a, b));
  }
}

/// f(element) for each element of a row-major array whose index is in the box.
template <class F>
void for_each_in(extents const& e, extents const& first, extents const& last, F const& f) {
  for (std::size_t at = 0; at < size_of(e); ++at) {
    bool inside = true;
    for (std::size_t d = e.size(), rest = at; d-- > 0; rest /= e[d])
      inside = inside && first[d] <= rest % e[d] && rest % e[d] < last[d];
    if (inside) f(at);
  }
}

extents const shapes[] = {{1},       {4097},     {1, 1},     {3, 5},       {67, 129}, {1, 5000},
                          {5000, 1}, {9, 4, 31}, {2, 64, 9}, {3, 2, 5, 7}, {0},       {3, 0}};

TEST(summed_area, sums_of_boxes_of_integers_are_exact) {
  for (extents const& e : shapes) {
    auto x = random_elements<std::int32_t>(size_of(e));
    for (cpu const on : {cpu{.threads = 1}, cpu{.threads = 3}}) {
      std::vector<std::int64_t> table(x.size());
      strided_view<std::int64_t> const sums(table.data(), e);
      apps::summed_area_table(strided_view<std::int32_t>(x.data(), e), sums, on);
      random_bits next(test_seed());
      for (int trial = 0; trial < 12; ++trial) {
        extents first, last;
        choose_box(next, e, first, last);
        std::int64_t expected = 0;
        for_each_in(e, first, last, [&](std::size_t at) { expected += x[at]; });
        ASSERT_EQ(apps::box_sum(sums, first, last), expected) << e.size() << seed_note();
      }
    }
  }
}

TEST(summed_area, doubles_are_the_same_bits_everywhere_and_within_their_rounding) {
  for (extents const& e : shapes) {
    auto x = random_elements<float>(size_of(e));
    double magnitude = 0, levels = 0;
    for (float const v : x) magnitude += std::abs(static_cast<double>(v));
    for (std::size_t const n : e) levels += 1 + std::ceil(std::log2(static_cast<double>(n + 1)));
    std::vector<double> before;
    on_each_executor([&](auto const& on) {
      std::vector<double> table(x.size());
      strided_view<double> const sums(table.data(), e);
      apps::summed_area_table(strided_view<float>(x.data(), e), sums, on);
      if (before.empty()) before = table;
      EXPECT_EQ(table, before);
      random_bits next(test_seed());
      for (int trial = 0; trial < 12; ++trial) {
        extents first, last;
        choose_box(next, e, first, last);
        long double expected = 0;
        for_each_in(e, first, last,
                    [&](std::size_t at) { expected += static_cast<long double>(x[at]); });
        // A table's element is rounded at most `levels` times, and 2^d of them are added.
        double const corners = std::exp2(static_cast<double>(e.size())),
                     bound = corners * (levels + corners) * 0x1p-53 * magnitude;
        EXPECT_LE(std::abs(static_cast<long double>(apps::box_sum(sums, first, last)) - expected),
                  static_cast<long double>(bound));
      }
    });
  }
}

TEST(summed_area, takes_views_with_gaps_and_works_in_place) {
  std::vector<double> const image{1, 2, 3, -9, 4, 5, 6, -9};  // rows of 3 with a gap of 1
  for (int const threads : {1, 3}) {
    auto table = image;
    strided_view<double> const view(table.data(), {2, 3}, {4, 1});
    apps::summed_area_table(view, view, cpu{.threads = threads});
    EXPECT_EQ(table, (std::vector<double>{1, 3, 6, -9, 5, 12, 21, -9}));
    EXPECT_EQ(apps::box_sum(view, {1, 1}, {2, 3}), 11);
    EXPECT_EQ(apps::box_sum(view, {0, 1}, {2, 2}), 7);
    EXPECT_EQ(apps::box_sum(view, {1, 1}, {1, 3}), 0);
    EXPECT_EQ(apps::box_sum(view, {0, 0}, {2, 3}), 21);
  }
}

TEST(summed_area, refuses_boxes_outside_the_table) {
  std::vector<double> table(6);
  strided_view<double> const sums(table.data(), {2, 3});
  EXPECT_THROW((void)apps::box_sum(sums, {0, 0}, {2, 4}), precondition_error);
  EXPECT_THROW((void)apps::box_sum(sums, {1, 2}, {2, 1}), precondition_error);
  EXPECT_THROW((void)apps::box_sum(sums, {0}, {1}), precondition_error);
  std::vector<float> other(4);
  EXPECT_THROW(apps::summed_area_table(strided_view<float>(other.data(), {2, 2}), sums),
               precondition_error);
}

}  // namespace
}  // namespace upsweep::test
