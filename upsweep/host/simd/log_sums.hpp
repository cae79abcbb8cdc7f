/// Logarithms of sums of exponentials of lines side by side, in the combine tree.
#pragma once

#include <upsweep/core/export.h>
#include <upsweep/host/simd/anchored_recurrence.hpp>

#include <cstddef>

namespace upsweep::host::simd {

/// out[l] = the reduction of lane l by log_sum_exp, finished, with its bits: of `rows` elements,
/// token r of the lane, at least one. At most most_lanes lanes.
UPSWEEP_API void log_sums(std::size_t rows, std::size_t lanes, lane_matrix const& x, float* out);
UPSWEEP_API void log_sums(std::size_t rows, std::size_t lanes, lane_matrix const& x, double* out);

}  // namespace upsweep::host::simd
