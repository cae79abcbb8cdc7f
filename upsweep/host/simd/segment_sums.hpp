/// Sums of many short segments: a lane for each of several that have one length or a few elements,
/// all lanes for one of the others.
#pragma once

#include <upsweep/core/export.h>

#include <cstddef>
#include <cstdint>

namespace upsweep::host::simd {

/// to[k] = the sum of x[at[k]], ..., x[at[k + 1] - 1] in the combine tree's order, +0 of none, for
/// the first segments of k in [0, count); returns how many they are. It stops before a segment
/// of more than 256 elements, and at once where the CPU has no vectors of 32 bytes.
[[nodiscard]] UPSWEEP_API std::size_t sum_segments(float const* x, std::uint32_t const* at,
                                                   std::size_t count, float* to);
[[nodiscard]] UPSWEEP_API std::size_t sum_segments(double const* x, std::uint32_t const* at,
                                                   std::size_t count, double* to);

}  // namespace upsweep::host::simd
