/// The bins of histograms, and the elements that lie in none.
#pragma once

#include <upsweep/core/errors.hpp>
#include <upsweep/core/rounding.hpp>

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <type_traits>

UPSWEEP_IEEE_BEGIN
namespace upsweep::detail {

/// The borders of even bins, which need no memory.
struct even_levels {
  double low, step, high;
  std::size_t bins;
  [[nodiscard]] std::size_t size() const { return bins + 1; }
  double operator[](std::size_t b) const {
    return b < bins ? low + product(static_cast<double>(b), step) : high;
  }
};

/// Whether the borders are so far apart that rounding moves none of them, nor the number after the
/// last one, by more than 3/8 of a step: by 6 times 2^-53 of the largest number.
inline bool are_apart(even_levels const& e) {
  double const most = std::fmax(std::fabs(e.low), std::fabs(e.high));
  return e.step > 8 * std::numeric_limits<double>::epsilon() * most;
}

/// Even bins of elements that doubles hold exactly, without a table of their borders. An element's
/// slot (x - low) * per_step has an error of less than 2^-20 steps, and a border's of 3/8 at most,
/// so only the border of the nearest whole number must be compared with the element.
struct even_line {
  double low, step, per_step;
  double end;  ///< the last border, or the next number if the last bin includes it
  std::uint32_t bins;
  float low_in_floats = 0;  ///< of unsigned integers: less by 2^31
  /// Farther from whole numbers, a slot in floats tells the bin; 0: no such slot does.
  float margin = 0;
};

/// The line of these bins for elements of type T, unless their borders meet or are out of range.
template <class T>
std::optional<even_line> line_of(even_levels const& e, bool closed_right) {
  if (!are_apart(e) || !(e.step > 1e-290) || e.bins > 0x7fffff00) return std::nullopt;
  double const end = closed_right ? std::nextafter(e.high, infinity<double>) : e.high;
  even_line line{e.low, e.step, 1 / e.step, end, static_cast<std::uint32_t>(e.bins)};
  double const bias = std::is_same_v<T, std::uint32_t> ? 0x1p31 : 0, low = e.low - bias,
               most = std::fmax(std::fabs(low), std::fabs(e.high - bias));
  line.low_in_floats = static_cast<float>(low);
  // Of elements and `low` as floats, and of the slot's three operations, in steps.
  double const error = 0x1p-24 * (2 * most / e.step + 4 * static_cast<double>(e.bins + 2));
  bool const in_range = e.step > 1e-30 && most < 1e30;
  if (in_range && error < 0x1p-11) line.margin = static_cast<float>(4 * error);
  return line;
}

}  // namespace upsweep::detail
UPSWEEP_IEEE_END

UPSWEEP_IEEE_BEGIN
namespace upsweep {

/// Bins of equal width from `low` to `high`. Border b of k bins is low + b * ((high - low) / k),
/// and the last border is `high`, as numpy.linspace computes them.
struct even {
  double low, high;
};

struct histogram_options {    ///< the options of histograms
  bool closed_right = false;  ///< the last bin includes its upper border, as numpy.histogram's does
};

/// Numbers of elements that lie in no bin.
struct outside_counts {
  std::size_t below = 0, above = 0, nan = 0;
  friend bool operator==(outside_counts const&, outside_counts const&) = default;
};

namespace detail {

/// The element at `position` counts in none of `size` bins.
[[noreturn]] inline void fail_index(std::size_t position, std::size_t size) {
  fail("count_indices: the element at position %zu is not an index of the %zu counts", position,
       size);
}

}  // namespace detail

}  // namespace upsweep
UPSWEEP_IEEE_END
