/// The halving stride in shared memory, with the first application made while loading: global
/// memory is read once and written once.
/// Cost: n - 1 applications · log2 n steps · n loads, 1 store · log2 T barriers · no bank conflict
/// Source: PMPP 4th ed., ch. 10, fig. 10.11
/// Page: docs/algorithms/shared_reduce.md
///
/// Element t meets element t + stride: the operator must commute.
#pragma once

#include <upsweep/textbook/skeleton.hpp>

#include <cstddef>

namespace upsweep::textbook {

template <class T, int threads, class Op>
__global__ void shared_reduce(T const* in, T* out, std::size_t n, Op op) {
  __shared__ T tile[threads];
  unsigned const t = threadIdx.x;
  std::size_t const i = blockIdx.x * std::size_t{2 * threads} + t;
  T const near = i < n ? in[i] : identity_of<T>(op);
  T const far = i + threads < n ? in[i + threads] : identity_of<T>(op);
  tile[t] = op(near, far);
  for (unsigned stride = threads / 2; stride >= 1; stride /= 2) {
    __syncthreads();  // the first 2 * stride elements of the tile cover all of it
    if (t < stride) tile[t] = op(tile[t], tile[t + stride]);
  }
  if (t == 0) out[blockIdx.x] = tile[0];
}

template <int threads>
struct shared_reduce_plan {
  static constexpr int least_threads = 1;
  static_assert(is_tree_block<threads, least_threads>);
  static constexpr bool keeps_order = false;
  static constexpr std::size_t tile = 2 * threads;

  template <class Machine, class T, class Op>
  static void run(Machine& machine, T const* in, T* out, std::size_t n, Op op) {
    reduce_by_blocks<T>(machine, in, out, n, tile, op, "shared_reduce", threads,
                        shared_reduce<T, threads, Op>);
  }
};

}  // namespace upsweep::textbook
