/// CUDA's bit intrinsics for an emulated kernel, branch-free: a branch would add a basic block to
/// the kernel.
#pragma once

#include <upsweep/simt/emulated/pointer.hpp>

UPSWEEP_SIMT_INLINE int __popc(unsigned x) {
  return __builtin_popcount(x);
}
UPSWEEP_SIMT_INLINE int __popcll(unsigned long long x) {
  return __builtin_popcountll(x);
}
UPSWEEP_SIMT_INLINE int __ffs(int x) {
  return __builtin_ffs(x);
}
UPSWEEP_SIMT_INLINE int __ffsll(long long x) {
  return __builtin_ffsll(x);
}
/// The builtins are undefined for 0, hence the extra low bit, and the correction in the 64-bit
/// form.
UPSWEEP_SIMT_INLINE int __clz(int x) {
  return __builtin_clzll(static_cast<unsigned long long>(static_cast<unsigned>(x)) << 1 | 1) - 31;
}
UPSWEEP_SIMT_INLINE int __clzll(long long x) {
  return __builtin_clzll(static_cast<unsigned long long>(x) | 1) + static_cast<int>(x == 0);
}
UPSWEEP_SIMT_INLINE unsigned __brev(unsigned x) {
  x = (x & 0x55555555U) << 1 | (x >> 1 & 0x55555555U);
  x = (x & 0x33333333U) << 2 | (x >> 2 & 0x33333333U);
  x = (x & 0x0f0f0f0fU) << 4 | (x >> 4 & 0x0f0f0f0fU);
  return __builtin_bswap32(x);
}
UPSWEEP_SIMT_INLINE void __nanosleep(unsigned) {
  upsweep::simt::emulated::pause();
}
/// A load through the read-only cache.
template <class T>
UPSWEEP_SIMT_INLINE std::remove_const_t<T> __ldg(
    upsweep::simt::emulated::pointer<T> p,
    std::source_location at = std::source_location::current()) {
  return p[upsweep::simt::emulated::index(0, at)];
}
UPSWEEP_SIMT_INLINE void __trap(std::source_location at = std::source_location::current()) {
  upsweep::simt::emulated::trap(at);
}
