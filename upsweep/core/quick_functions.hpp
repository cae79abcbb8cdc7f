/// softplus and the logistic function with the same bits on every machine, on top of
/// portable_math.hpp; and they and exp of float with these bits in a third of the operations and
/// with few branches, for GPUs.
#pragma once

#include <upsweep/core/portable_math.hpp>

#include <cstddef>
#include <cstdint>
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

/// Whether a number with a relative error below 2^-46 rounds to the same float as the exact one:
/// whether it is a normal one and not close to the middle of two floats.
[[nodiscard]] UPSWEEP_BOTH inline bool rounds_to_one_float(double x) {
  auto const bits = __builtin_bit_cast(std::uint64_t, x);
  constexpr std::uint32_t middle = 1U << 28, margin = 256, rest = (1U << 29) - 1;
  auto const after = (static_cast<std::uint32_t>(bits) - middle + margin) & rest;
  return x >= 0x1p-126 && after >= 2 * margin;
}

namespace detail {

/// a * b + c, rounded once.
[[nodiscard]] UPSWEEP_BOTH inline double fused(double a, double b, double c) {
#if UPSWEEP_ON_DEVICE
  return __fma_rn(a, b, c);
#else
  return __builtin_fma(a, b, c);
#endif
}

inline constexpr int exp_digits = 7;
inline constexpr double ln2 = 0x1.62e42fefa39efp-1, ln2_rest = 0x1.abc9e3b39803fp-56;

/// The bits of 2^(k / 128) less k in the upper 19 bits, so that adding 128 q + k there gives those
/// of 2^(q + k / 128).
[[nodiscard]] constexpr std::uint64_t power_bits(std::size_t k) {
  double const power = exp(static_cast<double>(k) * (ln2 / (1 << exp_digits)));
  return __builtin_bit_cast(std::uint64_t, power) - (std::uint64_t{k} << (52 - exp_digits));
}
template <std::size_t... k>
[[nodiscard]] UPSWEEP_BOTH inline std::uint64_t const* power_table(std::index_sequence<k...>) {
  static constexpr std::uint64_t powers[] = {power_bits(k)...};
  return powers;
}

}  // namespace detail

inline constexpr std::size_t exp_powers = std::size_t{1} << detail::exp_digits;
/// The table of near_exp(), which kernels may copy to shared memory.
[[nodiscard]] UPSWEEP_BOTH inline std::uint64_t const* powers_for_exp() {
  return detail::power_table(std::make_index_sequence<exp_powers>{});
}

/// e^value of |value| <= 104 with a relative error below 2^-50, in 9 operations instead of 45 and
/// without branches. NaN gives NaN.
[[nodiscard]] UPSWEEP_BOTH inline double near_exp(double value, std::uint64_t const* powers) {
  using detail::fused;
  constexpr double shift = 0x1.8p52;  // the sum has the nearest integer in its last bits
  constexpr double step = detail::ln2 / exp_powers, step_rest = detail::ln2_rest / exp_powers;
  double const shifted = fused(value, exp_powers * detail::log2_e, shift), n = shifted - shift;
  double const r = fused(n, -step_rest, fused(n, -step, value));  // value = n step + r
  // (e^r - 1) / r for |r| <= h = step / 2. The series ends with r^3 / 24; r^4 / 120 is replaced by
  // 0.86 h^2 r^2 / 120, which leaves an error of 2^-52.
  constexpr double cubic = 1.0 / 6 + 0.86 / 120 * (step / 2) * (step / 2);
  double const rise = fused(fused(fused(1.0 / 24, r, cubic), r, 1.0 / 2), r, 1.0);
  auto const bits = __builtin_bit_cast(std::uint64_t, shifted);
  std::uint64_t const power = powers[bits % exp_powers];
  constexpr int position = 52 - detail::exp_digits;
#if UPSWEEP_ON_DEVICE
  double const scale = __hiloint2double(static_cast<int>((power >> 32) + (bits << (position - 32))),
                                        static_cast<int>(power));
#else
  double const scale = __builtin_bit_cast(double, power + (bits << position));
#endif
  return fused(scale * r, rise, scale);
}
/// exp(x) of x <= 104, bit by bit. NaN gives 0. The error of near_exp() before the one rounding to
/// float changes none of the results: a test compares those of all 2^32 floats.
[[nodiscard]] UPSWEEP_BOTH inline float quick_exp(float x,
                                                  std::uint64_t const* powers = powers_for_exp()) {
  return static_cast<float>(near_exp(x > -104 ? x : -104.0F, powers));
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
[[nodiscard]] UPSWEEP_BOTH inline double near_exp_of_minus(float x, std::uint64_t const* powers) {
  float const size = x < 0 ? -x : x;
  return near_exp(size < 104 ? -size : -104.0F, powers);
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

/// softplus and logistic of x, where e is near e^-|x|.
[[nodiscard]] UPSWEEP_BOTH inline float softplus_by(double e, float x) {
  double const rest = near_log_1p(e, std::make_index_sequence<65>{}), y = x > 0 ? x + rest : rest;
  if (rounds_to_one_float(y) && x == x) return static_cast<float>(y);
  return static_cast<float>(softplus(static_cast<double>(x)));
}
[[nodiscard]] UPSWEEP_BOTH inline float logistic_by(double e, float x) {
  double const divisor = 1 + e;
  double inverse = near_inverse(static_cast<float>(divisor));
  for (int k = 0; k < 2; ++k) inverse = fused(fused(-divisor, inverse, 1), inverse, inverse);
  double const y = x > 0 ? inverse : e * inverse;
  if (rounds_to_one_float(y) && x == x) return static_cast<float>(y);
  return static_cast<float>(logistic(static_cast<double>(x)));
}

}  // namespace detail

/// softplus() and logistic() in double, rounded to float, in a third of the operations: fewer
/// digits are enough unless the result is close to the middle of two floats.
[[nodiscard]] UPSWEEP_BOTH inline float quick_softplus(
    float x, std::uint64_t const* powers = powers_for_exp()) {
  return detail::softplus_by(detail::near_exp_of_minus(x, powers), x);
}
[[nodiscard]] UPSWEEP_BOTH inline float quick_logistic(
    float x, std::uint64_t const* powers = powers_for_exp()) {
  return detail::logistic_by(detail::near_exp_of_minus(x, powers), x);
}

}  // namespace upsweep::detail::portable
UPSWEEP_IEEE_END
