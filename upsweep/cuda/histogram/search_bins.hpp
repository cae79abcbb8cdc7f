/// The search for given bins, prepared by the host.
#pragma once

#include <upsweep/cuda/histogram/search.hpp>
#include <upsweep/generic/histogram/bins.hpp>
#include <upsweep/generic/histogram/search.hpp>

#include <cmath>
#include <cstddef>
#include <cstring>
#include <limits>
#include <type_traits>
#include <vector>

namespace upsweep::device {

/// By how many bins a line in numbers of type F may misplace an element: by the rounding of the
/// element, of the scale, of the offset and of the result; and the borders by that of their
/// computation in doubles. With a fifth to spare.
template <class F>
[[nodiscard]] double margin_of_line(detail::even_levels const& e) {
  auto const bins = static_cast<double>(e.bins);
  double const largest = bins * (std::fmax(std::fabs(e.low), std::fabs(e.high)) / (e.high - e.low)),
               unit = std::numeric_limits<F>::epsilon() / 2;
  return 1.2 * (unit * (3 * largest + bins + 3) + 0x1p-53 * (4 * largest + 4 * bins));
}
/// The line on which border b is at b + shift.
template <class F>
[[nodiscard]] rounded_line<F> line_of_borders(detail::even_levels const& e, double shift,
                                              double end) {
  double const scale = static_cast<double>(e.bins) / (e.high - e.low);
  return {static_cast<F>(scale), static_cast<F>(shift - e.low * scale), static_cast<F>(end)};
}
/// Whether the line does not overflow.
template <class F>
[[nodiscard]] bool is_finite(rounded_line<F> const& line, detail::even_levels const& e) {
  return std::isnormal(line.scale) && std::isfinite(line.offset) &&
         std::isfinite(static_cast<F>(e.high) * line.scale) &&
         std::isfinite(static_cast<F>(e.low) * line.scale);
}

template <class T, class F>
[[nodiscard]] even_search<T, F> search_even(detail::even_levels const& e, bool closed_right) {
  auto const margin = static_cast<F>(margin_of_line<F>(e));
  return {.place = line_of_borders<F>(e, 0.5, static_cast<double>(e.bins + 1)),
          .margin = margin,
          .farthest = F(0.5) - margin,
          .first = e.low,
          .step = e.step,
          .last = e.high,
          .bins = static_cast<unsigned>(e.bins),
          .closed_right = closed_right};
}
/// Whether so few elements are near a border that the line is worth it.
template <class T, class F>
[[nodiscard]] bool is_useful(even_search<T, F> const& search, detail::even_levels const& e) {
  return search.margin <= F(0x1p-8) && is_finite(search.place, e);
}

template <class T, class F>
[[nodiscard]] lattice_search<T, F> search_lattice(detail::even_levels const& e) {
  return {.border = line_of_borders<F>(e, 0, static_cast<double>(e.bins)),
          .low = static_cast<F>(e.low),
          .step = static_cast<F>(e.step),
          .margin = static_cast<F>(margin_of_line<F>(e)),
          .bins = static_cast<unsigned>(e.bins)};
}
/// Whether the borders are multiples of a power of two that have as few digits as F has, so that no
/// operation rounds them, neither here nor in doubles; and whether elements do.
template <class T, class F>
[[nodiscard]] bool has_exact_borders(lattice_search<T, F> const& search,
                                     detail::even_levels const& e, bool closed_right) {
  double const most = std::fmax(std::fabs(e.low), std::fabs(e.high));
  if (closed_right || !(search.margin <= F(0.25)) || !is_finite(search.border, e)) return false;
  // The products of doubles have one more.
  int const digits = std::numeric_limits<F>::digits - (sizeof(F) == 8 ? 1 : 0);
  int exponent = 0;
  (void)std::frexp(most, &exponent);
  double const unit = std::ldexp(1, exponent - digits);  // most < 2^exponent
  auto const is_multiple = [&](double x) { return std::floor(x / unit) == x / unit; };
  bool const is_whole = std::is_integral_v<T> && exponent > digits;
  return unit >= std::numeric_limits<F>::min() && !is_whole && is_multiple(e.low) &&
         is_multiple(e.step) && e.low + static_cast<double>(e.bins) * e.step == e.high;
}

/// The table of a level_search, and its line.
template <class T>
struct level_table {
  using border = typename detail::bin_search<T>::border;
  using line = typename level_search<T, border>::line;
  using cell = level_cell<border>;
  std::vector<unsigned> words;
  level_search<T, border> search{};

  template <class Levels>
  level_table(Levels const& levels, std::size_t bins, bool closed_right) {
    detail::bin_search<T> const search_on_host(levels, false, closed_right, 0);
    auto const borders = search_on_host.borders();
    auto const low = static_cast<double>(levels[0]);
    double const width = static_cast<double>(levels[bins]) - low;
    // Where whole numbers lie a power of two of cells apart, lanes would read from few banks.
    double const wanted = std::fmin(static_cast<double>(3 * bins), 4095);
    search.bins = static_cast<unsigned>(bins);
    search.cells = static_cast<unsigned>(
        std::is_integral_v<T> && width < wanted ? std::fmax(std::ceil(width), 1) : wanted);
    search.low = static_cast<line>(low);
    search.scale = static_cast<line>(search.cells / width);
    // Infinite borders, or very near ones: all elements are in one cell.
    if (!std::isnormal(search.scale) || !std::isfinite(search.low))
      search.cells = 1, search.scale = 0, search.low = 0;
    constexpr std::size_t cell_words = sizeof(cell) / sizeof(unsigned);
    words.resize(search.cells * cell_words + borders.size_bytes() / sizeof(unsigned));
    unsigned end = 0;
    auto const next_cell = [&] {
      return end < borders.size() ? cell_of(borders[end]) : search.cells;
    };
    unsigned next = next_cell();
    for (unsigned c = 0; c < search.cells; ++c) {
      unsigned const begin = end;
      for (; next == c; next = next_cell()) ++end;
      cell here{};
      bool const is_one = end > begin && borders[begin] == borders[end - 1] &&
                          (end - begin == 1 || sizeof(border) > 4);
      if (is_one) {
        here = cell_at(borders[begin], begin, end);
      } else if (end == begin && end > 0) {  // all of it has reached the border before
        here = cell_at(borders[end - 1], end - 1, end);
      } else {
        here.before = begin | cell::has_many;
        here.set_end(end);
      }
      std::memcpy(words.data() + c * cell_words, &here, sizeof here);
    }
    if (!borders.empty())
      std::memcpy(words.data() + search.cells * cell_words, borders.data(), borders.size_bytes());
  }

 private:
  [[nodiscard]] static cell cell_at(border const& b, unsigned before, unsigned behind) {
    if constexpr (sizeof(border) == 4)
      return {b, before};
    else
      return {b, before, behind};
  }
  /// As in level_search.
  [[nodiscard]] unsigned cell_of(border const& b) const {
    line at = (static_cast<line>(b) - search.low) * search.scale;
    at = at > 0 ? at : line(0);
    auto const last = static_cast<line>(search.cells - 1);
    return static_cast<unsigned>(at < last ? at : last);
  }
};

}  // namespace upsweep::device
