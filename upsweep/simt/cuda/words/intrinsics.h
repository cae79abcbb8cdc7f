/// Integer instructions: bits, the bits of floats as integers, shifts over two words, bytes,
/// products, averages, bytes in a word as vectors.
#pragma once

#include "keywords.h"

#include <bit>
#include <cstddef>
#include <type_traits>

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

UPSWEEP_EMULATED_WORD unsigned __funnelshift_l(unsigned low, unsigned high, unsigned by) {
  unsigned long long const both = static_cast<unsigned long long>(high) << 32 | low;
  return static_cast<unsigned>(both << (by & 31) >> 32);
}
UPSWEEP_EMULATED_WORD unsigned __funnelshift_lc(unsigned low, unsigned high, unsigned by) {
  return by >= 32 ? low : __funnelshift_l(low, high, by);
}
UPSWEEP_EMULATED_WORD unsigned __funnelshift_r(unsigned low, unsigned high, unsigned by) {
  unsigned long long const both = static_cast<unsigned long long>(high) << 32 | low;
  return static_cast<unsigned>(both >> (by & 31));
}
UPSWEEP_EMULATED_WORD unsigned __funnelshift_rc(unsigned low, unsigned high, unsigned by) {
  return by >= 32 ? high : __funnelshift_r(low, high, by);
}
/// The four low nibbles of `selector` choose bytes of b:a; bit 3 of a nibble repeats the byte's
/// sign.
UPSWEEP_EMULATED_WORD unsigned __byte_perm(unsigned a, unsigned b, unsigned selector) {
  unsigned long long const bytes = static_cast<unsigned long long>(b) << 32 | a;
  unsigned result = 0;
  for (unsigned i = 0; i < 4; ++i) {
    unsigned const n = selector >> 4 * i & 15;
    auto const byte = static_cast<unsigned>(bytes >> 8 * (n & 7)) & 0xffU;
    result |= ((n & 8) != 0 ? (byte >> 7) * 0xffU : byte) << 8 * i;
  }
  return result;
}

UPSWEEP_EMULATED_WORD long long __mul64hi(long long a, long long b) {
  return static_cast<long long>(static_cast<__int128>(a) * b >> 64);
}
UPSWEEP_EMULATED_WORD unsigned long long __umul64hi(unsigned long long a, unsigned long long b) {
  return static_cast<unsigned long long>(static_cast<unsigned __int128>(a) * b >> 64);
}
UPSWEEP_EMULATED_WORD unsigned __usad(unsigned a, unsigned b, unsigned c) {
  return (a > b ? a - b : b - a) + c;
}
UPSWEEP_EMULATED_WORD unsigned __sad(int a, int b, unsigned c) {
  return (a > b ? static_cast<unsigned>(a) - static_cast<unsigned>(b)
                : static_cast<unsigned>(b) - static_cast<unsigned>(a)) +
         c;
}
UPSWEEP_EMULATED_WORD int __hadd(int a, int b) {
  return static_cast<int>((static_cast<long long>(a) + b) >> 1);
}
UPSWEEP_EMULATED_WORD int __rhadd(int a, int b) {
  return static_cast<int>((static_cast<long long>(a) + b + 1) >> 1);
}
UPSWEEP_EMULATED_WORD unsigned __uhadd(unsigned a, unsigned b) {
  return static_cast<unsigned>((static_cast<unsigned long long>(a) + b) >> 1);
}
UPSWEEP_EMULATED_WORD unsigned __urhadd(unsigned a, unsigned b) {
  return static_cast<unsigned>((static_cast<unsigned long long>(a) + b + 1) >> 1);
}

namespace upsweep::emulated {

/// Byte i of a word, as a signed or an unsigned number.
template <class Word>
UPSWEEP_EMULATED_WORD int byte_of(Word x, int i) {
  auto const byte = static_cast<unsigned char>(static_cast<unsigned>(x) >> 8 * i);
  return std::is_signed_v<Word> ? static_cast<signed char>(byte) : byte;
}
template <class A, class B, class Sum>
UPSWEEP_EMULATED_WORD Sum dot(A a, B b, Sum c) {
  for (int i = 0; i < 4; ++i)
    c = static_cast<Sum>(static_cast<unsigned>(c) +
                         static_cast<unsigned>(byte_of(a, i) * byte_of(b, i)));
  return c;
}
/// `f` of each of the four bytes, or of the two halves.
template <class F>
UPSWEEP_EMULATED_WORD unsigned by_parts(unsigned a, unsigned b, int bits, F f) {
  unsigned const part = bits == 8 ? 0xffU : 0xffffU;
  unsigned result = 0;
  for (int at = 0; at < 32; at += bits) result |= (f(a >> at & part, b >> at & part) & part) << at;
  return result;
}

}  // namespace upsweep::emulated

UPSWEEP_EMULATED_WORD int __dp4a(int a, int b, int c) {
  return upsweep::emulated::dot(a, b, c);
}
UPSWEEP_EMULATED_WORD unsigned __dp4a(unsigned a, unsigned b, unsigned c) {
  return upsweep::emulated::dot(a, b, c);
}
UPSWEEP_EMULATED_WORD unsigned __vadd4(unsigned a, unsigned b) {
  return upsweep::emulated::by_parts(a, b, 8, [](unsigned x, unsigned y) { return x + y; });
}
UPSWEEP_EMULATED_WORD unsigned __vsub4(unsigned a, unsigned b) {
  return upsweep::emulated::by_parts(a, b, 8, [](unsigned x, unsigned y) { return x - y; });
}
UPSWEEP_EMULATED_WORD unsigned __vmaxu4(unsigned a, unsigned b) {
  return upsweep::emulated::by_parts(a, b, 8, [](unsigned x, unsigned y) { return x > y ? x : y; });
}
UPSWEEP_EMULATED_WORD unsigned __vminu4(unsigned a, unsigned b) {
  return upsweep::emulated::by_parts(a, b, 8, [](unsigned x, unsigned y) { return x < y ? x : y; });
}
UPSWEEP_EMULATED_WORD unsigned __vcmpeq4(unsigned a, unsigned b) {
  return upsweep::emulated::by_parts(a, b, 8,
                                     [](unsigned x, unsigned y) { return x == y ? 0xffU : 0U; });
}
UPSWEEP_EMULATED_WORD unsigned __vabsdiffu4(unsigned a, unsigned b) {
  return upsweep::emulated::by_parts(a, b, 8,
                                     [](unsigned x, unsigned y) { return x > y ? x - y : y - x; });
}
UPSWEEP_EMULATED_WORD unsigned __vadd2(unsigned a, unsigned b) {
  return upsweep::emulated::by_parts(a, b, 16, [](unsigned x, unsigned y) { return x + y; });
}
UPSWEEP_EMULATED_WORD unsigned __vsub2(unsigned a, unsigned b) {
  return upsweep::emulated::by_parts(a, b, 16, [](unsigned x, unsigned y) { return x - y; });
}

// Where an address is.
UPSWEEP_EMULATED_WORD unsigned __isShared(void const* p) {
  auto const begin = static_cast<char const*>(upsweep_emulated_shared_begin());
  return static_cast<std::size_t>(static_cast<char const*>(p) - begin) < 1UL << 28;
}
UPSWEEP_EMULATED_WORD unsigned __isGlobal(void const* p) {
  return upsweep_emulated_memory_type(p) != 0;
}
UPSWEEP_EMULATED_WORD std::size_t __cvta_generic_to_shared(void const* p) {
  return static_cast<std::size_t>(static_cast<char const*>(p) -
                                  static_cast<char const*>(upsweep_emulated_shared_begin()));
}
UPSWEEP_EMULATED_WORD void* __cvta_shared_to_generic(std::size_t offset) {
  return static_cast<char*>(upsweep_emulated_shared_begin()) + offset;
}
UPSWEEP_EMULATED_WORD std::size_t __cvta_generic_to_global(void const* p) {
  return reinterpret_cast<std::size_t>(p);
}
UPSWEEP_EMULATED_WORD void* __cvta_global_to_generic(std::size_t p) {
  return reinterpret_cast<void*>(p);
}
