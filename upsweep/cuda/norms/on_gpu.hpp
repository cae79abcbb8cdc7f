/// Softmax, norms, variances and gradients of lines on a GPU, compiled in the library.
#pragma once

#include <upsweep/cuda/compiled.hpp>
#include <upsweep/host/line_functions.hpp>

#include <cstddef>

namespace upsweep::device {

using host::line_function_name, host::line_functions;

/// The most elements of a line, but for logsumexp_gradient, which takes any number.
inline constexpr std::size_t longest_line = std::size_t{1} << 21;

/// Of lines in device memory.
void line_functions_on(gpu const& on, line_functions const& call);

}  // namespace upsweep::device
