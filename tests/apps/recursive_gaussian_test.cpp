/// The recursive Gaussian beside a direct convolution with one, within the error of its waves.
#include <upsweep/apps/recursive_gaussian.hpp>

#include <apps/support.hpp>
#include <support/random.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <vector>

namespace upsweep::test {
namespace {

using apps::edge;

std::vector<double> noise(std::size_t n) {
  random_bits next(test_seed());
  std::vector<double> x;
  while (x.size() < n) x.push_back(small(next));
  return x;
}

/// Weights of the Gaussian for distances 0, 1, ..., whose sum over both sides is 1.
std::vector<double> gaussian(double sigma) {
  std::vector<double> g;
  double sum = 0;
  for (std::size_t k = 0; static_cast<double>(k) <= 10 * sigma; ++k) {
    double const t = static_cast<double>(k) / sigma;
    g.push_back(std::exp(-t * t / 2));
    sum += k == 0 ? g[0] : 2 * g[k];
  }
  for (double& weight : g) weight /= sum;
  return g;
}

/// Element i of a line that goes on beyond its ends.
double beyond(std::vector<double> const& x, std::ptrdiff_t i, edge e) {
  auto const last = static_cast<std::ptrdiff_t>(x.size()) - 1;
  if ((i < 0 || i > last) && e == edge::zero) return 0;
  return x[static_cast<std::size_t>(std::clamp<std::ptrdiff_t>(i, 0, last))];
}
std::vector<double> convolved(std::vector<double> const& x, double sigma, edge e) {
  auto const g = gaussian(sigma);
  std::vector<double> y(x.size());
  for (std::size_t i = 0; i < x.size(); ++i)
    for (std::size_t k = 0; k < g.size(); ++k) {
      auto const at = static_cast<std::ptrdiff_t>(i), d = static_cast<std::ptrdiff_t>(k);
      y[i] += g[k] * (k == 0 ? x[i] : beyond(x, at - d, e) + beyond(x, at + d, e));
    }
  return y;
}

TEST(recursive_gaussian, a_line_is_a_direct_convolution_within_a_thousandth) {
  for (std::size_t const n : std::vector<std::size_t>{0, 1, 2, 5, 479, 481, 3000})
    for (double const sigma : {0.5, 0.9, 1.0, 2.0, 3.7, 10.0, 60.0})
      for (edge const e : {edge::clamp, edge::zero}) {
        auto const x = noise(n), exact = convolved(x, sigma, e);
        std::vector<double> before;
        on_each_executor([&](auto const& on) {
          auto y = x;
          apps::recursive_gaussian(y, sigma, y, e, on);  // in place
          for (std::size_t i = 0; i < n; ++i)
            ASSERT_NEAR(y[i], exact[i], 0.001)
                << i << " of " << n << ", sigma " << sigma << ", " << seed_note();
          if (before.empty()) before = y;
          ASSERT_EQ(y, before);
        });
      }
}

TEST(recursive_gaussian, an_impulse_becomes_the_bell) {
  for (double const sigma : {0.5, 1.0, 5.0, 40.0}) {
    std::vector<double> x(2001);
    x[1000] = 1;
    apps::recursive_gaussian(x, sigma, x, edge::zero);
    auto const g = gaussian(sigma);
    double sum = 0, differences = 0;
    for (std::size_t i = 0; i < x.size(); ++i) {
      std::size_t const k = i < 1000 ? 1000 - i : i - 1000;
      double const weight = k < g.size() ? g[k] : 0;
      ASSERT_NEAR(x[i], weight, 0.0006 * g[0]) << k << " from the middle, sigma " << sigma;
      ASSERT_NEAR(x[i], x[2000 - i], 1e-14);
      sum += x[i], differences += std::abs(x[i] - weight);
    }
    EXPECT_NEAR(sum, 1, 1e-12);
    EXPECT_LT(differences, 0.001);
  }
}

TEST(recursive_gaussian, a_constant_stays_what_it_is) {
  std::vector<float> const x(5000, 3.5f);
  std::vector<int> rounded(x.size());
  std::vector<float> y(x.size());
  apps::recursive_gaussian(x, 25.0, y);
  EXPECT_EQ(y, x);
  apps::recursive_gaussian(std::vector<float>(x.size(), 7.25f), 25.0, rounded);
  EXPECT_EQ(rounded, std::vector<int>(x.size(), 7));
}

TEST(recursive_gaussian, an_image_is_blurred_along_rows_and_columns) {
  std::size_t const rows = 37, columns = 70;
  auto const x = noise(rows * columns);
  for (double const sigma : {0.7, 2.0, 20.0})
    for (edge const e : {edge::clamp, edge::zero}) {
      std::vector<double> exact(x.size());
      for (std::size_t r = 0; r < rows; ++r) {
        std::vector<double> row(x.begin() + static_cast<std::ptrdiff_t>(r * columns),
                                x.begin() + static_cast<std::ptrdiff_t>((r + 1) * columns));
        std::ranges::copy(convolved(row, sigma, e),
                          exact.begin() + static_cast<std::ptrdiff_t>(r * columns));
      }
      for (std::size_t c = 0; c < columns; ++c) {
        std::vector<double> column;
        for (std::size_t r = 0; r < rows; ++r) column.push_back(exact[r * columns + c]);
        column = convolved(column, sigma, e);
        for (std::size_t r = 0; r < rows; ++r) exact[r * columns + c] = column[r];
      }
      std::vector<double> before;
      on_each_executor([&](auto const& on) {
        auto y = x;
        strided_view<double> const image(y.data(), {rows, columns});
        apps::recursive_gaussian(image, sigma, image, e, on);
        for (std::size_t i = 0; i < y.size(); ++i)
          ASSERT_NEAR(y[i], exact[i], 0.002) << i << ", sigma " << sigma << ", " << seed_note();
        if (before.empty()) before = y;
        ASSERT_EQ(y, before);
      });
    }
}

TEST(recursive_gaussian, refuses_narrow_bells_and_other_sizes) {
  std::vector<double> x(9), y(8);
  EXPECT_THROW(apps::recursive_gaussian(x, 0.4, x), precondition_error);
  EXPECT_THROW(apps::recursive_gaussian(x, std::nan(""), x), precondition_error);
  EXPECT_THROW(apps::recursive_gaussian(x, 1e7, x), precondition_error);
  EXPECT_THROW(apps::recursive_gaussian(x, 1.0, y), precondition_error);
  strided_view<double> const image(x.data(), {3, 3}), other(x.data(), {2, 3});
  EXPECT_THROW(apps::recursive_gaussian(image, 1.0, other), precondition_error);
}

}  // namespace
}  // namespace upsweep::test
