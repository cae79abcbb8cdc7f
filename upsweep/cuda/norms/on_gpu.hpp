/// Softmax, norms, variances and gradients of lines on a GPU, compiled in the library.
#pragma once

#include <upsweep/cuda/compiled.hpp>
#include <upsweep/host/simd/anchored_recurrence.hpp>

#include <cstddef>

namespace upsweep::device {

enum class line_function_name {
  softmax,
  softmax_gradient,
  rms_norm,
  rms_norm_gradient,
  variance,
  variance_gradient,
  logsumexp_gradient,
  log_softmax_gradient
};

/// The most elements of a line, but for logsumexp_gradient, which takes any number.
inline constexpr std::size_t longest_line = std::size_t{1} << 21;

/// `count` lines of `size` elements one after another, in device memory. Elements of 16 bits are
/// combined in float, and those of float in double for norms and variances; `numbers` has this type
/// and 2 count values. Functions leave there what their gradients read: of softmax the maxima and
/// sums, of norms nothing and the roots, of variances the means and the results, which have no
/// other memory. The gradients of logsumexp and log_softmax read the logarithm, and nothing.
struct line_functions {
  line_function_name name;
  host::simd::lane_type type;  ///< a real one
  void const* x;
  void const* gradient;  ///< of gradients: of each element, or of each line
  void const* weight;    ///< of norms: of each element of a line, or null
  void* numbers;
  void* out;
  std::size_t count, size;
  double parameter;  ///< epsilon of a norm; what the sum of a variance is divided by
};
void line_functions_on(gpu const& on, line_functions const& call);

}  // namespace upsweep::device
