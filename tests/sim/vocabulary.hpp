/// Kernels that use every function of the kernel vocabulary.
#pragma once

#include <upsweep/simt/crossbar.hpp>
#include <upsweep/simt/machine.hpp>

#include <cstddef>
#include <cstdint>

namespace upsweep::sim_test {

inline constexpr unsigned full_mask = 0xffffffffu;

/// A hash of the lane.
[[nodiscard]] constexpr unsigned scrambled(unsigned t) {
  return (t * 2654435761u) >> 7;
}

__global__ inline void coordinates(unsigned* out) {
  unsigned const t = threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z);
  unsigned const b = blockIdx.x + gridDim.x * (blockIdx.y + gridDim.y * blockIdx.z);
  out[b * blockDim.x * blockDim.y * blockDim.z + t] = threadIdx.x + 10 * threadIdx.y +
                                                      100 * threadIdx.z + 1000 * blockIdx.x +
                                                      10000 * blockIdx.y + 100000 * blockIdx.z;
}

/// out[32 k + lane] is the result of operation k.
__global__ inline void warp_words(unsigned* out, unsigned argument, int width) {
  unsigned const t = threadIdx.x;
  unsigned const x = scrambled(t) % 97;
  int const signed_x = static_cast<int>(x) - 48;
  out[t] = __shfl_sync(full_mask, x, static_cast<int>(argument), width);
  out[32 + t] = __shfl_up_sync(full_mask, x, argument, width);
  out[64 + t] = __shfl_down_sync(full_mask, x, argument, width);
  out[96 + t] = __shfl_xor_sync(full_mask, x, static_cast<int>(argument), width);
  out[128 + t] = __ballot_sync(full_mask, x % 3 == 0);
  out[160 + t] = static_cast<unsigned>(__all_sync(full_mask, x < argument * 4));
  out[192 + t] = static_cast<unsigned>(__any_sync(full_mask, x > 90 + argument));
  out[224 + t] = __match_any_sync(full_mask, x % 5);
  int same = 7;
  out[256 + t] =
      __match_all_sync(full_mask, x / (argument + 97), &same) + static_cast<unsigned>(same);
  out[288 + t] = __reduce_add_sync(full_mask, x);
  out[320 + t] = __reduce_min_sync(full_mask, x);
  out[352 + t] = __reduce_max_sync(full_mask, x);
  out[384 + t] = __reduce_and_sync(full_mask, x | 1u);
  out[416 + t] = __reduce_or_sync(full_mask, x & 6u);
  out[448 + t] = __reduce_xor_sync(full_mask, x);
  out[480 + t] = static_cast<unsigned>(__reduce_min_sync(full_mask, signed_x));
  out[512 + t] = static_cast<unsigned>(__reduce_max_sync(full_mask, signed_x));
}

/// Lanes below `half` pass equal values, the others their numbers: the lanes that match, and then
/// the predicates.
__global__ inline void matches_all(unsigned* out, unsigned half) {
  unsigned const t = threadIdx.x, lower = (1u << half) - 1;
  int same = 7;
  out[t] = __match_all_sync(t < half ? lower : ~lower, t < half ? 5u : t, &same);
  out[32 + t] = static_cast<unsigned>(same);
}

/// In each of n[0] iterations half of the lanes go back to the begin of the loop, the others store.
__global__ inline void skips_halves(unsigned const* n, unsigned* out) {
  unsigned const t = threadIdx.x;
  unsigned i = 0;
  while (i < n[0]) {
    ++i;
    if ((t + i) % 2 == 0) continue;
    out[t] = i;
  }
}

/// The threads of each block count themselves.
__global__ inline void counts_in_shared_memory(unsigned* out) {
  __shared__ unsigned count[1];
  if (threadIdx.x == 0) count[0] = 0;
  __syncthreads();
  atomicAdd(&count[0], 1u);
  __syncthreads();
  out[blockIdx.x * blockDim.x + threadIdx.x] = count[0];
}

/// Each half of a warp shuffles a struct with a partial mask while the other half is elsewhere.
struct three_words {
  unsigned a, b, c;
};
__global__ inline void half_warp_shuffles(unsigned* out) {
  unsigned const t = threadIdx.x;
  three_words x{t, t + 100, t + 200};
  if (t < 16) {
    for (unsigned d = 1; d < 16; d *= 2) x = simt::shuffle_xor(0xffffu, x, static_cast<int>(d));
  } else {
    x = simt::shuffle_up(0xffff0000u, x, 1, 16);
  }
  out[t] = x.a + x.b + x.c;
}

__global__ inline void crossed_lanes(unsigned* out) {
  unsigned const t = threadIdx.x;
  simt::crossed<unsigned> const later = simt::crossbar(t, t % 3 != 0, t + 5);
  out[t] = later.valid ? later.value : 1000u;
}

__global__ inline void barrier_words(int* out) {
  unsigned const t = threadIdx.x;
  int const threes = __syncthreads_count(t % 3 == 0), all = __syncthreads_and(t < 64),
            any = __syncthreads_or(t == 65), none = __syncthreads_or(0);
  out[t] = threes + 100 * all + 1000 * any + 10000 * none;
}

__global__ inline void dynamic_words(double* out) {
  auto const numbers = simt::dynamic_shared<double>();
  auto const flags = simt::pointer_cast<unsigned>(numbers + 32);
  unsigned const t = threadIdx.x;
  numbers[t] = 0.5 * t;
  flags[t] = t;
  __syncthreads();
  out[t] = numbers[31 - t] + flags[31 - t];
}

__global__ inline void atomic_words(unsigned* out, int* numbers, float* sum) {
  unsigned const t = threadIdx.x;
  atomicAdd(&out[0], t);
  atomicSub(&out[1], 1u);
  atomicMin(&out[2], t + 5);
  atomicMax(&out[3], t);
  atomicAnd(&out[4], ~(1u << t));
  atomicOr(&out[5], 1u << t);
  atomicXor(&out[6], t);
  unsigned seen = atomicAdd(&out[7], 0u);
  for (;;) {  // add by compare and swap
    unsigned const found = atomicCAS(&out[7], seen, seen + t);
    if (found == seen) break;
    seen = found;
  }
  atomicMin(&numbers[0], -static_cast<int>(t));
  atomicAdd(&sum[0], 0.5f);
  cuda::atomic_ref<unsigned, cuda::thread_scope_device> ref(out[8]);
  unsigned expected = ref.load(cuda::memory_order_relaxed);
  while (!ref.compare_exchange_strong(expected, expected + 2)) {
  }
  ref.fetch_max(1u);
  if (t == 0) out[9] = atomicExch(&out[10], 77u);
}

/// Lane 0 passes a value to lane 1 by a flag in shared memory; the others update one element
/// through atomic_ref.
__global__ inline void waiting_words(unsigned const* in, unsigned* out) {
  __shared__ unsigned box[2];
  unsigned const t = threadIdx.x;
  if (t == 0) box[1] = 0u;
  __syncthreads();
  cuda::atomic_ref<unsigned, cuda::thread_scope_device> ref(out[1]);
  if (t == 0) {
    box[0] = __ldg(in + 3);
    __threadfence_block();
    atomicExch(&box[1], 1u);
  } else if (t == 1) {
    while (atomicAdd(&box[1], 0u) == 0) __nanosleep(20);
    __threadfence_block();
    out[0] = box[0];
  } else if (t % 2 == 0) {
    ref.fetch_add(t);
  } else {
    ref.fetch_sub(1u);
  }
}

__global__ inline void bit_words(int* out) {
  if (threadIdx.x != 0) return;
  out[0] = __popc(0xf0f0u);
  out[1] = __ffs(0) * 100 + __ffs(8);
  out[2] = __clz(0) * 100 + __clz(1);
  out[3] = __clzll(0) * 100 + __clzll(1);
  out[4] = __clz(-1) * 100 + __clzll(-1);
  out[5] = static_cast<int>(__brev(1u) >> 24);
  out[6] = __popcll(0xff00000000ull) + __ffsll(0x100000000ll);
}

/// Loops without synchronization that are so long that their logs are aligned in parts: lane t
/// makes n + (t % 3) accesses, two in every other iteration.
__global__ inline void long_loops(unsigned* out, unsigned n) {
  unsigned const t = threadIdx.x;
  for (unsigned i = 0; i < n + t % 3; ++i) {
    out[t] = i;
    if ((i + t) % 2 == 0) out[t] = i + 1;
  }
  out[t] = 7u;
}

template <class Op>
__global__ void applies(int const* in, int* out, Op op) {
  unsigned const i = blockIdx.x * blockDim.x + threadIdx.x;
  out[i] = op(in[i], 1);
}

}  // namespace upsweep::sim_test
