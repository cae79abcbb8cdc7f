/// __half and __half2. Arithmetic rounds once to nearest, as a GPU's does.
#pragma once

#include "words/halves.h"

#include <type_traits>

struct __align__(2) __half {
  using upsweep_atomic = void;
  _Float16 upsweep_value;

  __half() = default;
  template <class T>
    requires std::is_arithmetic_v<T>
  UPSWEEP_EMULATED_WORD constexpr __half(T x) : upsweep_value(static_cast<_Float16>(x)) {}
  UPSWEEP_EMULATED_WORD static constexpr __half upsweep_of(double x) { return __half(x); }
  UPSWEEP_EMULATED_WORD constexpr operator float() const {
    return static_cast<float>(upsweep_value);
  }
  template <class T>
    requires std::is_arithmetic_v<T>
  UPSWEEP_EMULATED_WORD constexpr explicit operator T() const {
    return static_cast<T>(upsweep_value);
  }
};
typedef __half half;
UPSWEEP_EMULATED_HALF(__half, __half2, half)
typedef __half2 half2;

#define CUDART_INF_FP16 __ushort_as_half(0x7c00)
#define CUDART_NAN_FP16 __ushort_as_half(0x7fff)
#define CUDART_ZERO_FP16 __ushort_as_half(0)
#define CUDART_ONE_FP16 __ushort_as_half(0x3c00)
