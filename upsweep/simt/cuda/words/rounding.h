/// Arithmetic and conversions with a rounding mode in their names: _rn to nearest, _rz toward
/// zero, _ru up, _rd down.
#pragma once

#include "keywords.h"

#include <cmath>
#include <type_traits>

namespace upsweep::emulated {

enum class rounding { rn, rz, ru, rd };

/// The number next to `near` on the side of the exact result, which is `near` plus something of the
/// sign of `error`, if the mode asks for it.
template <rounding mode, class F>
UPSWEEP_EMULATED_WORD F rounded(F near, double error) {
  if (mode == rounding::rn || !(error != 0) || !std::isfinite(near)) return near;
  bool const down = mode == rounding::rd || (mode == rounding::rz && near > 0) ||
                    (mode == rounding::rz && near == 0 && error > 0);
  F const end = down ? -HUGE_VAL : HUGE_VAL;
  return down == (error < 0) ? std::nextafter(near, end) : near;
}
/// The error of the rounded sum, which is exact.
UPSWEEP_EMULATED_WORD double error_of_sum(double a, double b, double sum) {
  double const part = sum - a;
  return (a - (sum - part)) + (b - part);
}
template <rounding mode>
UPSWEEP_EMULATED_WORD float sum(float a, float b) {
  double const exact = static_cast<double>(a) + b;
  float const near = static_cast<float>(exact);
  return rounded<mode>(near, exact - near + error_of_sum(a, b, exact));
}
template <rounding mode>
UPSWEEP_EMULATED_WORD float product(float a, float b) {
  double const exact = static_cast<double>(a) * b;
  float const near = static_cast<float>(exact);
  return rounded<mode>(near, exact - near);
}
template <rounding mode>
UPSWEEP_EMULATED_WORD float fused(float a, float b, float c) {
  if (mode == rounding::rn) return __builtin_fmaf(a, b, c);
  double const ab = static_cast<double>(a) * b, exact = ab + c;
  float const near = static_cast<float>(exact);
  return rounded<mode>(near, exact - near + error_of_sum(ab, c, exact));
}
template <rounding mode>
UPSWEEP_EMULATED_WORD float quotient(float a, float b) {
  float const near = a / b;
  double const rest = static_cast<double>(a) - static_cast<double>(near) * b;
  return rounded<mode>(near, b < 0 ? -rest : rest);
}
template <rounding mode>
UPSWEEP_EMULATED_WORD float root(float a) {
  float const near = std::sqrt(a);
  return rounded<mode>(near, static_cast<double>(a) - static_cast<double>(near) * near);
}

/// As the instruction does: NaN is 0, what is too large is the largest. (To 64 bits a GPU makes
/// NaN the smallest number.)
template <rounding mode, class To, class From>
UPSWEEP_EMULATED_WORD To to_integer(From x) {
  double const d = x;
  double const whole = mode == rounding::rn   ? std::nearbyint(d)
                       : mode == rounding::rz ? std::trunc(d)
                       : mode == rounding::ru ? std::ceil(d)
                                              : std::floor(d);
  constexpr bool is_signed = std::is_signed_v<To>;
  constexpr int bits = sizeof(To) * 8 - is_signed;
  double const bound = std::ldexp(1.0, bits), least = is_signed ? -bound : 0;
  constexpr To largest = static_cast<To>(~0ULL >> (64 - bits)),
               smallest = is_signed ? static_cast<To>(-largest - 1) : To{0};
  if (d != d) return sizeof(To) == 8 ? static_cast<To>(1ULL << 63) : To{0};
  return whole >= bound ? largest : whole < least ? smallest : static_cast<To>(whole);
}
template <rounding mode, class To, class From>
UPSWEEP_EMULATED_WORD To to_float(From x) {
  To const near = static_cast<To>(x);
  return rounded<mode>(near, static_cast<double>(static_cast<long double>(x) - near));
}

}  // namespace upsweep::emulated

#define UPSWEEP_EMULATED_ARITHMETIC(mode)                                           \
  UPSWEEP_EMULATED_WORD float __fadd_##mode(float a, float b) {                     \
    return upsweep::emulated::sum<upsweep::emulated::rounding::mode>(a, b);         \
  }                                                                                 \
  UPSWEEP_EMULATED_WORD float __fsub_##mode(float a, float b) {                     \
    return upsweep::emulated::sum<upsweep::emulated::rounding::mode>(a, -b);        \
  }                                                                                 \
  UPSWEEP_EMULATED_WORD float __fmul_##mode(float a, float b) {                     \
    return upsweep::emulated::product<upsweep::emulated::rounding::mode>(a, b);     \
  }                                                                                 \
  UPSWEEP_EMULATED_WORD float __fmaf_##mode(float a, float b, float c) {            \
    return upsweep::emulated::fused<upsweep::emulated::rounding::mode>(a, b, c);    \
  }                                                                                 \
  UPSWEEP_EMULATED_WORD float __fdiv_##mode(float a, float b) {                     \
    return upsweep::emulated::quotient<upsweep::emulated::rounding::mode>(a, b);    \
  }                                                                                 \
  UPSWEEP_EMULATED_WORD float __frcp_##mode(float a) {                              \
    return upsweep::emulated::quotient<upsweep::emulated::rounding::mode>(1.0F, a); \
  }                                                                                 \
  UPSWEEP_EMULATED_WORD float __fsqrt_##mode(float a) {                             \
    return upsweep::emulated::root<upsweep::emulated::rounding::mode>(a);           \
  }
#define UPSWEEP_EMULATED_TO_INTEGER(name, To, From, mode)                           \
  UPSWEEP_EMULATED_WORD To __##name##_##mode(From x) {                              \
    return upsweep::emulated::to_integer<upsweep::emulated::rounding::mode, To>(x); \
  }
#define UPSWEEP_EMULATED_TO_FLOAT(name, To, From, mode)                           \
  UPSWEEP_EMULATED_WORD To __##name##_##mode(From x) {                            \
    return upsweep::emulated::to_float<upsweep::emulated::rounding::mode, To>(x); \
  }
#define UPSWEEP_EMULATED_ROUNDING(mode)                                     \
  UPSWEEP_EMULATED_ARITHMETIC(mode)                                         \
  UPSWEEP_EMULATED_TO_INTEGER(float2int, int, float, mode)                  \
  UPSWEEP_EMULATED_TO_INTEGER(float2uint, unsigned, float, mode)            \
  UPSWEEP_EMULATED_TO_INTEGER(float2ll, long long, float, mode)             \
  UPSWEEP_EMULATED_TO_INTEGER(float2ull, unsigned long long, float, mode)   \
  UPSWEEP_EMULATED_TO_INTEGER(double2int, int, double, mode)                \
  UPSWEEP_EMULATED_TO_INTEGER(double2uint, unsigned, double, mode)          \
  UPSWEEP_EMULATED_TO_INTEGER(double2ll, long long, double, mode)           \
  UPSWEEP_EMULATED_TO_INTEGER(double2ull, unsigned long long, double, mode) \
  UPSWEEP_EMULATED_TO_FLOAT(int2float, float, int, mode)                    \
  UPSWEEP_EMULATED_TO_FLOAT(uint2float, float, unsigned, mode)              \
  UPSWEEP_EMULATED_TO_FLOAT(ll2float, float, long long, mode)               \
  UPSWEEP_EMULATED_TO_FLOAT(ull2float, float, unsigned long long, mode)     \
  UPSWEEP_EMULATED_TO_FLOAT(ll2double, double, long long, mode)             \
  UPSWEEP_EMULATED_TO_FLOAT(ull2double, double, unsigned long long, mode)   \
  UPSWEEP_EMULATED_TO_FLOAT(double2float, float, double, mode)
UPSWEEP_EMULATED_ROUNDING(rn)
UPSWEEP_EMULATED_ROUNDING(rz)
UPSWEEP_EMULATED_ROUNDING(ru)
UPSWEEP_EMULATED_ROUNDING(rd)
#undef UPSWEEP_EMULATED_ROUNDING
#undef UPSWEEP_EMULATED_TO_FLOAT
#undef UPSWEEP_EMULATED_TO_INTEGER
#undef UPSWEEP_EMULATED_ARITHMETIC

UPSWEEP_EMULATED_WORD double __int2double_rn(int x) {
  return x;
}
UPSWEEP_EMULATED_WORD double __uint2double_rn(unsigned x) {
  return x;
}
UPSWEEP_EMULATED_WORD double __dadd_rn(double a, double b) {
  return a + b;
}
UPSWEEP_EMULATED_WORD double __dsub_rn(double a, double b) {
  return a - b;
}
UPSWEEP_EMULATED_WORD double __dmul_rn(double a, double b) {
  return a * b;
}
UPSWEEP_EMULATED_WORD double __ddiv_rn(double a, double b) {
  return a / b;
}
UPSWEEP_EMULATED_WORD double __dsqrt_rn(double a) {
  return std::sqrt(a);
}
UPSWEEP_EMULATED_WORD double __drcp_rn(double a) {
  return 1 / a;
}
UPSWEEP_EMULATED_WORD double __fma_rn(double a, double b, double c) {
  return __builtin_fma(a, b, c);
}
UPSWEEP_EMULATED_WORD float __frsqrt_rn(float a) {
  return static_cast<float>(1.0 / std::sqrt(static_cast<double>(a)));
}
UPSWEEP_EMULATED_WORD int __double2hiint(double x) {
  return static_cast<int>(__builtin_bit_cast(unsigned long long, x) >> 32);
}
UPSWEEP_EMULATED_WORD int __double2loint(double x) {
  return static_cast<int>(__builtin_bit_cast(unsigned long long, x));
}
UPSWEEP_EMULATED_WORD double __hiloint2double(int high, int low) {
  return __builtin_bit_cast(double, static_cast<unsigned long long>(static_cast<unsigned>(high))
                                            << 32 |
                                        static_cast<unsigned>(low));
}
