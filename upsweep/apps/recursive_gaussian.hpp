/// Gaussian blur of 1-D arrays and images by linear recurrences, at a cost that does not depend on
/// sigma.
///
/// One side of the Gaussian is nearly a sum of two damped waves, and each is the impulse response
/// of a second-order filter. The two filters run forward, then backward, and the middle, which both
/// directions include, is subtracted once: four runs of upsweep/apps/biquad.hpp per 1-D slice.
/// Slices of images run eight side by side.
/// Coefficients: Deriche, Recursively implementing the Gaussian and its derivatives (INRIA report
/// 1893, 1993). docs/apps/recursive_gaussian.md.
#pragma once

#include <upsweep/apps/biquad.hpp>
#include <upsweep/apps/box_filter.hpp>
#include <upsweep/apps/indices.hpp>
#include <upsweep/core/rounding.hpp>

#include <array>
#include <cmath>
#include <cstddef>
#include <ranges>
#include <vector>

UPSWEEP_IEEE_BEGIN
namespace upsweep::detail {

/// Deriche's waves: (even cos(w t) + odd sin(w t)) exp(-decay t) for t = n / sigma >= 0.
struct damped_wave {
  double even, odd, decay, w;
};
inline constexpr damped_wave deriche_waves[] = {{1.68, 3.735, 1.783, 0.6318},
                                                {-0.6803, -0.2598, 1.723, 1.997}};

/// The two filters whose responses are the waves, so that their sum over both directions is 1.
inline std::array<apps::biquad, 2> deriche_filters(double sigma) {
  expects(sigma >= 0.5 && sigma <= 1e6,
          "recursive_gaussian: sigma must be from 0.5 to 1e6 elements");
  std::array<apps::biquad, 2> filters;
  double sum = 0;
  for (std::size_t k = 0; k < 2; ++k) {
    auto const& wave = deriche_waves[k];
    double const shrink = std::exp(-wave.decay / sigma), cosine = std::cos(wave.w / sigma),
                 sine = std::sin(wave.w / sigma);
    apps::biquad& f = filters[k];
    f = {wave.even, (product(wave.odd, sine) - product(wave.even, cosine)) * shrink, 0,
         -2 * shrink * cosine, shrink * shrink};
    sum += 2 * (f.b0 + f.b1) / (1 + f.a1 + f.a2) - f.b0;
  }
  for (apps::biquad& f : filters) f.b0 /= sum, f.b1 /= sum;
  return filters;
}

/// A line from its end. (clang 14 cannot compile the views of libstdc++ 12.)
struct reversed_line {
  std::vector<double>& x;
  [[nodiscard]] auto begin() const { return x.rbegin(); }
  [[nodiscard]] auto end() const { return x.rend(); }
};

/// The line `x` of doubles blurred in place, with zeros outside.
template <class E>
void blur_line(E const& on, std::array<apps::biquad, 2> const& filters, std::vector<double>& x) {
  std::size_t const n = x.size();
  std::vector<double> sum(n), part(n);
  double const middle = filters[0].b0 + filters[1].b0;
  auto const add_part = [&] { for_each_index(on, n, [&](std::size_t i) { sum[i] += part[i]; }); };
  for (apps::biquad const& filter : filters) {
    apps::filter(filter, x, part, on);
    add_part();
    apps::filter(filter, reversed_line{x}, reversed_line{part}, on);
    add_part();
  }
  for_each_index(on, n, [&](std::size_t i) { x[i] = sum[i] - product(middle, x[i]); });
}

/// How many elements a line gets at each end: beyond 22 sigma, the waves are below the precision of
/// doubles.
inline std::size_t blur_margin(double sigma, apps::edge at_edge) {
  return at_edge == apps::edge::zero ? 0 : static_cast<std::size_t>(std::ceil(22 * sigma));
}

inline constexpr std::size_t blur_lanes = 8;

/// The same of eight lines side by side, which need no scan: element i of line k is x[8 i + k].
inline void blur_lines(std::array<apps::biquad, 2> const& filters, std::vector<double>& x) {
  std::size_t const n = x.size() / blur_lanes;
  std::vector<double> sum(x.size());
  for (apps::biquad const& f : filters)
    for (bool const back : {false, true}) {
      double x1[blur_lanes] = {}, y1[blur_lanes] = {}, y2[blur_lanes] = {};
      for (std::size_t i = 0; i < n; ++i) {
        std::size_t const at = (back ? n - 1 - i : i) * blur_lanes;
        for (std::size_t k = 0; k < blur_lanes; ++k) {
          double const now = x[at + k], y = product(f.b0, now) + product(f.b1, x1[k]) -
                                            product(f.a1, y1[k]) - product(f.a2, y2[k]);
          x1[k] = now, y2[k] = y1[k], y1[k] = y;
          sum[at + k] += y;
        }
      }
    }
  double const middle = filters[0].b0 + filters[1].b0;
  for (std::size_t i = 0; i < x.size(); ++i) x[i] = sum[i] - middle * x[i];
}

/// Blurs `lines` lines of n elements, at(line, i), on several threads; calls store(line, i,
/// result).
template <class E, class At, class Store>
void blur_each(E const& on, double sigma, std::size_t lines, std::size_t n, apps::edge at_edge,
               At const& at, Store const& store) {
  auto const filters = deriche_filters(sigma);
  std::size_t const margin = blur_margin(sigma, at_edge), padded = n + 2 * margin;
  for_each_part(on, (lines + blur_lanes - 1) / blur_lanes, padded * blur_lanes, [&](std::size_t b) {
    std::size_t const first = b * blur_lanes, count = at_most(blur_lanes, lines - first);
    std::vector<double> x(padded * blur_lanes);
    for (std::size_t i = 0; i < padded; ++i)
      for (std::size_t k = 0; k < count; ++k)
        x[i * blur_lanes + k] = at(first + k, inside_edge(i, margin, n, at_edge));
    blur_lines(filters, x);
    for (std::size_t i = 0; i < n; ++i)
      for (std::size_t k = 0; k < count; ++k) store(first + k, i, x[(margin + i) * blur_lanes + k]);
  });
}

}  // namespace upsweep::detail

namespace upsweep::apps {

/// Convolves the 1-D array `in` with a Gaussian of standard deviation `sigma`, in elements. All
/// weights together differ from the Gaussian by less than 0.001, so results differ from a direct
/// convolution by less than that times the largest magnitude of `in`. Outside is the nearest
/// element or 0. Computed in doubles; an output of integers is rounded to nearest. The bits are the
/// same on every executor. `in` and `out` have n elements each and may be the same memory. Memory:
/// 3 n doubles, and as many for 44 sigma more with `edge::clamp`. Throws precondition_error if the
/// sizes differ and unless 0.5 <= sigma <= 1e6.
template <elements In, elements Out, executor E = cpu>
void recursive_gaussian(In const& in, double sigma, Out&& out, edge at_edge = edge::clamp,
                        E const& on = {}) {
  using T = std::ranges::range_value_t<Out>;
  auto const filters = detail::deriche_filters(sigma);
  std::size_t const n = std::ranges::size(in);
  if (n != std::ranges::size(out))
    detail::fail_sizes("recursive_gaussian", n, std::ranges::size(out));
  if (n == 0) return;
  auto const first = std::ranges::begin(in);
  auto const to = std::ranges::begin(out);
  std::size_t const margin = detail::blur_margin(sigma, at_edge);
  std::vector<double> line(n + 2 * margin);
  detail::for_each_index(on, line.size(), [&](std::size_t i) {
    line[i] = static_cast<double>(
        first[static_cast<std::ptrdiff_t>(detail::inside_edge(i, margin, n, at_edge))]);
  });
  detail::blur_line(on, filters, line);
  detail::for_each_index(on, n, [&](std::size_t i) {
    to[static_cast<std::ptrdiff_t>(i)] = detail::stored_mean<T>(line[margin + i]);
  });
}

/// Blurs an image: each row, then each column, shared by the threads. Within 0.002, times the
/// largest magnitude, of a direct convolution. `in` and `out` have the same two extents and may be
/// the same view. Memory: a double for each element, and for 1-D slices as above on each thread.
/// Also throws precondition_error if the extents differ or are not two.
template <nd_view In, nd_view Out, executor E = cpu>
void recursive_gaussian(In const& in, double sigma, Out const& out, edge at_edge = edge::clamp,
                        E const& on = {}) {
  using T = typename Out::element_type;
  detail::expects(in.rank() == 2 && out.rank() == 2,
                  "recursive_gaussian: the image must have two dimensions, rows and columns");
  std::size_t const rows = detail::extent_of(in, 0), columns = detail::extent_of(in, 1);
  for (std::size_t d = 0; d < 2; ++d)
    if (detail::extent_of(out, d) != detail::extent_of(in, d))
      detail::fail_sizes("recursive_gaussian", detail::extent_of(in, d), detail::extent_of(out, d));
  if (rows == 0 || columns == 0) return;
  auto const place = [](auto const& view, std::size_t r, std::size_t c) -> auto& {
    return view.data_handle()[static_cast<std::ptrdiff_t>(r) * view.stride(0) +
                              static_cast<std::ptrdiff_t>(c) * view.stride(1)];
  };
  std::vector<double> between(rows * columns);
  detail::blur_each(
      on, sigma, rows, columns, at_edge,
      [&](std::size_t r, std::size_t c) { return static_cast<double>(place(in, r, c)); },
      [&](std::size_t r, std::size_t c, double x) { between[r * columns + c] = x; });
  detail::blur_each(
      on, sigma, columns, rows, at_edge,
      [&](std::size_t c, std::size_t r) { return between[r * columns + c]; },
      [&](std::size_t c, std::size_t r, double x) {
        place(out, r, c) = detail::stored_mean<T>(x);
      });
}

}  // namespace upsweep::apps
UPSWEEP_IEEE_END
