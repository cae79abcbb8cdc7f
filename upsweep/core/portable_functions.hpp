/// softplus and the logistic function with the same bits on every machine, on top of
/// portable_math.hpp.
#pragma once

#include <upsweep/core/portable_math.hpp>

UPSWEEP_IEEE_BEGIN
namespace upsweep::detail::portable {

/// log(1 + e^x) without overflow.
[[nodiscard]] UPSWEEP_BOTH constexpr double softplus(double x) {
  using detail::number;
  if (is_nan_value(x)) return x;
  number const e = exp(x > 0 ? -x : x), u = 1.0 + e;
  // log(1 + e), where the quotient takes back what the sum has rounded away (Kahan).
  number const rest = u.value == 1 ? e : log(u.value) * (e / (u - 1.0));
  return (x > 0 ? x : 0.0) + rest;
}
/// 1 / (1 + e^-x).
[[nodiscard]] UPSWEEP_BOTH constexpr double logistic(double x) {
  detail::number const e = exp(x > 0 ? -x : x);
  return (x > 0 ? 1.0 : e.value) / (1.0 + e);
}

}  // namespace upsweep::detail::portable
UPSWEEP_IEEE_END
