/// __nv_bfloat16 and __nv_bfloat162. Arithmetic rounds once to nearest, as a GPU's does.
#pragma once

#include "words/halves.h"

#include <type_traits>

struct __align__(2) __nv_bfloat16 {
  using upsweep_atomic = void;
  unsigned short upsweep_bits;

  __nv_bfloat16() = default;
  template <class T>
    requires std::is_arithmetic_v<T>
  UPSWEEP_EMULATED_WORD constexpr __nv_bfloat16(T x) : upsweep_bits(rounded(x)) {}
  UPSWEEP_EMULATED_WORD static constexpr __nv_bfloat16 upsweep_of(double x) {
    return __nv_bfloat16(x);
  }
  UPSWEEP_EMULATED_WORD constexpr operator float() const {
    return __builtin_bit_cast(float, static_cast<unsigned>(upsweep_bits) << 16);
  }
  template <class T>
    requires std::is_arithmetic_v<T>
  UPSWEEP_EMULATED_WORD constexpr explicit operator T() const {
    return static_cast<T>(static_cast<float>(*this));
  }

 private:
  /// To odd in float first, so that the second rounding is the only one that counts.
  UPSWEEP_EMULATED_WORD static constexpr unsigned short rounded(double x) {
    float const near = static_cast<float>(x);
    unsigned bits = __builtin_bit_cast(unsigned, near);
    if (x != x) return 0x7fff;
    if (static_cast<double>(near) != x && (bits & 1) == 0 && (bits & 0x7fffffffU) < 0x7f800000U) {
      bool const is_beyond = (near < 0 ? -static_cast<double>(near) : near) > (x < 0 ? -x : x);
      bits = is_beyond ? bits - 1 : bits + 1;
    }
    return static_cast<unsigned short>((bits + 0x7fffU + (bits >> 16 & 1)) >> 16);
  }
};
typedef __nv_bfloat16 nv_bfloat16;
UPSWEEP_EMULATED_HALF(__nv_bfloat16, __nv_bfloat162, bfloat16)
typedef __nv_bfloat162 nv_bfloat162;
