/// Numbers on the line between two others, whose difference may overflow.
#pragma once

#include <upsweep/core/rounding.hpp>

UPSWEEP_IEEE_BEGIN
namespace upsweep::detail {

/// first + (last - first) * share. Where that difference overflows, of the halves: exact, since
/// neither is small.
[[nodiscard]] constexpr double on_line(double first, double last, double share) {
  double const apart = last - first;
  if (apart - apart == 0 || first - first != 0 || last - last != 0)
    return first + product(apart, share);
  return 2 * (first / 2 + product(last / 2 - first / 2, share));
}

/// (x - first) / (last - first).
[[nodiscard]] constexpr double share_of_way(double first, double x, double last) {
  double const apart = last - first;
  if (apart - apart == 0 || first - first != 0 || last - last != 0) return (x - first) / apart;
  return (x / 2 - first / 2) / (last / 2 - first / 2);
}

}  // namespace upsweep::detail
UPSWEEP_IEEE_END
