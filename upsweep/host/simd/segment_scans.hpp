/// Scans of many short segments: a lane for each of several that have one length or a few elements,
/// all lanes for one of the others.
#pragma once

#include <upsweep/core/export.h>

#include <cstddef>
#include <cstdint>

namespace upsweep::host::simd {

/// A scan of the segments x[at[k]], ..., x[at[k + 1] - 1] for k in [0, count).
template <class T>
struct segment_scan {
  T const* x;
  std::uint32_t const* at;
  std::size_t count;
  T const* initial;  ///< combined on the left of every result; null: none
  T const* first;    ///< the result at each segment's first element; null: the scan is inclusive
};

/// out[i] = the scan of x[i]'s segment by sums in the combine tree's order, for the first segments;
/// returns how many they are. It stops before a segment of more than 256 elements, and at once
/// where the CPU has no vectors of 32 bytes. Touches no other elements; `out` may be `x`.
[[nodiscard]] UPSWEEP_API std::size_t scan_segments(segment_scan<float> const& s, float* out);
[[nodiscard]] UPSWEEP_API std::size_t scan_segments(segment_scan<double> const& s, double* out);

}  // namespace upsweep::host::simd
