/// Kogge–Stone scan of one block with one buffer in shared memory; the exclusive form loads the
/// element to the left.
/// Cost: n·log2 n - (n - 1) applications · log2 n steps · 1 + 2·log2 n barriers ·
/// 2n global accesses
/// Source: Kogge & Stone 1973; PMPP 4th ed., ch. 11; ETH Zürich, P&S, prefix sum
/// Page: docs/algorithms/kogge_stone.md
#pragma once

#include <upsweep/textbook/scan_skeleton.hpp>

#include <cstddef>

namespace upsweep::textbook {

template <class T, int threads, bool exclusive, class Op>
__global__ void kogge_stone(T const* in, T* out, std::size_t n, Op op) {
  __shared__ T tile[threads];
  unsigned const t = threadIdx.x;
  std::size_t const i = std::size_t{blockIdx.x} * threads + t;
  T mine = identity_of<T>(op);
  if (exclusive ? t > 0 && i < n : i < n)
    mine = in[exclusive ? i - 1 : i];  // t > 0: thread 0 has no left neighbor to load
  tile[t] = mine;
  __syncthreads();  // the tile is loaded
  for (unsigned stride = 1; stride < threads; stride *= 2) {
    T sum{};
    if (t >= stride) sum = op(tile[t - stride], tile[t]);
    __syncthreads();  // every thread has read
    if (t >= stride) tile[t] = sum;
    __syncthreads();  // tile[t] covers the 2·stride elements that end at t, fewer at the start
  }
  if (i < n) out[i] = tile[t];
}

template <int threads, bool exclusive_form = false>
struct kogge_stone_plan {
  static constexpr int least_threads = 1;
  static constexpr bool exclusive = exclusive_form;
  static constexpr std::size_t tile = threads;

  template <class Machine, class T, class Op>
  static void run(Machine& machine, T const* in, T* out, std::size_t n, Op op) {
    scan_by_blocks<tile, exclusive>(machine, in, out, n, op, "kogge_stone", threads,
                                    kogge_stone<T, threads, exclusive, Op>);
  }
};

}  // namespace upsweep::textbook
