/// Minima and maxima of segments, by name.
#include <upsweep/by_name/verbs/segment_engine.hpp>
#include <upsweep/ops/min_max.hpp>

#include <span>

namespace upsweep::dynamic {

std::span<segment_engine const> min_max_segments() {
  static constexpr auto all = segment_engines_of<min, max>(segment_types{});
  return all;
}

}  // namespace upsweep::dynamic
