/// Box filters and their Gaussian beside sums over each window element by element.
#include <upsweep/apps/box_filter.hpp>

#include <apps/support.hpp>
#include <support/environment.hpp>
#include <support/random.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <numbers>
#include <span>
#include <vector>

namespace upsweep::test {
namespace {

using apps::edge;

/// Whole numbers, so that sums of doubles are exact in any order.
std::vector<float> whole(std::size_t n) {
  random_bits next(test_seed());
  std::vector<float> x;
  while (x.size() < n) x.push_back(static_cast<float>(next.below(256)));
  return x;
}

/// Element i of a line that goes on beyond its ends; `at` reads it.
template <class At>
double beyond(std::ptrdiff_t i, std::size_t n, edge e, At const& at) {
  auto const last = static_cast<std::ptrdiff_t>(n) - 1;
  if ((i < 0 || i > last) && e == edge::zero) return 0;
  return at(static_cast<std::size_t>(std::clamp<std::ptrdiff_t>(i, 0, last)));
}

TEST(box_filter, a_line_is_the_mean_of_each_window) {
  for (std::size_t const n : std::vector<std::size_t>{0, 1, 2, 5, 100, 4095, 4097, 9000})
    for (std::size_t const radius : std::vector<std::size_t>{0, 1, 2, 7, 100})
      for (edge const e : {edge::clamp, edge::zero}) {
        auto const x = whole(n);
        auto const r = static_cast<std::ptrdiff_t>(radius);
        std::vector<float> expected(n);
        for (std::size_t i = 0; i < n; ++i) {
          double sum = 0;
          for (std::ptrdiff_t k = -r; k <= r; ++k)
            sum += beyond(static_cast<std::ptrdiff_t>(i) + k, n, e,
                          [&](std::size_t at) { return x[at]; });
          expected[i] = static_cast<float>(sum / static_cast<double>(2 * radius + 1));
        }
        on_each_executor([&](auto const& on) {
          auto y = x;
          apps::box_filter(y, radius, y, e, on);
          ASSERT_EQ(y, expected) << n << " elements, radius " << radius;
        });
      }
}

TEST(box_filter, an_image_is_the_mean_of_each_box) {
  std::size_t const rows = 37, columns = 70;
  auto const x = whole(rows * columns);
  for (std::array<std::size_t, 2> const radius :
       {std::array<std::size_t, 2>{0, 0}, {1, 1}, {2, 5}, {40, 3}, {0, 90}})
    for (edge const e : {edge::clamp, edge::zero}) {
      std::vector<float> expected(x.size());
      auto const tall = static_cast<std::ptrdiff_t>(radius[0]),
                 wide = static_cast<std::ptrdiff_t>(radius[1]);
      for (std::size_t r = 0; r < rows; ++r)
        for (std::size_t c = 0; c < columns; ++c) {
          double sum = 0;
          for (std::ptrdiff_t i = -tall; i <= tall; ++i)
            for (std::ptrdiff_t j = -wide; j <= wide; ++j)
              sum += beyond(static_cast<std::ptrdiff_t>(r) + i, rows, e, [&](std::size_t row) {
                return beyond(static_cast<std::ptrdiff_t>(c) + j, columns, e,
                              [&](std::size_t column) { return x[row * columns + column]; });
              });
          double const size = static_cast<double>((2 * tall + 1) * (2 * wide + 1));
          expected[r * columns + c] = static_cast<float>(sum / size);
        }
      on_each_executor([&](auto const& on) {
        auto y = x;
        strided_view<float> const image(y.data(), {rows, columns});
        apps::box_filter(image, radius, image, e, on);
        ASSERT_EQ(y, expected) << radius[0] << ", " << radius[1];
      });
    }
}

TEST(box_filter, integers_are_rounded_to_nearest) {
  std::vector<int> const x{0, 0, 4, 1, 0};
  std::vector<int> y(5);
  apps::box_filter(x, 1, y);
  EXPECT_EQ(y, (std::vector<int>{0, 1, 2, 2, 0}));
}

TEST(box_filter, means_do_not_depend_on_the_callers_environment) {
  std::vector<double> const in{1, 2, 4, 8, 5, 7, 1, 3, 2};
  strided_view<double const> const image(in.data(), {3, 3});
  auto const means = [&] {
    std::vector<double> out(9);
    apps::box_filter(image, {1, 1}, strided_view<double>(out.data(), {3, 3}));
    return out;
  };
  auto const expected = means();
  for (environment const e : strange_environments) {
    environment_scope const strange(e);
    EXPECT_EQ(means(), expected) << name_of(e);
  }
}

TEST(box_filter, three_boxes_have_the_variance_of_the_gaussian) {
  for (double sigma = 0; sigma < 100; sigma += 0.37) {
    double variance = 0, widest = 1;
    for (std::size_t const radius : apps::three_boxes(sigma)) {
      double const width = 2 * static_cast<double>(radius) + 1;
      variance += (width * width - 1) / 12;
      widest = std::max(widest, width);
    }
    // One more box of the wider kind changes the sum by (w + 1) / 3, and half of that is the most
    // that rounding can do.
    EXPECT_LE(std::abs(variance - sigma * sigma), (widest + 1) / 6) << sigma;
  }
  EXPECT_EQ(apps::three_boxes(0), (std::array<std::size_t, 3>{0, 0, 0}));
  EXPECT_THROW((void)apps::three_boxes(-1), precondition_error);
  EXPECT_THROW((void)apps::three_boxes(std::nan("")), precondition_error);
}

TEST(box_filter, an_impulse_is_blurred_to_nearly_a_gaussian) {
  for (double sigma = 2; sigma < 30; sigma += 0.3) {
    std::vector<double> impulse(201), answer(201);
    impulse[100] = 1;
    apps::gaussian_blur(impulse, sigma, answer);
    double const peak = 1 / (sigma * std::sqrt(2 * std::numbers::pi));
    for (std::size_t i = 0; i < 201; ++i) {
      double const z = (static_cast<double>(i) - 100) / sigma;
      EXPECT_NEAR(answer[i], peak * std::exp(-z * z / 2), 0.1 * peak) << sigma << ", " << i;
    }
  }
}

TEST(box_filter, blur_of_an_image_is_blur_along_each_dimension) {
  std::size_t const rows = 20, columns = 90;
  auto const x = whole(rows * columns);
  std::vector<double> lines(x.begin(), x.end());
  for (std::size_t r = 0; r < rows; ++r) {
    std::span<double> const row(&lines[r * columns], columns);
    apps::gaussian_blur(row, 2.5, row);
  }
  for (std::size_t c = 0; c < columns; ++c) {
    std::vector<double> column(rows);
    for (std::size_t r = 0; r < rows; ++r) column[r] = lines[r * columns + c];
    apps::gaussian_blur(std::span<double>(column), 2.5, std::span<double>(column));
    for (std::size_t r = 0; r < rows; ++r) lines[r * columns + c] = column[r];
  }
  std::vector<float> y(x.size()), before;
  on_each_executor([&](auto const& on) {
    auto in = x;
    strided_view<float> const image(in.data(), {rows, columns});
    apps::gaussian_blur(image, 2.5, strided_view<float>(y.data(), {rows, columns}), edge::clamp,
                        on);
    if (before.empty()) before = y;
    EXPECT_EQ(y, before);
    // Sums of the table are below 2^20, three passes of them are rounded to 2^-33 or less, and the
    // result to a float of at most 256.
    for (std::size_t i = 0; i < y.size(); ++i) EXPECT_NEAR(y[i], lines[i], 0x1p-16) << i;
  });
}

TEST(box_filter, refuses_outputs_of_another_size) {
  std::vector<float> x(6), y(4);
  EXPECT_THROW(apps::box_filter(x, 1, y), precondition_error);
  strided_view<float> const image(x.data(), {2, 3}), other(y.data(), {2, 2}), line(x.data(), {6});
  EXPECT_THROW(apps::box_filter(image, {1, 1}, other), precondition_error);
  EXPECT_THROW(apps::box_filter(line, {1, 1}, line), precondition_error);
}

}  // namespace
}  // namespace upsweep::test
