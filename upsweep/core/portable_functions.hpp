/// softplus and the logistic function with the same bits on every machine, on top of
/// portable_math.hpp.
#pragma once

#include <upsweep/core/portable_math.hpp>

#include <cstddef>
#include <utility>

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

namespace detail {

/// A number near 1 / (1 + e) for e in [k / 64, (k + 1) / 64), k <= 64. That of the first interval
/// is 1, so that the relative error of small logarithms is no larger.
[[nodiscard]] constexpr double inverse_near(std::size_t k) {
  return k == 0 ? 1 : 128.0 / static_cast<double>(129 + 2 * k);
}
/// log(1 + e) for e from 0 to 1 with a relative error below 2^-48.
template <std::size_t... k>
[[nodiscard]] UPSWEEP_BOTH inline double near_log_1p(double e, std::index_sequence<k...>) {
  static constexpr double inverses[] = {inverse_near(k)...},
                          logarithms[] = {log(inverse_near(k))...};
  auto const i = static_cast<int>(e * 64);
  double const inverse = inverses[i];
  double const r = fused(e, inverse, inverse - 1);  // (1 + e) inverse = 1 + r
  double const tail =                               // (log(1 + r) - r) / r^2
      fused(fused(fused(fused(fused(fused(-1.0 / 8, r, 1.0 / 7), r, -1.0 / 6), r, 1.0 / 5), r,
                        -1.0 / 4),
                  r, 1.0 / 3),
            r, -1.0 / 2);
  return fused(r * r, tail, r) - logarithms[i];
}
/// e^-|x|, as near as near_exp() is; of larger |x| than 104, of 104.
[[nodiscard]] UPSWEEP_BOTH inline double near_exp_of_minus(float x) {
  float const size = x < 0 ? -x : x;
  return near_exp(size < 104 ? -size : -104.0F);
}

/// 1 / x for x from 1 to 2, to 20 bits or more.
[[nodiscard]] UPSWEEP_BOTH inline float near_inverse(float x) {
#if UPSWEEP_ON_DEVICE
  float y;
  asm("rcp.approx.ftz.f32 %0, %1;" : "=f"(y) : "f"(x));
  return y;
#else
  return 1 / x;
#endif
}

}  // namespace detail

/// softplus() and logistic() in double, rounded to float, in a third of the operations: fewer
/// digits are enough unless the result is close to the middle of two floats.
[[nodiscard]] UPSWEEP_BOTH inline float quick_softplus(float x) {
  double const rest = detail::near_log_1p(detail::near_exp_of_minus(x),
                                          std::make_index_sequence<65>{}),
               y = x > 0 ? x + rest : rest;
  if (rounds_to_one_float(y) && x == x) return static_cast<float>(y);
  return static_cast<float>(softplus(static_cast<double>(x)));
}
[[nodiscard]] UPSWEEP_BOTH inline float quick_logistic(float x) {
  double const e = detail::near_exp_of_minus(x), divisor = 1 + e;
  double inverse = detail::near_inverse(static_cast<float>(divisor));
  for (int k = 0; k < 2; ++k)
    inverse = detail::fused(detail::fused(-divisor, inverse, 1), inverse, inverse);
  double const y = x > 0 ? inverse : e * inverse;
  if (rounds_to_one_float(y) && x == x) return static_cast<float>(y);
  return static_cast<float>(logistic(static_cast<double>(x)));
}

}  // namespace upsweep::detail::portable
UPSWEEP_IEEE_END
