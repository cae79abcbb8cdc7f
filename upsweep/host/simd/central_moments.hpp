/// The central moments of a block, by vector instructions.
#pragma once

#include <upsweep/core/export.h>

#include <cstddef>

namespace upsweep::host::simd {

/// to = mean, m2, m3 and m4 of the n elements at x, n a power of two, with the bits of the operator
/// central_moments along the combine tree.
UPSWEEP_API void find_central_moments(double const* x, std::size_t n, double (&to)[4]);

}  // namespace upsweep::host::simd
