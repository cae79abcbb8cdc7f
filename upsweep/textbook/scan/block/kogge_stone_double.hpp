/// Kogge–Stone inclusive scan of one block with two buffers: no step writes what it reads, so one
/// barrier per step is enough.
/// Cost: n·log2 n - (n - 1) applications · log2 n steps · 1 + log2 n barriers ·
/// twice the shared memory
/// Source: PMPP 4th ed., ch. 11, double buffering; ETH Zürich, P&S, prefix sum
/// Page: docs/algorithms/kogge_stone_double.md
#pragma once

#include <upsweep/textbook/scan_skeleton.hpp>

#include <cstddef>

namespace upsweep::textbook {

template <class T, int threads, class Op>
__global__ void kogge_stone_double(T const* in, T* out, std::size_t n, Op op) {
  __shared__ T buffers[2 * threads];
  unsigned const t = threadIdx.x;
  std::size_t const i = std::size_t{blockIdx.x} * threads + t;
  unsigned from = 0, to = threads;  // where the two buffers begin
  T mine = identity_of<T>(op);
  if (i < n) mine = in[i];
  buffers[from + t] = mine;
  __syncthreads();  // the tile is loaded
  for (unsigned stride = 1; stride < threads; stride *= 2) {
    if (t >= stride) mine = op(buffers[from + t - stride], mine);
    // A thread with t < stride copies its value: the next step reads only this buffer.
    buffers[to + t] = mine;
    __syncthreads();  // buffers[to + t] covers the 2·stride elements that end at t, and no thread
                      // reads `from` any more
    from = to;
    to = threads - to;
  }
  if (i < n) out[i] = mine;
}

template <int threads>
struct kogge_stone_double_plan {
  static constexpr int least_threads = 1;
  static constexpr bool exclusive = false;
  static constexpr std::size_t tile = threads;

  template <class Machine, class T, class Op>
  static void run(Machine& machine, T const* in, T* out, std::size_t n, Op op) {
    scan_by_blocks<tile, exclusive>(machine, in, out, n, op, "kogge_stone_double", threads,
                                    kogge_stone_double<T, threads, Op>);
  }
};

}  // namespace upsweep::textbook
