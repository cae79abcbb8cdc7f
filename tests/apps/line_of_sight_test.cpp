/// Lines of sight beside a loop over all points before each point.
#include <upsweep/apps/line_of_sight.hpp>

#include <apps/support.hpp>
#include <support/random.hpp>
#include <support/sizes.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <vector>

namespace upsweep::test {
namespace {

/// Whether no earlier point has a slope that is as large, tested pair by pair.
bool seen(std::vector<float> const& ground, apps::observer const& from, std::size_t i) {
  auto const slope = [&](std::size_t k) {
    return (static_cast<double>(ground[k]) - from.altitude) /
           (from.spacing * static_cast<double>(k));
  };
  for (std::size_t k = 1; k < i; ++k)
    if (slope(k) >= slope(i)) return false;
  return !std::isnan(ground[i]) || i == 0;
}

TEST(line_of_sight, agrees_with_a_test_of_all_pairs) {
  for (std::size_t const n : std::vector<std::size_t>{0, 1, 2, 3, 17, 128, 129, 1000}) {
    // A valley: slopes rise, so that many points are seen.
    std::vector<float> ground = random_elements<float>(n);
    for (std::size_t i = 0; i < n; ++i)
      ground[i] =
          std::remainder(ground[i], 50.0f) + 0.002f * static_cast<float>(i) * static_cast<float>(i);
    apps::observer const from{.altitude = 60, .spacing = 2.5};
    std::vector<char> expected;
    for (std::size_t i = 0; i < n; ++i) expected.push_back(seen(ground, from, i));
    on_each_executor([&](auto const& on) {
      std::vector<char> visible(n);
      apps::line_of_sight(ground, from, visible, on);
      EXPECT_EQ(visible, expected) << n << " points, " << seed_note();
    });
  }
}

TEST(line_of_sight, agrees_with_a_running_maximum_across_tiles) {
  for (std::size_t const n : edge_sizes(std::size_t{1} << 14, 70'000)) {
    std::vector<float> const ground = random_elements<float>(n);
    apps::observer const from{.altitude = 10, .spacing = 1};
    std::vector<char> expected;
    double highest = -std::numeric_limits<double>::infinity();
    for (std::size_t i = 0; i < n; ++i) {
      double const slope = (static_cast<double>(ground[i]) - 10) / static_cast<double>(i);
      expected.push_back(i == 0 || slope > highest);
      if (i > 0) highest = std::max(highest, slope);
    }
    on_each_executor([&](auto const& on) {
      std::vector<char> visible(n);
      apps::line_of_sight(ground, from, visible, on);
      ASSERT_EQ(visible, expected) << n << " points, " << seed_note();
    });
    std::vector<char> visible(n);
    apps::line_of_sight(ground, from, visible, cpu{.threads = 2});
    ASSERT_EQ(visible, expected);
  }
}

TEST(line_of_sight, equal_slopes_hide_and_missing_altitudes_do_not) {
  float const nan = std::numeric_limits<float>::quiet_NaN();
  std::vector<float> const ground{0, 1, 2, nan, 4.5f, 4, nan, 20};
  std::vector<char> visible(ground.size());
  apps::line_of_sight(ground, {}, visible);
  EXPECT_EQ(visible, (std::vector<char>{1, 1, 0, 0, 1, 0, 0, 1}));
}

TEST(line_of_sight, of_a_plain_at_the_height_of_the_eye_only_the_first_point_is_seen) {
  std::vector<float> const plain(70'000, 7.0f);
  std::vector<char> expected(plain.size());
  expected[0] = expected[1] = 1;  // and the one on which the observer stands
  on_each_executor([&](auto const& on) {
    std::vector<char> visible(plain.size());
    apps::line_of_sight(plain, {.altitude = 7}, visible, on);
    EXPECT_EQ(visible, expected);
  });
}

TEST(line_of_sight, a_grid_has_a_ray_along_each_of_its_lines) {
  std::size_t const rows = 7, columns = 150;
  std::vector<float> ground = random_elements<float>(rows * columns);
  strided_view<float> const grid(ground.data(), {rows, columns});
  apps::observer const from{.altitude = 3, .spacing = 30};
  on_each_executor([&](auto const& on) {
    for (int const axis : {0, 1}) {
      std::vector<char> visible(ground.size());
      apps::lines_of_sight(grid, from, strided_view<char>(visible.data(), {rows, columns}), axis,
                           on);
      for (std::size_t r = 0; r < rows; ++r)
        for (std::size_t c = 0; c < columns; ++c) {
          std::vector<float> line;
          for (std::size_t k = 0; k < (axis == 0 ? rows : columns); ++k)
            line.push_back(axis == 0 ? grid(k, c) : grid(r, k));
          EXPECT_EQ(visible[r * columns + c] != 0, seen(line, from, axis == 0 ? r : c));
        }
    }
  });
}

TEST(line_of_sight, refuses_a_spacing_that_is_not_positive) {
  std::vector<float> const ground(3);
  std::vector<char> visible(3), fewer(2);
  EXPECT_THROW(apps::line_of_sight(ground, {.spacing = 0}, visible), precondition_error);
  EXPECT_THROW(apps::line_of_sight(ground, {}, fewer), precondition_error);
}

}  // namespace
}  // namespace upsweep::test
