/// Box filters of 1-D arrays and images, and Gaussian blur by three of them.
///
/// In 1-D each mean is a windowed reduction: about 2 log2(width) additions per element, without
/// cancellation. In an image it is a difference of four elements of the summed-area table: the same
/// cost for any radius. Edges are padded, so every window is complete. docs/apps/box_filter.md.
#pragma once

#include <upsweep/apps/summed_area.hpp>
#include <upsweep/core/rounding.hpp>

#include <array>
#include <cmath>
#include <cstddef>
#include <ranges>
#include <type_traits>
#include <vector>

UPSWEEP_IEEE_BEGIN
namespace upsweep::apps {

/// The values outside an array: its nearest element (`clamp`), or zeros.
enum class edge { clamp, zero };

}  // namespace upsweep::apps

namespace upsweep::detail {

/// A mean as an element of the output: rounded to nearest, ties away from zero, if those are
/// integers.
template <class T>
T stored_mean(double mean) {
  if constexpr (std::is_integral_v<T>)
    return static_cast<T>(std::round(mean));
  else
    return static_cast<T>(mean);
}

/// The mean of `count` elements, as the output's element type.
template <class T>
struct mean_of : plus {
  double count;
  [[nodiscard]] T finish(double sum) const { return stored_mean<T>(sum / count); }
};

/// Position i of a padded line of n elements as a position of the line itself, or n for a zero.
inline std::size_t inside_edge(std::size_t i, std::size_t radius, std::size_t n,
                               apps::edge at_edge) {
  if (i >= radius && i - radius < n) return i - radius;
  return at_edge == apps::edge::zero ? n : i < radius ? 0 : n - 1;
}

}  // namespace upsweep::detail

namespace upsweep::apps {

/// out[i] = the mean of in[i - radius], ..., in[i + radius], with the bits of `reduce` on that
/// window of doubles, divided by its size; an output of integers is rounded to nearest. `in` and
/// `out` have n elements each and may be the same memory. Memory: n + 2 radius doubles. Throws
/// precondition_error if the sizes differ.
template <elements In, elements Out, executor E = cpu>
void box_filter(In const& in, std::size_t radius, Out&& out, edge at_edge = edge::clamp,
                E const& on = {}) {
  using T = std::ranges::range_value_t<Out>;
  detail::float_environment const ieee;
  std::size_t const n = std::ranges::size(in), padded = n + 2 * radius, width = 2 * radius + 1;
  if (n != std::ranges::size(out)) detail::fail_sizes("box_filter", n, std::ranges::size(out));
  if (n == 0) return;
  std::vector<double> line(padded);
  auto const first = std::ranges::begin(in);
  constexpr std::size_t block = 4096;
  on.for_each_line((padded + block - 1) / block, block, [&](std::size_t b, auto const&) {
    for (std::size_t i = b * block; i < padded && i < (b + 1) * block; ++i)
      if (std::size_t const from = detail::inside_edge(i, radius, n, at_edge); from < n)
        line[i] = static_cast<double>(first[static_cast<std::ptrdiff_t>(from)]);
  });
  upsweep::windowed(on, line, width, out, detail::mean_of<T>{{}, static_cast<double>(width)});
}

/// out(r, c) = the mean of the elements of the image `in` in rows r - radius[0], ..., r + radius[0]
/// and columns c - radius[1], ..., c + radius[1], by a summed-area table of doubles; an output of
/// integers is rounded to nearest. Exact before the division if the elements are integers with a
/// total below 2^53; otherwise the error of a mean is that of the table at its lower right corner.
/// `in` and `out` have the same two extents and may be the same view. Memory: a double for each
/// element of the padded image. Throws precondition_error if the extents differ or are not two.
template <nd_view In, nd_view Out, executor E = cpu>
void box_filter(In const& in, std::array<std::size_t, 2> radius, Out const& out,
                edge at_edge = edge::clamp, E const& on = {}) {
  using T = typename Out::element_type;
  detail::float_environment const ieee;
  detail::expects(in.rank() == 2 && out.rank() == 2,
                  "box_filter: the image must have two dimensions, rows and columns");
  std::size_t const rows = detail::extent_of(in, 0), columns = detail::extent_of(in, 1);
  for (std::size_t d = 0; d < 2; ++d)
    if (detail::extent_of(out, d) != detail::extent_of(in, d))
      detail::fail_sizes("box_filter", detail::extent_of(in, d), detail::extent_of(out, d));
  if (rows == 0 || columns == 0) return;
  // A row and a column of zeros lie before the padded image, so that every corner exists.
  std::size_t const tall = rows + 2 * radius[0] + 1, wide = columns + 2 * radius[1] + 1;
  std::vector<double> sums(tall * wide);
  on.for_each_line(tall - 1, wide, [&](std::size_t r, auto const&) {
    std::size_t const row = detail::inside_edge(r, radius[0], rows, at_edge);
    if (row == rows) return;
    for (std::size_t c = 0; c + 1 < wide; ++c)
      if (std::size_t const column = detail::inside_edge(c, radius[1], columns, at_edge);
          column < columns)
        sums[(r + 1) * wide + c + 1] = static_cast<double>(
            in.data_handle()[static_cast<std::ptrdiff_t>(row) * in.stride(0) +
                             static_cast<std::ptrdiff_t>(column) * in.stride(1)]);
  });
  strided_view<double> const table(sums.data(), {tall, wide});
  apps::summed_area_table(table, table, on);
  std::size_t const height = 2 * radius[0] + 1, width = 2 * radius[1] + 1;
  double const count = static_cast<double>(height) * static_cast<double>(width);
  on.for_each_line(rows, columns, [&](std::size_t r, auto const&) {
    double const *const high = &sums[r * wide], *const low = high + height * wide;
    auto* const to = out.data_handle() + static_cast<std::ptrdiff_t>(r) * out.stride(0);
    for (std::size_t c = 0; c < columns; ++c)
      to[static_cast<std::ptrdiff_t>(c) * out.stride(1)] =
          detail::stored_mean<T>(((low[c + width] - high[c + width]) - (low[c] - high[c])) / count);
  });
}

/// The radii of three boxes that together have nearly the variance sigma^2 of a Gaussian: odd
/// widths w or w + 2 around sqrt(4 sigma^2 + 1), w as often as fits the variance (w^2 - 1) / 12 of
/// each (Kovesi 2010, Fast almost-Gaussian filtering). Throws precondition_error unless sigma is a
/// number from 0 to 10^9.
[[nodiscard]] inline std::array<std::size_t, 3> three_boxes(double sigma) {
  detail::expects(sigma >= 0 && sigma <= 1e9, "three_boxes: sigma must be a number from 0 to 1e9");
  double const wanted = detail::product(12 * sigma, sigma);
  auto const narrow = static_cast<std::size_t>((std::sqrt(wanted / 3 + 1) - 1) / 2);
  double const w = 2 * static_cast<double>(narrow) + 1;
  // How many of the three are of width w: their variances sum to wanted / 12.
  double const times =
      std::round((detail::product(3 * w, w) + detail::product(12.0, w) + 9 - wanted) / (4 * w + 4));
  std::array<std::size_t, 3> radius;
  for (std::size_t k = 0; k < 3; ++k)
    radius[k] = static_cast<double>(k) < times ? narrow : narrow + 1;
  return radius;
}

/// Gaussian blur of a 1-D array or an image: three boxes in each dimension, which together are
/// nearly a Gaussian of standard deviation `sigma`, in elements: within a tenth of its peak for
/// sigma >= 2, and 6 % below that peak for large sigma. Each of the three passes pads its edges
/// anew. Memory, views and errors are those of box_filter, and the errors of three_boxes.
template <elements In, elements Out, executor E = cpu>
void gaussian_blur(In const& in, double sigma, Out&& out, edge at_edge = edge::clamp,
                   E const& on = {}) {
  auto const radius = apps::three_boxes(sigma);
  std::vector<double> between(std::ranges::size(in));
  apps::box_filter(in, radius[0], between, at_edge, on);
  apps::box_filter(between, radius[1], between, at_edge, on);
  apps::box_filter(between, radius[2], out, at_edge, on);
}
template <nd_view In, nd_view Out, executor E = cpu>
void gaussian_blur(In const& in, double sigma, Out const& out, edge at_edge = edge::clamp,
                   E const& on = {}) {
  detail::expects(in.rank() == 2,
                  "gaussian_blur: the image must have two dimensions, rows and columns");
  auto const radius = apps::three_boxes(sigma);
  std::size_t const rows = detail::extent_of(in, 0), columns = detail::extent_of(in, 1);
  std::vector<double> memory(rows * columns);
  strided_view<double> const between(memory.data(), {rows, columns});
  apps::box_filter(in, {radius[0], radius[0]}, between, at_edge, on);
  apps::box_filter(between, {radius[1], radius[1]}, between, at_edge, on);
  apps::box_filter(between, {radius[2], radius[2]}, out, at_edge, on);
}

}  // namespace upsweep::apps
UPSWEEP_IEEE_END
