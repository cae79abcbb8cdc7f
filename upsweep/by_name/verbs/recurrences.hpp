/// Linear recurrences by name: their order and the type of their elements are known at run time.
#pragma once

#include <upsweep/core/export.h>
#include <upsweep/by_name/run.hpp>

#include <cstddef>

namespace upsweep::dynamic {

inline constexpr std::size_t largest_recurrence = 4;

/// out[i] = in[i] + a[0] out[i-1] + ... + a[order-1] out[i-order] over n elements of f32 or f64,
/// whose type the coefficients are rounded to; 1 <= order <= 4. `how.initial` are `order` results
/// before the first, the latest first; null: zeros. `out` may be `in`. Throws
/// precondition_error for another overlap, and where upsweep::recurrence does.
UPSWEEP_API void recurrence(dtype t, double const* a, std::size_t order, void const* in,
                            std::size_t n, request const& how, void* out);

/// out[i] = (1 - weight) out[i-1] + weight in[i] over n elements of f32 or f64. `how.initial` is
/// the result before the first; null: zero. With `from_first` out[0] is in[0] instead of
/// weight in[0]. `out` and `in` do not overlap. NaN is a missing element: out[i] is then out[i-1],
/// and the next element has the share weight / (weight + (1 - weight)^k) after k - 1 missing ones,
/// as in pandas' ewm(adjust=False); with `from_first` results before the first element are NaN.
UPSWEEP_API void moving_average(dtype t, double weight, bool from_first, void const* in,
                                std::size_t n, request const& how, void* out);

}  // namespace upsweep::dynamic
