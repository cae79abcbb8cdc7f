/// Sums and products of segments, by name.
#include <upsweep/by_name/verbs/segment_engine.hpp>
#include <upsweep/ops/arithmetic.hpp>

#include <span>

namespace upsweep::dynamic {

std::span<segment_engine const> arithmetic_segments() {
  static constexpr auto all = segment_engines_of<plus, multiplies>(segment_types{});
  return all;
}

}  // namespace upsweep::dynamic
