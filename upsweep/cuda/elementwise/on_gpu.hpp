/// Functions of each element on a GPU, compiled in the library, in the one implementation of
/// core/portable_math.hpp.
#pragma once

#include <upsweep/cuda/compiled.hpp>
#include <upsweep/host/simd/anchored_recurrence.hpp>

#include <cstddef>

namespace upsweep::device {

enum class element_function { exp, log, softplus, logistic };

/// out[i] = function(x[i]) of float or double; float is computed in double and rounded once. out
/// may be x.
void elementwise_on(gpu const& on, element_function function, float const* x, float* out,
                    std::size_t n);
void elementwise_on(gpu const& on, element_function function, double const* x, double* out,
                    std::size_t n);

/// out[i] = x[i] y[i] of a type of recurrences. Elements of 16 bits are multiplied in float, and
/// each operation of complex numbers is rounded.
void multiply_on(gpu const& on, host::simd::lane_type type, void const* x, void const* y, void* out,
                 std::size_t n);
/// Elements of 16 bits as floats, and back.
void widen_on(gpu const& on, host::simd::lane_type type, void const* x, float* out, std::size_t n);
void narrow_on(gpu const& on, host::simd::lane_type type, float const* x, void* out, std::size_t n);

}  // namespace upsweep::device
