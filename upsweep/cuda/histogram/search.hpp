/// Which slot of a histogram an element counts at: 0 below the bins, b + 1 in bin b, after them
/// one slot above and one for NaN. A comparison with the bins' borders decides, as in
/// bin_search.hpp.
/// docs/design/0013-cuda-verbs.md
#pragma once

#include <upsweep/core/number_types.hpp>
#include <upsweep/core/rounding.hpp>
#include <upsweep/cuda/device/elements.hpp>
#include <upsweep/generic/histogram/bins.hpp>
#include <upsweep/generic/histogram/search.hpp>

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <limits>
#include <type_traits>
#include <vector>

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

/// A line in numbers of type F, cut off at 0 and `end`, and rounded to whole numbers: by an
/// addition that leaves no room for other digits, which is faster than a conversion.
template <class F>
struct rounded_line {
  F scale, offset, end;

  struct point {
    F exact, whole;
    unsigned number;  ///< whole
  };
  /// NaN is cut off at 0.
  __device__ point operator()(F x) const {
    constexpr F no_digits = sizeof(F) == 4 ? F(0x1p23) : F(0x1p52);
    F y = std::fma(x, scale, offset);
    y = y > 0 ? y : F(0);
    y = y < end ? y : end;
    F const shifted = y + no_digits;
    using bits = std::conditional_t<sizeof(F) == 4, std::uint32_t, std::uint64_t>;
    return {y, shifted - no_digits,
            static_cast<unsigned>(__builtin_bit_cast(bits, shifted) -
                                  __builtin_bit_cast(bits, no_digits))};
  }
};

/// Even bins: a line tells the slot of an element, unless that is nearer to a border than
/// `margin`, by which slots and borders may be wrong.
template <class T, class F>
struct even_search {
  static constexpr bool has_table = false, refuses = false;

  rounded_line<F> place;  ///< the middle of each slot is a whole number
  F margin, farthest;     ///< from the middle of a slot, at which an element is in it: 1/2 - margin
  double first, step, last;  ///< border b is first + b * step, the last one `last`
  unsigned bins;
  bool closed_right;

  __device__ unsigned operator()(T const& x) const {
    auto const found = place(static_cast<F>(x));
    F const beside = found.exact - found.whole;
    bool is_near = std::fabs(beside) > farthest;
    if constexpr (detail::is_float<T>) is_near = is_near || x != x;
    return is_near ? by_border(x, beside > 0 ? found.number : found.number - 1) : found.number;
  }

 private:
  __device__ unsigned by_border(T const& x, unsigned b) const {
    if constexpr (detail::is_float<T>)
      if (x != x) return bins + 2;
    double const level = b < bins ? first + detail::product(static_cast<double>(b), step) : last;
    return b + (reaches(x, level, closed_right && b == bins) ? 1 : 0);
  }
};

/// Even bins whose borders are low + b * step without rounding, also in numbers of type F: a line
/// tells the border that is nearest to an element, which is compared with it. The elements are
/// numbers of type F too, or those that are not lie far outside.
template <class T, class F>
struct lattice_search {
  static constexpr bool has_table = false, refuses = false;

  rounded_line<F> border;  ///< border b is at b
  F low, step;
  F margin;  ///< by which the line may be wrong
  unsigned bins;

  __device__ unsigned operator()(T const& x) const {
    auto const value = static_cast<F>(x);
    auto const nearest = border(value);
    unsigned const place = nearest.number + (value >= std::fma(nearest.whole, step, low) ? 1U : 0U);
    if constexpr (detail::is_float<T>) return x != x ? bins + 2 : place;
    return place;
  }
};

/// The elements that a line takes to one cell of a table. `before` borders lie in earlier cells.
/// Borders are floats, or have 8 bytes; those of integers may be equal.
template <class Border>
struct level_cell {
  static constexpr unsigned has_many = 0x80000000;  ///< a bit of `before`

  alignas(16) Border border;  ///< the only one in this cell
  unsigned before, after;     ///< the slot of elements that have reached the border

  [[nodiscard]] __device__ unsigned place(bool reached) const { return reached ? after : before; }
  /// If there are several or none: how many borders there are up to the end of this cell.
  __host__ __device__ void set_end(unsigned end) { after = end; }
  [[nodiscard]] __device__ unsigned end() const { return after; }
};
template <>
struct level_cell<float> {
  static constexpr unsigned has_many = 0x80000000;

  alignas(8) float border;
  unsigned before;

  [[nodiscard]] __device__ unsigned place(bool reached) const { return before + (reached ? 1 : 0); }
  __host__ __device__ void set_end(unsigned end) { border = __builtin_bit_cast(float, end); }
  [[nodiscard]] __device__ unsigned end() const { return __builtin_bit_cast(unsigned, border); }
};

/// Any bins: a line tells the cell of an element, and its border the slot; where cells have
/// several borders, a search among them. Border is bin_search<T>::border.
template <class T, class Border>
struct level_search {
  static constexpr bool has_table = true, refuses = false;
  using line = std::conditional_t<sizeof(Border) == 4, float, double>;
  using cell = level_cell<Border>;

  unsigned const* table;  ///< the cells, then the borders
  unsigned cells, bins;
  line low, scale;

  __device__ unsigned operator()(T const& x) const {
    line at = (static_cast<line>(x) - low) * scale;
    at = at > 0 ? at : line(0);
    at = at < static_cast<line>(cells - 1) ? at : static_cast<line>(cells - 1);
    cell const mine = simt::pointer_cast<cell const>(table)[static_cast<unsigned>(at)];
    unsigned place = mine.place(mine.border <= static_cast<Border>(x));
    if ((mine.before & cell::has_many) != 0)
      place = among(static_cast<Border>(x), mine.before & ~cell::has_many, mine.end());
    if constexpr (detail::is_float<T>) return x != x ? bins + 2 : place;
    return place;
  }

 private:
  /// How many borders x has reached, at least `reached` and at most `end`.
  __device__ unsigned among(Border const& x, unsigned reached, unsigned end) const {
    auto const* const border =
        simt::pointer_cast<Border const>(table + cells * (sizeof(cell) / sizeof(unsigned)));
    while (reached < end) {
      unsigned const middle = (reached + end) / 2;
      Border const b = border[middle];
      if (b <= x)
        reached = middle + 1;
      else
        end = middle;
    }
    return reached;
  }
};

/// Integers that count at their own slot; `size` is the slot of those that are no index.
template <class T>
struct index_search {
  static constexpr bool has_table = false, refuses = true;
  using bits = std::conditional_t<sizeof(T) <= 4, unsigned, std::size_t>;

  bits size;

  __device__ unsigned operator()(T const& x) const {
    auto const index = static_cast<bits>(x);  // a negative number becomes a large one
    return static_cast<unsigned>(index < size ? index : size);
  }
};

// The search for given bins, prepared by the host.

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
  [[nodiscard]] static cell cell_at(border const& b, unsigned before, unsigned after) {
    if constexpr (sizeof(border) == 4)
      return {b, before};
    else
      return {b, before, after};
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
