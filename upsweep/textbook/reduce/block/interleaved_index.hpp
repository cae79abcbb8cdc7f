/// The interleaved tree in shared memory with consecutive active threads: thread t works on element
/// 2 * stride * t, so whole warps retire.
/// Cost: n - 1 applications · log2 n steps · n loads, 1 store · 1 + log2 n barriers ·
/// the conflict degree doubles with each step
/// Source: Harris 2007, reduction step 2
/// Page: docs/algorithms/interleaved_index.md
#pragma once

#include <upsweep/textbook/skeleton.hpp>

#include <cstddef>

namespace upsweep::textbook {

template <class T, int threads, class Op>
__global__ void interleaved_index(T const* in, T* out, std::size_t n, Op op) {
  __shared__ T tile[threads];
  unsigned const t = threadIdx.x;
  std::size_t const i = blockIdx.x * std::size_t{threads} + t;
  tile[t] = i < n ? in[i] : identity_of<T>(op);
  __syncthreads();  // the tile is loaded
  for (unsigned stride = 1; stride < threads; stride *= 2) {
    // The lanes' elements are 2 * stride words apart, so 2 * stride of them share a bank.
    unsigned const owned = 2 * stride * t;
    if (owned < threads) tile[owned] = op(tile[owned], tile[owned + stride]);
    __syncthreads();  // tile[owned] covers the 2 * stride elements that start there
  }
  if (t == 0) out[blockIdx.x] = tile[0];
}

template <int threads>
struct interleaved_index_plan {
  static constexpr int least_threads = 1;
  static_assert(is_tree_block<threads, least_threads>);
  static constexpr bool keeps_order = true;
  static constexpr std::size_t tile = threads;

  template <class Machine, class T, class Op>
  static void run(Machine& machine, T const* in, T* out, std::size_t n, Op op) {
    reduce_by_blocks<T>(machine, in, out, n, tile, op, "interleaved_index", threads,
                        interleaved_index<T, threads, Op>);
  }
};

}  // namespace upsweep::textbook
