/// Registers instead of shared memory: five shuffles reduce each warp, and five more reduce the
/// warps' totals.
/// Cost: T + 5 T + 160 applications (every lane of a shuffle computes) · 11 steps ·
/// n loads, 1 store · 1 barrier · 5 shuffles per warp + 5
/// Source: ETH Zurich, P&S Heterogeneous Systems, lecture on prefix sum; Harris 2014
/// Page: docs/algorithms/shuffle_reduce.md
///
/// The literature's offsets fall from 16 to 1 and join lane t with lane t + 16 first. Rising from 1
/// to 16 they cost the same and keep the order: after each step lane t covers up to 2 * offset
/// lanes starting at t, and in the end lane 0 covers all 32.
#pragma once

#include <upsweep/textbook/skeleton.hpp>

#include <cstddef>

namespace upsweep::textbook {

/// The total of the warp's 32 values in lane order, valid in lane 0 only.
template <class T, class Op>
__device__ T warp_total(T value, Op op) {
  for (unsigned offset = 1; offset < 32; offset *= 2) {
    T const later = simt::shuffle_down(all_lanes, value, offset);
    value = op(value, later);
  }
  return value;
}

/// The total of the block's values in thread order, valid in thread 0 only. A second call needs a
/// block barrier before it.
template <int threads, class T, class Op>
__device__ T block_total(T value, Op op) {
  __shared__ T totals[threads / 32];
  unsigned const t = threadIdx.x;
  value = warp_total(value, op);
  if (t % 32 == 0) totals[t / 32] = value;
  __syncthreads();  // totals[w] is the total of warp w
  if (t < 32) {
    value = t < threads / 32 ? totals[t] : identity_of<T>(op);
    value = warp_total(value, op);
  }
  return value;
}

/// The total of elements 2t and 2t + 1 of the block's tile, for thread t.
template <int threads, class T, class Op>
__device__ T pair_total(T const* in, std::size_t n, Op op) {
  std::size_t const i = blockIdx.x * std::size_t{2 * threads} + 2 * threadIdx.x;
  T const earlier = i < n ? in[i] : identity_of<T>(op);
  T const later = i + 1 < n ? in[i + 1] : identity_of<T>(op);
  return op(earlier, later);
}

template <class T, int threads, class Op>
__global__ void shuffle_reduce(T const* in, T* out, std::size_t n, Op op) {
  T const total = block_total<threads>(pair_total<threads, T>(in, n, op), op);
  if (threadIdx.x == 0) out[blockIdx.x] = total;
}

template <int threads>
struct shuffle_reduce_plan {
  static_assert(is_tree_block<threads>);
  static constexpr bool keeps_order = true;
  static constexpr std::size_t tile = 2 * threads;

  template <class Machine, class T, class Op>
  static void run(Machine& machine, T const* in, T* out, std::size_t n, Op op) {
    reduce_by_blocks<T>(machine, in, out, n, tile, op, "shuffle_reduce", threads,
                        shuffle_reduce<T, threads, Op>);
  }
};

}  // namespace upsweep::textbook
