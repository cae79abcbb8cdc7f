/// exp, log, softplus and the logistic function of arrays, with the bits of core/portable_math.hpp
/// and core/quick_functions.hpp.
#pragma once

#include <upsweep/core/export.h>

#include <cstddef>

namespace upsweep::host::simd {

enum class element_function { exp, log, softplus, logistic };

/// out[i] = function(x[i]) for i < n; those of float are computed in double and rounded once. out
/// may be x.
UPSWEEP_API void map_elements(element_function function, float const* x, float* out, std::size_t n);
UPSWEEP_API void map_elements(element_function function, double const* x, double* out,
                              std::size_t n);

}  // namespace upsweep::host::simd
