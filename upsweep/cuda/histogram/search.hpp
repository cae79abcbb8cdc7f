/// Which place of a histogram an element counts at: 0 below the bins, b + 1 in bin b, behind them
/// one place above and one for NaN. A comparison with the bins' borders decides, as in
/// bin_search.hpp.
/// docs/design/0004-cuda.md
#pragma once

#include <upsweep/core/number_types.hpp>
#include <upsweep/cuda/device/elements.hpp>

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <type_traits>

namespace upsweep::device {

/// Whether x >= level, or x > level if `beyond`.
template <class T>
__device__ bool reaches(T const& x, double level, bool beyond) {
  if constexpr (detail::is_float<T> || sizeof(T) < 8) {
    auto const value = static_cast<double>(x);
    return beyond ? value > level : value >= level;
  } else {
    // The level as an integer: x > level is x > floor(level), x >= level is x >= ceil(level).
    constexpr double above_all = detail::has_sign<T> ? 0x1p63 : 0x1p64,
                     least = detail::has_sign<T> ? -0x1p63 : 0.0;
    double const whole = beyond ? floor(level) : ceil(level);
    if (!(whole < above_all)) return false;
    if (whole < least) return true;
    auto const border = static_cast<T>(whole);
    return beyond ? x > border : x >= border;
  }
}

/// Even bins: a line in numbers of type F tells the place of an element, unless that is nearer to a
/// border than `margin`, by which places and borders may be wrong.
template <class T, class F>
struct even_search {
  static constexpr bool has_table = false, refuses = false;

  F low, scale, end, margin;  ///< end: the middle of the place above the bins
  double first, step, last;   ///< border b is first + b * step, the last one `last`
  unsigned bins;
  bool closed_right;

  __device__ unsigned operator()(T const& x) const {
    F place = (static_cast<F>(x) - low) * scale + 1;
    place = place > F(0.5) ? place : F(0.5);
    place = place < end ? place : end;
    auto index = static_cast<unsigned>(place);
    F const from = place - static_cast<F>(index);
    if (from < margin || from > 1 - margin) index = by_border(x, from < F(0.5) ? index - 1 : index);
    if constexpr (detail::is_float<T>)
      if (x != x) index = bins + 2;
    return index;
  }

 private:
  __device__ unsigned by_border(T const& x, unsigned b) const {
    double const level = b < bins ? first + static_cast<double>(b) * step : last;
    return b + (reaches(x, level, closed_right && b == bins) ? 1 : 0);
  }
};

/// Any bins: a line tells the cell of an element, a table how many borders lie in earlier cells,
/// and a search among those of its own cell the rest. Border is bin_search<T>::border.
template <class T, class Border>
struct level_search {
  static constexpr bool has_table = true, refuses = false;

  unsigned const* table;  ///< the borders, then for each cell and the end the borders before it
  unsigned borders, cells, bins;
  double low, scale;

  /// 32-bit words of the table.
  [[nodiscard]] __device__ unsigned size() const {
    return borders * (sizeof(Border) / 4) + cells + 1;
  }
  __device__ unsigned operator()(T const& x) const {
    if constexpr (detail::is_float<T>)
      if (x != x) return bins + 2;
    auto const* const border = simt::pointer_cast<Border const>(table);
    unsigned const* const before = table + borders * (sizeof(Border) / 4);
    double cell = (static_cast<double>(x) - low) * scale;
    cell = cell > 0 ? cell : 0;
    cell = cell < cells - 1 ? cell : cells - 1;
    auto const c = static_cast<unsigned>(cell);
    unsigned reached = before[c], end = before[c + 1];
    while (reached < end) {
      unsigned const middle = (reached + end) / 2;
      Border const b = border[middle];
      if (b <= static_cast<Border>(x))
        reached = middle + 1;
      else
        end = middle;
    }
    return reached;
  }
};

/// Integers that count at their own place; `size` is the place of those that are no index.
template <class T>
struct index_search {
  static constexpr bool has_table = false, refuses = true;

  std::size_t size;

  __device__ unsigned operator()(T const& x) const {
    auto const index = static_cast<std::size_t>(x);  // a negative number becomes a large one
    return static_cast<unsigned>(index < size ? index : size);
  }
};

}  // namespace upsweep::device
