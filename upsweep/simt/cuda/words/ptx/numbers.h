/// What PTX instructions become: bits, arithmetic, conversions, shuffles, special registers.
#pragma once

#include "../intrinsics.h"
#include "../math.h"
#include "../vectors.h"
#include "../warp.h"

#include <type_traits>

namespace upsweep::emulated::ptx {

// Shuffles: the low byte of `limits` is the last lane, the one above it the lanes of a segment's
// number. A null predicate is not wanted.
UPSWEEP_EMULATED_WORD int width_of(unsigned limits) {
  return static_cast<int>(32 - (limits >> 8 & 31));
}
UPSWEEP_EMULATED_WORD unsigned lane_in(int width) {
  return upsweep_emulated_lane() % static_cast<unsigned>(width);
}
template <class T, class... Predicate>
UPSWEEP_EMULATED_WORD T shfl_idx(T value, unsigned lane, unsigned limits, unsigned mask,
                                 Predicate&... is_inside) {
  ((is_inside = true), ...);
  return __shfl_sync(mask, value, static_cast<int>(lane), width_of(limits));
}
template <class T, class... Predicate>
UPSWEEP_EMULATED_WORD T shfl_up(T value, unsigned distance, unsigned limits, unsigned mask,
                                Predicate&... is_inside) {
  ((is_inside = lane_in(width_of(limits)) >= distance), ...);
  return __shfl_up_sync(mask, value, distance, width_of(limits));
}
template <class T, class... Predicate>
UPSWEEP_EMULATED_WORD T shfl_down(T value, unsigned distance, unsigned limits, unsigned mask,
                                  Predicate&... is_inside) {
  int const width = width_of(limits);
  ((is_inside = lane_in(width) + distance < static_cast<unsigned>(width)), ...);
  return __shfl_down_sync(mask, value, distance, width);
}
template <class T, class... Predicate>
UPSWEEP_EMULATED_WORD T shfl_bfly(T value, unsigned lanes, unsigned limits, unsigned mask,
                                  Predicate&... is_inside) {
  int const width = width_of(limits);
  ((is_inside = (lane_in(width) ^ lanes) < static_cast<unsigned>(width)), ...);
  return __shfl_xor_sync(mask, value, static_cast<int>(lanes), width);
}
UPSWEEP_EMULATED_WORD bool vote_uni(unsigned mask, bool predicate) {
  unsigned const yes = __ballot_sync(mask, predicate);
  return yes == 0 || yes == mask;
}
template <class T>
UPSWEEP_EMULATED_WORD unsigned match_all(unsigned mask, T value) {
  int same = 0;
  return __match_all_sync(mask, value, &same);
}
template <class T, class Predicate>
UPSWEEP_EMULATED_WORD unsigned match_all(unsigned mask, T value, Predicate& is_same) {
  int same = 0;
  unsigned const lanes = __match_all_sync(mask, value, &same);
  is_same = same != 0;
  return lanes;
}
UPSWEEP_EMULATED_WORD void exit() {
  upsweep_emulated_misuse("the emulator has no exit in PTX: return from the kernel");
}

// Special registers. A block has a multiprocessor of its own.
UPSWEEP_EMULATED_WORD unsigned laneid() {
  return upsweep_emulated_lane();
}
UPSWEEP_EMULATED_WORD unsigned warpid() {
  return ((threadIdx.z * blockDim.y + threadIdx.y) * blockDim.x + threadIdx.x) / 32;
}
UPSWEEP_EMULATED_WORD unsigned nwarpid() {
  return 64;
}
UPSWEEP_EMULATED_WORD unsigned lanemask_eq() {
  return 1U << laneid();
}
UPSWEEP_EMULATED_WORD unsigned lanemask_lt() {
  return lanemask_eq() - 1;
}
UPSWEEP_EMULATED_WORD unsigned lanemask_le() {
  return lanemask_lt() | lanemask_eq();
}
UPSWEEP_EMULATED_WORD unsigned lanemask_ge() {
  return ~lanemask_lt();
}
UPSWEEP_EMULATED_WORD unsigned lanemask_gt() {
  return ~lanemask_le();
}
UPSWEEP_EMULATED_WORD unsigned smid() {
  return ((blockIdx.z * gridDim.y + blockIdx.y) * gridDim.x + blockIdx.x) % 132U;
}
UPSWEEP_EMULATED_WORD unsigned nsmid() {
  return 132U;
}
UPSWEEP_EMULATED_WORD unsigned long long gridid() {
  return 0;
}
UPSWEEP_EMULATED_WORD unsigned long long clock64() {
  return static_cast<unsigned long long>(upsweep_emulated_clock());
}
#undef clock
UPSWEEP_EMULATED_WORD unsigned clock() {
  return static_cast<unsigned>(clock64());
}
#define clock() upsweep_emulated_clock_word()
UPSWEEP_EMULATED_WORD unsigned clock_hi() {
  return static_cast<unsigned>(clock64() >> 32);
}
UPSWEEP_EMULATED_WORD unsigned long long globaltimer() {
  return clock64();
}
UPSWEEP_EMULATED_WORD unsigned globaltimer_lo() {
  return static_cast<unsigned>(clock64());
}
UPSWEEP_EMULATED_WORD unsigned globaltimer_hi() {
  return clock_hi();
}
UPSWEEP_EMULATED_WORD unsigned dynamic_smem_size() {
  return static_cast<unsigned>(upsweep_emulated_dynamic_bytes());
}
UPSWEEP_EMULATED_WORD unsigned total_smem_size() {
  return dynamic_smem_size();
}
UPSWEEP_EMULATED_WORD unsigned cluster_ctarank() {
  return upsweep_emulated_cluster_rank();
}
UPSWEEP_EMULATED_WORD unsigned cluster_nctarank() {
  auto const c = upsweep_emulated_cluster_extent();
  return c.x * c.y * c.z;
}

// Bits.
template <class T>
inline constexpr int bits_of = 8 * sizeof(T);
template <class T>
UPSWEEP_EMULATED_WORD unsigned popc(T x) {
  return static_cast<unsigned>(__popcll(static_cast<std::make_unsigned_t<T>>(x)));
}
template <class T>
UPSWEEP_EMULATED_WORD unsigned clz(T x) {
  return static_cast<unsigned>(
      __clzll(static_cast<long long>(static_cast<std::make_unsigned_t<T>>(x))) - 64 + bits_of<T>);
}
template <class T>
UPSWEEP_EMULATED_WORD T brev(T x) {
  return static_cast<T>(__brevll(static_cast<unsigned long long>(x)) >> (64 - bits_of<T>));
}
/// The highest bit that differs from the sign; all ones if none does.
template <class T>
UPSWEEP_EMULATED_WORD unsigned bfind(T x) {
  return static_cast<unsigned>(bits_of<T> - 1) - clz(x < 0 ? static_cast<T>(~x) : x);
}
template <class T>
UPSWEEP_EMULATED_WORD unsigned bfind_shiftamt(T x) {
  unsigned const found = bfind(x);
  return found == ~0U ? found : static_cast<unsigned>(bits_of<T> - 1) - found;
}
template <class T>
UPSWEEP_EMULATED_WORD T shl(T x, unsigned by) {
  return by >= bits_of<T> ? T{0} : static_cast<T>(x << by);
}
template <class T>
UPSWEEP_EMULATED_WORD T shr(T x, unsigned by) {
  return static_cast<T>(by >= bits_of<T> ? (x < 0 ? -1 : 0) : x >> by);
}
template <class T>
UPSWEEP_EMULATED_WORD T bfe(T x, unsigned at, unsigned length) {
  at &= 255;
  length &= 255;
  if (length == 0) return 0;
  unsigned const end = at + length;
  unsigned const above = end >= bits_of<T> ? 0 : bits_of<T> - end;
  return shr(shl(x, above), above + at);
}
template <class T>
UPSWEEP_EMULATED_WORD T bfi(T field, T x, unsigned at, unsigned length) {
  using U = std::make_unsigned_t<T>;
  U const ones = shl(static_cast<U>(~shl(static_cast<U>(~U{0}), length & 255)), at & 255);
  return static_cast<T>((static_cast<U>(x) & ~ones) |
                        (shl(static_cast<U>(field), at & 255) & ones));
}
/// Bit i of the result is bit 4 a + 2 b + c of the table.
UPSWEEP_EMULATED_WORD unsigned lop3(unsigned a, unsigned b, unsigned c, unsigned table) {
  unsigned result = 0;
  for (unsigned i = 0; i < 8; ++i)
    if ((table >> i & 1) != 0)
      result |= ((i & 4) != 0 ? a : ~a) & ((i & 2) != 0 ? b : ~b) & ((i & 1) != 0 ? c : ~c);
  return result;
}
template <class T>
UPSWEEP_EMULATED_WORD T bit_and(T a, T b) {
  return static_cast<T>(a & b);
}
template <class T>
UPSWEEP_EMULATED_WORD T bit_or(T a, T b) {
  return static_cast<T>(a | b);
}
template <class T>
UPSWEEP_EMULATED_WORD T bit_xor(T a, T b) {
  return static_cast<T>(a ^ b);
}
template <class T>
UPSWEEP_EMULATED_WORD T bit_not(T a) {
  return static_cast<T>(~a);
}

}  // namespace upsweep::emulated::ptx
