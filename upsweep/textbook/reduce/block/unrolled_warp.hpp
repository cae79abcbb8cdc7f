/// shared_reduce whose last five steps run in a single warp and need no block barrier.
/// Cost: n - 1 applications · log2 n steps · n loads, 1 store · log2 T - 5 block barriers ·
/// 5 warp barriers
/// Source: Harris 2007, reduction step 5
/// Page: docs/algorithms/unrolled_warp.md
///
/// Harris's listing relies on lanes that never diverge (`volatile`, no barrier at all), which no
/// GPU since Volta guarantees: here a __syncwarp orders each step after the one before. Element t
/// meets element t + stride: the operator must commute.
#pragma once

#include <upsweep/textbook/skeleton.hpp>

#include <cstddef>

namespace upsweep::textbook {

template <class T, int threads, class Op>
__global__ void unrolled_warp(T const* in, T* out, std::size_t n, Op op) {
  __shared__ T tile[threads];
  unsigned const t = threadIdx.x;
  std::size_t const i = blockIdx.x * std::size_t{2 * threads} + t;
  T const near = i < n ? in[i] : identity_of<T>(op);
  T const far = i + threads < n ? in[i + threads] : identity_of<T>(op);
  tile[t] = op(near, far);
  for (unsigned stride = threads / 2; stride >= 32; stride /= 2) {
    __syncthreads();  // the first 2 * stride elements of the tile cover all of it
    if (t < stride) tile[t] = op(tile[t], tile[t + stride]);
  }
  if (t >= 32) return;
  for (unsigned stride = 16; stride >= 1;
       stride /= 2) {  // constant bounds: the compiler unrolls it
    __syncwarp();      // the first 2 * stride elements, all written by this warp, cover the tile
    if (t < stride) tile[t] = op(tile[t], tile[t + stride]);
  }
  if (t == 0) out[blockIdx.x] = tile[0];
}

template <int threads>
struct unrolled_warp_plan {
  static_assert(is_tree_block<threads>);
  static constexpr bool keeps_order = false;
  static constexpr std::size_t tile = 2 * threads;

  template <class Machine, class T, class Op>
  static void run(Machine& machine, T const* in, T* out, std::size_t n, Op op) {
    reduce_by_blocks<T>(machine, in, out, n, tile, op, "unrolled_warp", threads,
                        unrolled_warp<T, threads, Op>);
  }
};

}  // namespace upsweep::textbook
