/// Functions of each element on a GPU, compiled in the library, in the one implementation of
/// core/portable_math.hpp.
#pragma once

#include <upsweep/cuda/compiled.hpp>

#include <cstddef>

namespace upsweep::device {

enum class element_function { exp, log, softplus, logistic };

/// out[i] = function(x[i]) of float or double; float is computed in double and rounded once. out
/// may be x.
void elementwise_on(gpu const& on, element_function function, float const* x, float* out,
                    std::size_t n);
void elementwise_on(gpu const& on, element_function function, double const* x, double* out,
                    std::size_t n);

}  // namespace upsweep::device
