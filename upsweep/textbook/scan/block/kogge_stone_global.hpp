/// Kogge–Stone inclusive scan of one block in global memory, the step before shared memory makes it
/// fast.
/// Cost: n·log2 n - (n - 1) applications · log2 n steps · 1 + 2·log2 n barriers ·
/// every operand from global memory
/// Source: Kogge & Stone 1973; ETH Zürich, P&S Heterogeneous Systems, prefix sum
/// Page: docs/algorithms/kogge_stone_global.md
#pragma once

#include <upsweep/textbook/scan_skeleton.hpp>

#include <cstddef>

namespace upsweep::textbook {

template <class T, int threads, class Op>
__global__ void kogge_stone_global(T const* in, T* out, std::size_t n, Op op) {
  unsigned const t = threadIdx.x;
  std::size_t const i = std::size_t{blockIdx.x} * threads + t;
  if (i < n) out[i] = in[i];
  __syncthreads();  // out[i] is element i
  for (unsigned stride = 1; stride < threads; stride *= 2) {
    T sum{};
    if (t >= stride && i < n) sum = op(out[i - stride], out[i]);
    __syncthreads();  // every thread has read
    if (t >= stride && i < n) out[i] = sum;
    __syncthreads();  // out[i] covers the 2·stride elements that end at i, fewer at the start of
                      // the tile
  }
}

template <int threads>
struct kogge_stone_global_plan {
  static constexpr int least_threads = 1;
  static constexpr bool exclusive = false;
  static constexpr std::size_t tile = threads;

  template <class Machine, class T, class Op>
  static void run(Machine& machine, T const* in, T* out, std::size_t n, Op op) {
    scan_by_blocks<tile, exclusive>(machine, in, out, n, op, "kogge_stone_global", threads,
                                    kogge_stone_global<T, threads, Op>);
  }
};

}  // namespace upsweep::textbook
