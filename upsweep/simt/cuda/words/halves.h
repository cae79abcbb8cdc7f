/// What __half and __nv_bfloat16 have in common: a number of 16 bits, and a pair of them.
///
/// An operation on doubles is exact or rounds far below the last bit of the result, so that only
/// the conversion rounds.
#pragma once

#include "../cuda_runtime.h"

#define UPSWEEP_EMULATED_HALF_OPERATOR(H, op)                                \
  UPSWEEP_EMULATED_WORD H operator op(H a, H b) {                            \
    return H::upsweep_of(static_cast<double>(static_cast<float>(a))          \
                             op static_cast<double>(static_cast<float>(b))); \
  }                                                                          \
  UPSWEEP_EMULATED_WORD H& operator op##=(H & a, H b) {                      \
    return a = a op b;                                                       \
  }                                                                          \
  UPSWEEP_EMULATED_WORD H##2_ operator op(H##2_ a, H##2_ b) {                \
    return {a.x op b.x, a.y op b.y};                                         \
  }                                                                          \
  UPSWEEP_EMULATED_WORD H##2_ & operator op##=(H##2_ & a, H##2_ b) {         \
    return a = a op b;                                                       \
  }
#define UPSWEEP_EMULATED_HALF_COMPARE(H, name, op)         \
  UPSWEEP_EMULATED_WORD bool operator op(H a, H b) {       \
    return static_cast<float>(a) op static_cast<float>(b); \
  }                                                        \
  UPSWEEP_EMULATED_WORD bool name(H a, H b) {              \
    return a op b;                                         \
  }
#define UPSWEEP_EMULATED_HALF_NAMED(H, name, op)          \
  UPSWEEP_EMULATED_WORD H name(H a, H b) {                \
    return a op b;                                        \
  }                                                       \
  UPSWEEP_EMULATED_WORD H##2_ name##2(H##2_ a, H##2_ b) { \
    return a op b;                                        \
  }
#define UPSWEEP_EMULATED_HALF_FUNCTION(H, name, f)                       \
  UPSWEEP_EMULATED_WORD H name(H x) {                                    \
    return H::upsweep_of(f(static_cast<double>(static_cast<float>(x)))); \
  }                                                                      \
  UPSWEEP_EMULATED_WORD H##2_ h2##f(H##2_ v) {                           \
    return {name(v.x), name(v.y)};                                       \
  }
#define UPSWEEP_EMULATED_HALF_INTEGER(H, name, word, Integer) \
  UPSWEEP_EMULATED_WORD Integer __##name##2##word##_rn(H x) { \
    return __float2##word##_rn(static_cast<float>(x));        \
  }                                                           \
  UPSWEEP_EMULATED_WORD Integer __##name##2##word##_rz(H x) { \
    return __float2##word##_rz(static_cast<float>(x));        \
  }                                                           \
  UPSWEEP_EMULATED_WORD H __##word##2##name##_rn(Integer x) { \
    return H(x);                                              \
  }

#define UPSWEEP_EMULATED_HALF(H, Pair, name)                                             \
  struct __attribute__((aligned(4))) Pair {                                              \
    using upsweep_atomic = void;                                                         \
    H x, y;                                                                              \
    Pair() = default;                                                                    \
    UPSWEEP_EMULATED_WORD constexpr Pair(H a, H b) : x(a), y(b) {}                       \
  };                                                                                     \
  typedef Pair H##2_;                                                                    \
  UPSWEEP_EMULATED_HALF_OPERATOR(H, +)                                                   \
  UPSWEEP_EMULATED_HALF_OPERATOR(H, -)                                                   \
  UPSWEEP_EMULATED_HALF_OPERATOR(H, *)                                                   \
  UPSWEEP_EMULATED_HALF_OPERATOR(H, /)                                                   \
  UPSWEEP_EMULATED_HALF_COMPARE(H, __heq, ==)                                            \
  UPSWEEP_EMULATED_HALF_COMPARE(H, __hne, !=)                                            \
  UPSWEEP_EMULATED_HALF_COMPARE(H, __hlt, <)                                             \
  UPSWEEP_EMULATED_HALF_COMPARE(H, __hgt, >)                                             \
  UPSWEEP_EMULATED_HALF_COMPARE(H, __hle, <=)                                            \
  UPSWEEP_EMULATED_HALF_COMPARE(H, __hge, >=)                                            \
  UPSWEEP_EMULATED_HALF_NAMED(H, __hadd, +)                                              \
  UPSWEEP_EMULATED_HALF_NAMED(H, __hsub, -)                                              \
  UPSWEEP_EMULATED_HALF_NAMED(H, __hmul, *)                                              \
  UPSWEEP_EMULATED_WORD H __hdiv(H a, H b) {                                             \
    return a / b;                                                                        \
  }                                                                                      \
  UPSWEEP_EMULATED_WORD Pair __h2div(Pair a, Pair b) {                                   \
    return a / b;                                                                        \
  }                                                                                      \
  UPSWEEP_EMULATED_WORD H operator-(H a) {                                               \
    return H::upsweep_of(-static_cast<double>(static_cast<float>(a)));                   \
  }                                                                                      \
  UPSWEEP_EMULATED_WORD H operator+(H a) {                                               \
    return a;                                                                            \
  }                                                                                      \
  UPSWEEP_EMULATED_WORD Pair operator-(Pair a) {                                         \
    return {-a.x, -a.y};                                                                 \
  }                                                                                      \
  UPSWEEP_EMULATED_WORD bool operator==(Pair a, Pair b) {                                \
    return a.x == b.x && a.y == b.y;                                                     \
  }                                                                                      \
  UPSWEEP_EMULATED_WORD H __hneg(H a) {                                                  \
    return -a;                                                                           \
  }                                                                                      \
  UPSWEEP_EMULATED_WORD H __habs(H a) {                                                  \
    return H::upsweep_of(std::fabs(static_cast<float>(a)));                              \
  }                                                                                      \
  UPSWEEP_EMULATED_WORD H __hfma(H a, H b, H c) {                                        \
    return H::upsweep_of(static_cast<double>(static_cast<float>(a)) *                    \
                             static_cast<double>(static_cast<float>(b)) +                \
                         static_cast<double>(static_cast<float>(c)));                    \
  }                                                                                      \
  UPSWEEP_EMULATED_WORD Pair __hfma2(Pair a, Pair b, Pair c) {                           \
    return {__hfma(a.x, b.x, c.x), __hfma(a.y, b.y, c.y)};                               \
  }                                                                                      \
  UPSWEEP_EMULATED_WORD bool __hisnan(H a) {                                             \
    return static_cast<float>(a) != static_cast<float>(a);                               \
  }                                                                                      \
  UPSWEEP_EMULATED_WORD H __hmax(H a, H b) {                                             \
    return H::upsweep_of(__builtin_fmaxf(static_cast<float>(a), static_cast<float>(b))); \
  }                                                                                      \
  UPSWEEP_EMULATED_WORD H __hmin(H a, H b) {                                             \
    return H::upsweep_of(__builtin_fminf(static_cast<float>(a), static_cast<float>(b))); \
  }                                                                                      \
  UPSWEEP_EMULATED_WORD Pair __hmax2(Pair a, Pair b) {                                   \
    return {__hmax(a.x, b.x), __hmax(a.y, b.y)};                                         \
  }                                                                                      \
  UPSWEEP_EMULATED_WORD Pair __hmin2(Pair a, Pair b) {                                   \
    return {__hmin(a.x, b.x), __hmin(a.y, b.y)};                                         \
  }                                                                                      \
  UPSWEEP_EMULATED_HALF_FUNCTION(H, hsqrt, sqrt)                                         \
  UPSWEEP_EMULATED_HALF_FUNCTION(H, hrsqrt, rsqrt)                                       \
  UPSWEEP_EMULATED_HALF_FUNCTION(H, hexp, exp)                                           \
  UPSWEEP_EMULATED_HALF_FUNCTION(H, hexp2, exp2)                                         \
  UPSWEEP_EMULATED_HALF_FUNCTION(H, hlog, log)                                           \
  UPSWEEP_EMULATED_HALF_FUNCTION(H, hlog2, log2)                                         \
  UPSWEEP_EMULATED_HALF_FUNCTION(H, hsin, sin)                                           \
  UPSWEEP_EMULATED_HALF_FUNCTION(H, hcos, cos)                                           \
  UPSWEEP_EMULATED_HALF_FUNCTION(H, hfloor, floor)                                       \
  UPSWEEP_EMULATED_HALF_FUNCTION(H, hceil, ceil)                                         \
  UPSWEEP_EMULATED_HALF_FUNCTION(H, hrint, rint)                                         \
  UPSWEEP_EMULATED_HALF_INTEGER(H, name, int, int)                                       \
  UPSWEEP_EMULATED_HALF_INTEGER(H, name, uint, unsigned)                                 \
  UPSWEEP_EMULATED_HALF_INTEGER(H, name, ll, long long)                                  \
  UPSWEEP_EMULATED_WORD H __float2##name(float x) {                                      \
    return H(x);                                                                         \
  }                                                                                      \
  UPSWEEP_EMULATED_WORD H __float2##name##_rn(float x) {                                 \
    return H(x);                                                                         \
  }                                                                                      \
  UPSWEEP_EMULATED_WORD H __double2##name(double x) {                                    \
    return H(x);                                                                         \
  }                                                                                      \
  UPSWEEP_EMULATED_WORD float __##name##2float(H x) {                                    \
    return static_cast<float>(x);                                                        \
  }                                                                                      \
  UPSWEEP_EMULATED_WORD unsigned short __##name##_as_ushort(H x) {                       \
    return __builtin_bit_cast(unsigned short, x);                                        \
  }                                                                                      \
  UPSWEEP_EMULATED_WORD short __##name##_as_short(H x) {                                 \
    return __builtin_bit_cast(short, x);                                                 \
  }                                                                                      \
  UPSWEEP_EMULATED_WORD H __ushort_as_##name(unsigned short x) {                         \
    return __builtin_bit_cast(H, x);                                                     \
  }                                                                                      \
  UPSWEEP_EMULATED_WORD H __short_as_##name(short x) {                                   \
    return __builtin_bit_cast(H, x);                                                     \
  }                                                                                      \
  UPSWEEP_EMULATED_WORD Pair __##name##2##name##2(H x) {                                 \
    return {x, x};                                                                       \
  }                                                                                      \
  UPSWEEP_EMULATED_WORD Pair __halves2##name##2(H x, H y) {                              \
    return {x, y};                                                                       \
  }                                                                                      \
  UPSWEEP_EMULATED_WORD Pair __float2##name##2_rn(float x) {                             \
    return {H(x), H(x)};                                                                 \
  }                                                                                      \
  UPSWEEP_EMULATED_WORD Pair __floats2##name##2_rn(float x, float y) {                   \
    return {H(x), H(y)};                                                                 \
  }                                                                                      \
  UPSWEEP_EMULATED_WORD Pair __float22##name##2_rn(float2 v) {                           \
    return {H(v.x), H(v.y)};                                                             \
  }                                                                                      \
  UPSWEEP_EMULATED_WORD float2 __##name##22float2(Pair v) {                              \
    return {static_cast<float>(v.x), static_cast<float>(v.y)};                           \
  }                                                                                      \
  UPSWEEP_EMULATED_WORD H __low2##name(Pair v) {                                         \
    return v.x;                                                                          \
  }                                                                                      \
  UPSWEEP_EMULATED_WORD H __high2##name(Pair v) {                                        \
    return v.y;                                                                          \
  }                                                                                      \
  UPSWEEP_EMULATED_WORD float __low2float(Pair v) {                                      \
    return static_cast<float>(v.x);                                                      \
  }                                                                                      \
  UPSWEEP_EMULATED_WORD float __high2float(Pair v) {                                     \
    return static_cast<float>(v.y);                                                      \
  }                                                                                      \
  UPSWEEP_EMULATED_WORD Pair __lowhigh2highlow(Pair v) {                                 \
    return {v.y, v.x};                                                                   \
  }                                                                                      \
  UPSWEEP_EMULATED_WORD Pair make_##name##2(H x, H y) {                                  \
    return {x, y};                                                                       \
  }
