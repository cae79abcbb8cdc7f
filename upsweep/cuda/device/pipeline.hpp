/// How the warps of a block hand each other the stages of a ring: barriers that count arrivals,
/// copies that arrive by themselves, and barriers of a few warps.
///
/// One interface, made three times. sm_90: one bulk copy for a tile, which the copy engine carries
/// out and counts in bytes. sm_80: copies of 16 bytes by the lanes of a warp, whose completion
/// arrives for each lane. The emulator: counters in shared memory, and ordinary loads and stores by
/// the warp that issues the copy.
#pragma once

#include <upsweep/cuda/device/elements.hpp>
#include <upsweep/cuda/device/stamped.hpp>

#include <cstddef>

#include <upsweep/simt/begin.hpp>

namespace upsweep::device {

using simt::shared_pointer;

#ifdef __CUDACC__
/// The address of shared memory as instructions take it.
template <class T>
__device__ unsigned shared_address(T const* p) {
  return static_cast<unsigned>(__cvta_generic_to_shared(p));
}
#endif

/// A barrier in shared memory. A phase ends when as many have arrived as the barrier was made for,
/// and the next one begins at once. What a lane has done before it arrives is seen by whoever has
/// waited for the end of that phase.
class arrival_barrier {
 public:
  __device__ explicit arrival_barrier(shared_pointer<word> at) : at_(at) {}

  /// Called by one thread; the block synchronises before anybody arrives or waits.
  __device__ void init(unsigned arrivals) const {
#ifdef __CUDACC__
    asm volatile("mbarrier.init.shared::cta.b64 [%0], %1;" ::"r"(shared_address(at_)), "r"(arrivals)
                 : "memory");
#else
    at_[0] = word{arrivals} << 32;  // how many make a phase, and how many have come so far
#endif
  }
  /// Called by one lane, after a __syncwarp() if it arrives for all.
  __device__ void arrive() const {
#ifdef __CUDACC__
    asm volatile(
        "{.reg .b64 phase; mbarrier.arrive.shared::cta.b64 phase, [%0];}" ::"r"(shared_address(at_))
        : "memory");
#else
    (void)place().fetch_add(1, ::cuda::memory_order_release);
#endif
  }
  /// Called by a whole warp: waits for the end of the phase of that parity; 0 is the parity of the
  /// first phase. Whoever waits must not be two phases late: the parity would be the same again.
  __device__ void wait(unsigned parity) const {
#ifdef __CUDACC__
    while (!has_ended(parity)) continue;
#else
    if (threadIdx.x % 32 == 0)
      while (!has_ended(parity)) continue;
#endif
    __syncwarp();
  }

 private:
  __device__ bool has_ended(unsigned parity) const {
#ifdef __CUDACC__
    unsigned ended;
#if __CUDA_ARCH__ >= 900
    asm volatile(
        "{.reg .pred p; mbarrier.try_wait.parity.shared::cta.b64 p, [%1], %2; selp.u32 %0, 1, 0, "
        "p;}"
        : "=r"(ended)
        : "r"(shared_address(at_)), "r"(parity)
        : "memory");
#else
    asm volatile(
        "{.reg .pred p; mbarrier.test_wait.parity.shared::cta.b64 p, [%1], %2; selp.u32 %0, 1, 0, "
        "p;}"
        : "=r"(ended)
        : "r"(shared_address(at_)), "r"(parity)
        : "memory");
#endif
    return ended != 0;
#else
    word const x = place().load(::cuda::memory_order_acquire);
    return (static_cast<unsigned>(x) / static_cast<unsigned>(x >> 32)) % 2 != parity;
#endif
  }
#ifndef __CUDACC__
  __device__ ::cuda::atomic_ref<word, ::cuda::thread_scope_block> place() const {
    return ::cuda::atomic_ref<word, ::cuda::thread_scope_block>(at_[0]);
  }
#endif

  shared_pointer<word> at_;

  template <class T>
  friend __device__ void copy_in(shared_pointer<T> to, global<T const> from, unsigned count,
                                 arrival_barrier const& landed, unsigned lane, bool evict_first);
};

/// Called once by the thread that has made the barriers, before the block synchronises: the copy
/// engine sees them too.
template <class = void>
__device__ void show_barriers_to_copies() {
#if defined(__CUDACC__) && __CUDA_ARCH__ >= 900
  asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
  asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
#endif
}

/// Called by every lane that has written to a stage, before it is given back: the next copy into it
/// comes after.
template <class = void>
__device__ void hand_back_to_copies() {
#if defined(__CUDACC__) && __CUDA_ARCH__ >= 900
  asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
#endif
}

/// How often copy_in() arrives at its barrier. On sm_80 each lane's copies arrive when they are
/// complete, and one lane arrives for what the warp has written itself.
template <class = void>
__device__ constexpr unsigned arrivals_of_copy() {
#if defined(__CUDACC__) && __CUDA_ARCH__ < 900
  return 33;
#else
  return 1;
#endif
}

#ifdef __CUDACC__
/// Called by a whole warp: starts the copy of `bytes` bytes, a multiple of 16, and arrives at
/// `landed`, at once or when it is complete.
template <class = void>
__device__ void start_copy(unsigned to, void const* from, unsigned bytes, unsigned landed,
                           unsigned lane, [[maybe_unused]] bool evict_first) {
#if __CUDA_ARCH__ >= 900
  // By predicates: behind branches that lane 0 takes alone, ptxas 13.0 forgets to bring the warp
  // together again.
  asm volatile(
      "{.reg .pred first, copies, leaves; .reg .b64 phase, policy;\n"
      "setp.eq.u32 first, %4, 0; setp.ne.and.u32 copies, %2, 0, first;\n"
      "setp.ne.u32 leaves, %5, 0; createpolicy.fractional.L2::evict_normal.b64 policy;\n"
      "@leaves createpolicy.fractional.L2::evict_first.b64 policy;\n"
      "@first mbarrier.arrive.expect_tx.shared::cta.b64 phase, [%3], %2;\n"
      "@copies cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes.L2::cache_hint "
      "[%0], [%1], %2, [%3], policy;}" ::"r"(to),
      "l"(from), "r"(bytes), "r"(landed), "r"(lane), "r"(unsigned{evict_first})
      : "memory");
#else
  char const* const source = static_cast<char const*>(from);
#pragma unroll 8
  for (unsigned byte = 16 * lane; byte < bytes; byte += 16 * 32)
    asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(to + byte), "l"(source + byte)
                 : "memory");
  asm volatile("cp.async.mbarrier.arrive.noinc.shared::cta.b64 [%0];" ::"r"(landed) : "memory");
  if (lane == 0)
    asm volatile("{.reg .b64 phase; mbarrier.arrive.shared::cta.b64 phase, [%0];}" ::"r"(landed)
                 : "memory");
#endif
}
#endif

/// Called by a whole warp: copies `count` elements, both ends aligned to 16 bytes, and arrives at
/// `landed`. Whoever has waited there sees the elements, and whatever the warp has written before.
/// `count` may be 0. `evict_first`: the elements leave the cache before anything else does.
template <class T>
__device__ void copy_in(shared_pointer<T> to, global<T const> from, unsigned count,
                        arrival_barrier const& landed, unsigned lane,
                        [[maybe_unused]] bool evict_first) {
#ifdef __CUDACC__
  unsigned const bytes = count * static_cast<unsigned>(sizeof(T)), whole = bytes / 16 * 16;
  if (lane <
      bytes - whole)  // the copy engine moves multiples of 16 bytes; only the last tile has a rest
    reinterpret_cast<unsigned char*>(to)[whole + lane] =
        reinterpret_cast<unsigned char const*>(from)[whole + lane];
  __syncwarp();  // one lane may now arrive for all
  start_copy(shared_address(to), from, whole, shared_address(landed.at_), lane, evict_first);
#else
  unsigned copied = 0;
  if constexpr (items_of < T >> 1) {
    using vector = simt::packed<T, items_of<T> >;
    auto const vectors_to = simt::pointer_cast<vector>(to);
    auto const vectors_from = simt::pointer_cast<vector const>(from);
    for (unsigned v = lane; v < count / items_of<T>; v += 32) vectors_to[v] = vectors_from[v];
    copied = count / items_of<T> * items_of<T>;
  }
  for (unsigned i = copied + lane; i < count; i += 32) to[i] = from[i];
  __syncwarp();  // one lane may now arrive for all
  if (lane == 0) landed.arrive();
#endif
}

/// A barrier of `warps` whole warps of the block, number `id` of the hardware's sixteen; 0 is
/// __syncthreads().
template <unsigned id, unsigned warps>
class squad_barrier {
 public:
  __device__ explicit squad_barrier(shared_pointer<unsigned> arrivals) : arrivals_(arrivals) {}

  /// Called by one thread; the block synchronises before the first sync().
  __device__ void init() const { arrivals_[0] = 0; }
  __device__ void sync() const {
#ifdef __CUDACC__
    asm volatile("barrier.sync %0, %1;" ::"n"(id), "n"(32 * warps) : "memory");
#else
    __syncwarp();
    if (threadIdx.x % 32 == 0) {
      ::cuda::atomic_ref<unsigned, ::cuda::thread_scope_block> arrivals(arrivals_[0]);
      unsigned const phase = arrivals.fetch_add(1, ::cuda::memory_order_acq_rel) / warps;
      while (arrivals.load(::cuda::memory_order_acquire) / warps == phase) continue;
    }
    __syncwarp();
#endif
  }

 private:
  shared_pointer<unsigned> arrivals_;  // of the emulator, and of no use to a GPU
};

/// Where a walk around a ring of `size` places stands, and whether its round is even or odd.
struct ring_place {
  unsigned index = 0, parity = 0;

  __device__ void advance(unsigned size) {
    if (++index < size) return;
    index = 0;
    parity ^= 1;
  }
};

}  // namespace upsweep::device
#include <upsweep/simt/end.hpp>
