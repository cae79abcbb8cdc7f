/// Line of sight: the points of a ray over a terrain that an observer sees.
///
/// A point is visible if its slope from the eye is larger than those of all points before it: a
/// scan by maximum. Its operator also keeps the last slope, so one pass over the altitudes stores
/// the answers; on several threads two passes, over blocks. Blelloch 1990, Prefix sums and their
/// applications, 1.2.1. docs/apps/line_of_sight.md.
#pragma once

#include <upsweep/core/rounding.hpp>
#include <upsweep/upsweep.hpp>

#include <algorithm>
#include <cstddef>
#include <limits>
#include <ranges>
#include <span>
#include <vector>

UPSWEEP_IEEE_BEGIN
namespace upsweep::apps {

/// The observer: above the first point of the ray, in the unit of the altitudes.
struct observer {
  double altitude = 0;  ///< of the eye, above the same zero as the terrain
  double spacing = 1;   ///< between neighboring points of the ray
};

/// What a part of a ray shows: the largest slope before its last point, and the last.
struct slopes_seen {
  double before = -detail::infinity<double>;
  double last = -detail::infinity<double>;
};

/// The operator of line_of_sight: an inclusive scan of altitudes by it gives `true` where they are
/// seen. A point with altitude NaN is not seen and hides nothing.
class sight {
 public:
  static constexpr bool commutative = false;
  static constexpr bool exact = true;
  template <class>
  using accumulator = slopes_seen;

  explicit sight(observer const& at) : at_(at) {}

  [[nodiscard]] slopes_seen identity() const { return {}; }
  template <class T>
  [[nodiscard]] slopes_seen lift(T const& altitude, std::size_t i) const {
    double const rise = static_cast<double>(altitude) - at_.altitude;
    // The observer sees the point on which he stands, and it hides nothing.
    if (i == 0) return {.last = std::numeric_limits<double>::lowest()};
    return {.last = rise / (at_.spacing * static_cast<double>(i))};
  }
  [[nodiscard]] slopes_seen operator()(slopes_seen const& earlier, slopes_seen const& later) const {
    return {larger(larger(earlier.before, earlier.last), later.before), later.last};
  }
  [[nodiscard]] bool finish(slopes_seen const& s) const { return s.last > s.before; }
  [[nodiscard]] static double larger(double a, double b) { return b > a ? b : a; }

 private:
  observer at_;
};

}  // namespace upsweep::apps

namespace upsweep::detail {

inline apps::sight sight_from(apps::observer const& from) {
  detail::expects(from.spacing > 0, "line_of_sight: the spacing must be larger than 0");
  return apps::sight(from);
}

/// A ray in blocks: the largest slope of each, a scan of these, then the answers of each block.
/// Several threads do so in less time than the tree of pairs; maxima are exact, so the answers are
/// the same.
template <class Altitudes, class Visible, class E>
void sight_in_blocks(Altitudes const& altitudes, apps::observer const& from, Visible& visible,
                     E const& on) {
  using R = std::ranges::range_value_t<Visible>;
  constexpr std::size_t block = std::size_t{1} << 14;
  std::size_t const n = std::ranges::size(altitudes), blocks = (n + block - 1) / block;
  auto const in = detail::first_of(altitudes);
  auto const out = std::ranges::begin(visible);
  apps::sight const op(from);
  detail::float_environment const ieee;
  std::vector<double> highest(blocks);
  // f(i, whether its slope is larger than those before) for each point of each block.
  auto const for_points = [&](auto const& f) {
    detail::for_each_part(on, blocks, block, [&](std::size_t b) {
      double largest = highest[b];
      for (std::size_t i = b * block; i < n && i < (b + 1) * block; ++i) {
        double const slope = op.lift(in[static_cast<std::ptrdiff_t>(i)], i).last;
        f(i, slope > largest);
        largest = apps::sight::larger(largest, slope);
      }
      highest[b] = largest;
    });
  };
  std::fill(highest.begin(), highest.end(), apps::slopes_seen{}.last);
  for_points([](std::size_t, bool) {});
  upsweep::exclusive_scan(on, highest, highest, max{});
  for_points([&](std::size_t i, bool seen) {
    out[static_cast<std::ptrdiff_t>(i)] = static_cast<R>(seen);
  });
}

}  // namespace upsweep::detail

namespace upsweep::apps {

/// visible[i] = whether the observer, above the first point, sees point i: whether its slope
/// (altitudes[i] - altitude of the eye) / (i spacing) is larger than that of every point between.
/// Slopes are doubles. `altitudes` are n numbers, `visible` n elements to which a bool converts.
/// Throws precondition_error if the sizes differ, if the ranges overlap without being the same
/// memory, or if the spacing is not positive.
template <elements Altitudes, elements Visible, executor E = cpu>
void line_of_sight(Altitudes const& altitudes, observer const& from, Visible&& visible,
                   E const& on = {}) {
  sight const op = detail::sight_from(from);
  detail::check_output("line_of_sight", altitudes, visible);
  if constexpr (requires { on.width(std::size_t{}); }) {
    // On one thread the scan keeps a running value. Blocks are twice that work, shared by all.
    if (on.width(std::ranges::size(altitudes)) > 2)
      return detail::sight_in_blocks(altitudes, from, visible, on);
    return upsweep::inclusive_scan(serial{}, altitudes, visible, op);
  } else {
    upsweep::inclusive_scan(on, altitudes, visible, op);
  }
}

/// The same for every 1-D slice of a grid along `axis` (default: along its rows), each with an
/// observer above its first point. `grid` and `visible` have the same extents.
template <nd_view Grid, nd_view Visible, executor E = cpu>
void lines_of_sight(Grid const& grid, observer const& from, Visible const& visible, int axis = -1,
                    E const& on = {}) {
  upsweep::inclusive_scan(on, grid, visible, detail::sight_from(from), {.axis = axis});
}

}  // namespace upsweep::apps
UPSWEEP_IEEE_END
