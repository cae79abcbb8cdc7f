/// Bits of integers, and the bits of floats as integers.
#pragma once

#include "keywords.h"

#include <bit>

UPSWEEP_EMULATED_WORD int __popc(unsigned x) {
  return __builtin_popcount(x);
}
UPSWEEP_EMULATED_WORD int __popcll(unsigned long long x) {
  return __builtin_popcountll(x);
}
UPSWEEP_EMULATED_WORD int __ffs(int x) {
  return __builtin_ffs(x);
}
UPSWEEP_EMULATED_WORD int __ffsll(long long x) {
  return __builtin_ffsll(x);
}
// The builtins are undefined for 0; without a branch, because each would be a basic block.
UPSWEEP_EMULATED_WORD int __clz(int x) {
  return __builtin_clzll(static_cast<unsigned long long>(static_cast<unsigned>(x)) << 1 | 1) - 31;
}
UPSWEEP_EMULATED_WORD int __clzll(long long x) {
  return __builtin_clzll(static_cast<unsigned long long>(x) | 1) + static_cast<int>(x == 0);
}
UPSWEEP_EMULATED_WORD unsigned __brev(unsigned x) {
  x = (x & 0x55555555U) << 1 | (x >> 1 & 0x55555555U);
  x = (x & 0x33333333U) << 2 | (x >> 2 & 0x33333333U);
  x = (x & 0x0f0f0f0fU) << 4 | (x >> 4 & 0x0f0f0f0fU);
  return __builtin_bswap32(x);
}
UPSWEEP_EMULATED_WORD unsigned long long __brevll(unsigned long long x) {
  return static_cast<unsigned long long>(__brev(static_cast<unsigned>(x))) << 32 |
         __brev(static_cast<unsigned>(x >> 32));
}
UPSWEEP_EMULATED_WORD unsigned __umul24(unsigned a, unsigned b) {
  return (a & 0xffffffU) * (b & 0xffffffU);
}
UPSWEEP_EMULATED_WORD int __mul24(int a, int b) {
  return (a << 8 >> 8) * (b << 8 >> 8);
}
UPSWEEP_EMULATED_WORD unsigned __umulhi(unsigned a, unsigned b) {
  return static_cast<unsigned>(static_cast<unsigned long long>(a) * b >> 32);
}
UPSWEEP_EMULATED_WORD int __mulhi(int a, int b) {
  return static_cast<int>(static_cast<long long>(a) * b >> 32);
}

UPSWEEP_EMULATED_WORD unsigned __float_as_uint(float x) {
  return __builtin_bit_cast(unsigned, x);
}
UPSWEEP_EMULATED_WORD int __float_as_int(float x) {
  return __builtin_bit_cast(int, x);
}
UPSWEEP_EMULATED_WORD float __uint_as_float(unsigned x) {
  return __builtin_bit_cast(float, x);
}
UPSWEEP_EMULATED_WORD float __int_as_float(int x) {
  return __builtin_bit_cast(float, x);
}
UPSWEEP_EMULATED_WORD long long __double_as_longlong(double x) {
  return __builtin_bit_cast(long long, x);
}
UPSWEEP_EMULATED_WORD double __longlong_as_double(long long x) {
  return __builtin_bit_cast(double, x);
}
