/// The rows of the applications on numbers: arrays, images, signals, matrices.
/// bench/apps_numeric.py measures NumPy and SciPy on the same sizes.
#include <bench/apps_rows.hpp>

#include <upsweep/apps/biquad.hpp>
#include <upsweep/apps/box_filter.hpp>
#include <upsweep/apps/convolution.hpp>
#include <upsweep/apps/line_of_sight.hpp>
#include <upsweep/apps/recursive_gaussian.hpp>
#include <upsweep/apps/sparse_matrix.hpp>
#include <upsweep/apps/summed_area.hpp>
#include <upsweep/apps/weighted_sampling.hpp>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <numeric>
#include <random>
#include <vector>

namespace upsweep::bench {
namespace {

constexpr speed each = speed::ns_per_element;

std::vector<float> numbers(std::size_t n) {
  std::vector<float> x(n);
  for (std::size_t i = 0; i < n; ++i) x[i] = number(i);
  return x;
}

void summed_area_rows() {
  std::size_t const side = 2048;
  auto x = numbers(side * side);
  std::vector<double> sums(x.size());
  strided_view<float> const image(x.data(), {side, side});
  strided_view<double> const table(sums.data(), {side, side});
  row(
      "summed_area_table", "2048 x 2048 f32, sums f64", each, x.size(), nothing,
      [&](auto const& on) { apps::summed_area_table(image, table, on); },
      alternative{"a loop",
                  [&] {
                    for (std::size_t r = 0; r < side; ++r) {
                      double sum = 0;
                      for (std::size_t c = 0; c < side; ++c) {
                        sum += static_cast<double>(x[r * side + c]);
                        sums[r * side + c] = sum + (r > 0 ? sums[(r - 1) * side + c] : 0);
                      }
                    }
                  }},
      alternative{"std::partial_sum of rows, std::transform of columns", [&] {
                    for (std::size_t r = 0; r < side; ++r) {
                      double* const line = &sums[r * side];
                      std::copy_n(&x[r * side], side, line);
                      std::partial_sum(line, line + side, line);
                      if (r > 0)
                        std::transform(line, line + side, line - side, line, std::plus<>());
                    }
                  }});
}

void filter_rows() {
  std::size_t const n = std::size_t{1} << 22, side = 2048, radius = 8, width = 2 * radius + 1;
  auto x = numbers(n);
  std::vector<float> y(n);
  row(
      "box_filter", "2^22 f32, radius 8", each, n, nothing,
      [&](auto const& on) { apps::box_filter(x, radius, y, apps::edge::zero, on); },
      alternative{"a running sum (rounds, and drifts)", [&] {
                    double sum = 0;
                    for (std::size_t i = 0; i < n + radius; ++i) {
                      if (i < n) sum += static_cast<double>(x[i]);
                      if (i >= width) sum -= static_cast<double>(x[i - width]);
                      if (i >= radius) y[i - radius] = static_cast<float>(sum / width);
                    }
                  }});
  strided_view<float> const image(x.data(), {side, side}), out(y.data(), {side, side});
  row("box_filter", "2048 x 2048 f32, radius 8", each, n, nothing, [&](auto const& on) {
    apps::box_filter(image, {radius, radius}, out, apps::edge::clamp, on);
  });
  row("gaussian_blur", "2048 x 2048 f32, sigma 5", each, n, nothing,
      [&](auto const& on) { apps::gaussian_blur(image, 5, out, apps::edge::clamp, on); });
}

void recursive_rows() {
  std::size_t const side = 2048, n = side * side;
  auto x = numbers(n);
  std::vector<float> y(n);
  row(
      "recursive_gaussian", "2^22 f32, sigma 5", each, n, nothing,
      [&](auto const& on) { apps::recursive_gaussian(x, 5, y, apps::edge::zero, on); },
      alternative{"a loop over 31 weights", [&] {
                    float weights[31];
                    for (int k = 0; k < 31; ++k)
                      weights[k] =
                          0.0798f * std::exp(-static_cast<float>((k - 15) * (k - 15)) / 50);
                    for (std::size_t i = 15; i + 15 < n; ++i) {
                      float sum = 0;
                      for (std::size_t k = 0; k < 31; ++k) sum += weights[k] * x[i + k - 15];
                      y[i] = sum;
                    }
                  }});
  strided_view<float> const image(x.data(), {side, side}), out(y.data(), {side, side});
  for (double const sigma : {5.0, 50.0})
    row("recursive_gaussian", sigma == 5 ? "2048 x 2048 f32, sigma 5" : "the same, sigma 50", each,
        n, nothing, [&](auto const& on) {
          apps::recursive_gaussian(image, sigma, out, apps::edge::clamp, on);
        });
}

void convolution_rows() {
  std::size_t volatile const given = 5;  // a size that the compiler does not know
  std::size_t const side = 1024, size = given, outs = side - size + 1;
  auto x = numbers(side * side), f = numbers(size * size);
  std::vector<float> y(outs * outs);
  strided_view<float> const image(x.data(), {side, side}), filter(f.data(), {size, size}),
      one(f.data(), {1, size, size}), out(y.data(), {outs, outs}), layer(y.data(), {1, outs, outs});
  auto const kept = apps::outputs_kept::valid;
  char const* const input = "1024 x 1024 f32 by 5 x 5";
  row(
      "convolve", input, each, y.size(), nothing,
      [&](auto const& on) { apps::convolve(image, filter, out, kept, on); },
      alternative{"four nested loops", [&] {
                    for (std::size_t r = 0; r < outs; ++r)
                      for (std::size_t c = 0; c < outs; ++c) {
                        float sum = 0;
                        for (std::size_t i = 0; i < size; ++i)
                          for (std::size_t j = 0; j < size; ++j)
                            sum +=
                                x[(r + size - 1 - i) * side + c + size - 1 - j] * f[i * size + j];
                        y[r * outs + c] = sum;
                      }
                  }});
  row("convolve_tiled", input, each, y.size(), nothing,
      [&](auto const& on) { apps::convolve_tiled(image, filter, out, kept, on); });
  row("convolve_as_matrix_product", input, each, y.size(), nothing,
      [&](auto const& on) { apps::convolve_as_matrix_product(image, one, layer, kept, on); });
}

void sampling_rows() {
  std::size_t const n = std::size_t{1} << 20;
  auto const weights = numbers(n);
  std::vector<double> uniform(n), sums(n);
  for (std::size_t i = 0; i < n; ++i) uniform[i] = static_cast<double>(number(i + 7 * n));
  std::vector<std::uint32_t> drawn(n);
  row(
      "weighted_sampler, made", "2^20 weights f32", each, n, nothing,
      [&](auto const& on) { used = apps::weighted_sampler(weights, on).total(); },
      alternative{"std::partial_sum",
                  [&] {
                    std::copy(weights.begin(), weights.end(), sums.begin());
                    std::partial_sum(sums.begin(), sums.end(), sums.begin());
                  }},
      alternative{"std::discrete_distribution", [&] {
                    used = std::discrete_distribution<>(weights.begin(), weights.end()).max();
                  }});
  apps::weighted_sampler const sampler(weights);
  std::discrete_distribution<std::uint32_t> distribution(weights.begin(), weights.end());
  std::mt19937_64 random(7);
  row(
      "weighted_sampler.draw", "2^20 of 2^20 weights", each, n, nothing,
      [&](auto const& on) { sampler.draw(uniform, drawn, on); },
      alternative{"std::discrete_distribution", [&] {
                    for (auto& d : drawn) d = distribution(random);
                  }});
  row("weighted_sampler.draw_systematic", "2^20 of 2^20 weights", each, n, nothing,
      [&](auto const& on) { sampler.draw_systematic(0.5, drawn, on); });
}

void sight_rows() {
  std::size_t const n = std::size_t{1} << 22;
  auto const ground = numbers(n);
  std::vector<char> seen(n);
  row(
      "line_of_sight", "2^22 altitudes f32", each, n, nothing,
      [&](auto const& on) {
        apps::line_of_sight(ground, {.altitude = 0.5, .spacing = 1}, seen, on);
      },
      alternative{"a loop", [&] {
                    double highest = -INFINITY;
                    for (std::size_t i = 1; i < n; ++i) {
                      double const slope =
                          (static_cast<double>(ground[i]) - 0.5) / static_cast<double>(i);
                      seen[i] = slope > highest;
                      highest = std::max(highest, slope);
                    }
                  }});
}

/// `count` elements in rows of random lengths up to twice the average, or in rows whose lengths
/// fall by a power law from a sixteenth of all.
void sparse_row(char const* input, bool skewed) {
  std::size_t const height = std::size_t{1} << 17, count = std::size_t{1} << 22;
  std::vector<apps::matrix_element<double>> elements;
  for (std::size_t k = 0; k < count; ++k) {
    double const u = static_cast<double>(number(2 * k));
    double const at =
        skewed ? std::pow(static_cast<double>(height), u) - 1 : u * static_cast<double>(height);
    elements.push_back(
        {static_cast<std::uint32_t>(at),
         static_cast<std::uint32_t>(number(2 * k + 1) * static_cast<float>(height - 1)),
         static_cast<double>(number(k))});
  }
  auto const m = apps::by_rows(height, height, elements);
  std::vector<double> const x(height, 0.5);
  std::vector<double> y(height);
  row(
      "multiply", input, each, count, nothing, [&](auto const& on) { apps::multiply(m, x, y, on); },
      alternative{"a loop over rows", [&] {
                    for (std::size_t r = 0; r < height; ++r) {
                      double sum = 0;
                      for (std::size_t k = m.rows[r]; k < m.rows[r + 1]; ++k)
                        sum += m.values[k] * x[m.columns[k]];
                      y[r] = sum;
                    }
                  }});
}

void biquad_row() {
  std::size_t const n = std::size_t{1} << 22;
  auto const x = numbers(n);
  std::vector<double> y(n);
  auto const s = apps::low_pass(0.1);
  row(
      "filter, one biquad", "2^22 f32 to f64", each, n, nothing,
      [&](auto const& on) { apps::filter(s, x, y, on); },
      alternative{"a loop", [&] {
                    double x1 = 0, x2 = 0, y1 = 0, y2 = 0;
                    for (std::size_t i = 0; i < n; ++i) {
                      double const now = static_cast<double>(x[i]);
                      double const next =
                          s.b0 * now + s.b1 * x1 + s.b2 * x2 - s.a1 * y1 - s.a2 * y2;
                      x2 = x1, x1 = now, y2 = y1;
                      y[i] = y1 = next;
                    }
                  }});
}

}  // namespace

void numeric_rows() {
  table("Numbers", each);
  summed_area_rows();
  filter_rows();
  recursive_rows();
  convolution_rows();
  sampling_rows();
  sight_rows();
  sparse_row("2^22 f64 in 2^17 rows of about 32", false);
  sparse_row("2^22 f64, row lengths by a power law", true);
  biquad_row();
}

}  // namespace upsweep::bench
