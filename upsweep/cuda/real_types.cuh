/// The types of real elements that a call names at run time.
#pragma once

#include <upsweep/core/errors.hpp>
#include <upsweep/core/number_types.hpp>
#include <upsweep/cuda/half.cuh>
#include <upsweep/host/simd/anchored_recurrence.hpp>

namespace upsweep::device {

/// Calls f<E, A>() for elements E of that type and the type A in which they are combined: float for
/// 16 bits, OfFloat for float. Throws precondition_error for complex elements.
template <class OfFloat, class F>
void with_real_type(host::simd::lane_type type, F const& f) {
  using enum host::simd::lane_type;
  switch (type) {
    case f16:
      return f.template operator()<__half, float>();
    case bf16:
      return f.template operator()<bfloat16, float>();
    case f32:
      return f.template operator()<float, OfFloat>();
    case f64:
      return f.template operator()<double, double>();
    case c64:
    case c128:
      upsweep::detail::fail("upsweep::gpu: the elements must be real numbers");
  }
}

}  // namespace upsweep::device
