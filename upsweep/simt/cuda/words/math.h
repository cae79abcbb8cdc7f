/// Mathematical functions that C++ does not have, or not in the global namespace.
#pragma once

#include "keywords.h"

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

UPSWEEP_EMULATED_WORD float rsqrtf(float x) {
  return 1.0F / std::sqrt(x);
}
UPSWEEP_EMULATED_WORD double rsqrt(double x) {
  return 1.0 / std::sqrt(x);
}
UPSWEEP_EMULATED_WORD float __fdividef(float a, float b) {
  return a / b;
}
UPSWEEP_EMULATED_WORD float __saturatef(float x) {
  return x < 0 || x != x ? 0.0F : x > 1 ? 1.0F : x;
}
// glibc has functions of these names.
#define __expf(x) expf(x)
#define __exp10f(x) exp10f(x)
#define __logf(x) logf(x)
#define __log2f(x) log2f(x)
#define __log10f(x) log10f(x)
#define __powf(x, y) powf(x, y)
#define __sinf(x) sinf(x)
#define __cosf(x) cosf(x)
#define __tanf(x) tanf(x)
