/// Mathematical functions that C++ does not have, or not in the global namespace.
#pragma once

#include "keywords.h"

#include <cmath>
#include <type_traits>

using std::isfinite;
using std::isinf;
using std::isnan;
using std::signbit;

template <class A, class B>
UPSWEEP_EMULATED_WORD constexpr std::common_type_t<A, B> min(A a, B b) {
  using common = std::common_type_t<A, B>;
  return static_cast<common>(b) < static_cast<common>(a) ? static_cast<common>(b)
                                                         : static_cast<common>(a);
}
template <class A, class B>
UPSWEEP_EMULATED_WORD constexpr std::common_type_t<A, B> max(A a, B b) {
  using common = std::common_type_t<A, B>;
  return static_cast<common>(a) < static_cast<common>(b) ? static_cast<common>(b)
                                                         : static_cast<common>(a);
}
// As fminf() does, without the NaN.
UPSWEEP_EMULATED_WORD float min(float a, float b) {
  return __builtin_fminf(a, b);
}
UPSWEEP_EMULATED_WORD float max(float a, float b) {
  return __builtin_fmaxf(a, b);
}
UPSWEEP_EMULATED_WORD double min(double a, double b) {
  return __builtin_fmin(a, b);
}
UPSWEEP_EMULATED_WORD double max(double a, double b) {
  return __builtin_fmax(a, b);
}
UPSWEEP_EMULATED_WORD int umin(unsigned a, unsigned b) {
  return static_cast<int>(b < a ? b : a);
}
UPSWEEP_EMULATED_WORD int umax(unsigned a, unsigned b) {
  return static_cast<int>(a < b ? b : a);
}

UPSWEEP_EMULATED_WORD float rsqrtf(float x) {
  return static_cast<float>(1.0 / std::sqrt(static_cast<double>(x)));
}
UPSWEEP_EMULATED_WORD double rsqrt(double x) {
  return 1.0 / std::sqrt(x);
}
UPSWEEP_EMULATED_WORD float rcbrtf(float x) {
  return static_cast<float>(1.0 / std::cbrt(static_cast<double>(x)));
}
UPSWEEP_EMULATED_WORD double rcbrt(double x) {
  return 1.0 / std::cbrt(x);
}
inline constexpr double upsweep_emulated_pi = 3.14159265358979323846;
UPSWEEP_EMULATED_WORD double sinpi(double x) {
  return std::sin(upsweep_emulated_pi * std::remainder(x, 2.0));
}
UPSWEEP_EMULATED_WORD double cospi(double x) {
  return std::cos(upsweep_emulated_pi * std::remainder(x, 2.0));
}
UPSWEEP_EMULATED_WORD float sinpif(float x) {
  return static_cast<float>(sinpi(x));
}
UPSWEEP_EMULATED_WORD float cospif(float x) {
  return static_cast<float>(cospi(x));
}
UPSWEEP_EMULATED_WORD void sincospif(float x, float* sine, float* cosine) {
  *sine = sinpif(x);
  *cosine = cospif(x);
}
UPSWEEP_EMULATED_WORD float normcdff(float x) {
  return static_cast<float>(0.5 * std::erfc(-x * 0.70710678118654752440));
}
UPSWEEP_EMULATED_WORD double normcdf(double x) {
  return 0.5 * std::erfc(-x * 0.70710678118654752440);
}
UPSWEEP_EMULATED_WORD float norm3df(float a, float b, float c) {
  return static_cast<float>(std::sqrt(double{a} * a + double{b} * b + double{c} * c));
}
UPSWEEP_EMULATED_WORD float rnorm3df(float a, float b, float c) {
  return static_cast<float>(1.0 / std::sqrt(double{a} * a + double{b} * b + double{c} * c));
}
UPSWEEP_EMULATED_WORD float rhypotf(float a, float b) {
  return static_cast<float>(1.0 / std::sqrt(double{a} * a + double{b} * b));
}
UPSWEEP_EMULATED_WORD float fdividef(float a, float b) {
  return a / b;
}
UPSWEEP_EMULATED_WORD float __fdividef(float a, float b) {
  return a / b;
}
UPSWEEP_EMULATED_WORD float __saturatef(float x) {
  return x < 0 || x != x ? 0.0F : x > 1 ? 1.0F : x;
}
// The fast functions of a GPU are less exact than these. glibc has functions of their names.
#define __expf(x) expf(x)
#define __exp10f(x) exp10f(x)
#define __logf(x) logf(x)
#define __log2f(x) log2f(x)
#define __log10f(x) log10f(x)
#define __powf(x, y) powf(x, y)
#define __sinf(x) sinf(x)
#define __cosf(x) cosf(x)
#define __tanf(x) tanf(x)
#define __tanhf(x) tanhf(x)
#define __sincosf(x, sine, cosine) sincosf(x, sine, cosine)
