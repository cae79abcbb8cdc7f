/// Softmax, norms, variances, logarithms and gradients of lines on CPUs, compiled in the library.
#pragma once

#include <upsweep/core/export.h>
#include <upsweep/host/executor.hpp>
#include <upsweep/host/simd/anchored_recurrence.hpp>

#include <cstddef>

namespace upsweep::host {

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

/// `count` lines of `size` elements one after another. Elements of 16 bits are combined in float,
/// and those of float in double for norms and variances; `numbers` has this type and 2 count
/// values. Functions leave there what their gradients read: of softmax the maxima and sums, of
/// norms nothing and the roots, of variances the means and the results, which have no other memory.
/// The gradients of logsumexp and log_softmax read the logarithm, and nothing.
struct line_functions {
  line_function_name name;
  simd::lane_type type;  ///< a real one
  void const* x;
  void const* gradient;  ///< of gradients: of each element, or of each line
  void const* weight;    ///< of norms: of each element of a line, or null
  void* numbers;
  void* out;  ///< no memory of the others
  std::size_t count, size;
  double parameter;  ///< epsilon of a norm; what the sum of a variance is divided by
};
/// The formulas of core/line_formulas.hpp, with sums in the combine tree.
UPSWEEP_API void run(cpu const& on, line_functions const& call);

/// The logarithm of the sum of the exponentials of each of such lines, and the elements minus it.
struct line_logarithms {
  simd::lane_type type;  ///< a real one
  void const* x;
  void* logarithms;  ///< in the type in which elements are combined
  void* out;         ///< log_softmax, or null
  std::size_t count, size;
};
/// With the bits of log_sum_exp and of core/log_of_sum.hpp.
UPSWEEP_API void run(cpu const& on, line_logarithms const& call);

}  // namespace upsweep::host
