/// Inclusive scan of a block by shuffles: the warps, then one warp over the warps' totals; the
/// inclusive prefix carries from tile to tile.
/// Cost: T elements: 5·T / 32 + 5 shuffles · 11 steps · 3 barriers per tile ·
/// T / 32 elements of shared memory
/// Source: ETH Zürich, P&S Heterogeneous Systems, prefix sum, `block_scan`
/// Page: docs/algorithms/block_shuffle_scan.md
#pragma once

#include <upsweep/textbook/scan/warp/warp_shuffle_scan.hpp>

#include <cstddef>

namespace upsweep::textbook {

/// The inclusive scan of `mine` over the threads of a block, all of which must call it. Afterwards
/// totals[w] covers the warps up to and including w, so the last one is the block's total.
template <class T, int warps, class Op>
__device__ T block_scan(T mine, T (&totals)[warps], Op op) {
  unsigned const t = threadIdx.x, lane = t % 32, warp = t / 32;
  mine = warp_scan(mine, op);
  if (lane == 31) totals[warp] = mine;
  __syncthreads();  // totals[w] is the total of warp w
  if (warp == 0) {
    T total = identity_of<T>(op);
    if (lane < warps) total = totals[lane];
    total = warp_scan(total, op);
    if (lane < warps) totals[lane] = total;
  }
  __syncthreads();  // totals[w] covers the warps up to and including w
  if (warp > 0) mine = op(totals[warp - 1], mine);
  return mine;
}

/// Every block scans `items` tiles of `threads` elements, one after the other.
template <class T, int threads, int items, class Op>
__global__ void block_shuffle_scan(T const* in, T* out, std::size_t n, Op op) {
  __shared__ T totals[threads / 32];
  __shared__ T running;
  unsigned const t = threadIdx.x;
  for (unsigned call = 0; call < items; ++call) {
    std::size_t const i = (std::size_t{blockIdx.x} * items + call) * threads + t;
    T mine = identity_of<T>(op);
    if (i < n) mine = in[i];
    mine = block_scan<T, threads / 32>(mine, totals, op);
    if (call > 0) mine = op(running, mine);  // written before the barriers of block_scan
    if (i < n) out[i] = mine;
    __syncthreads();  // every thread has read `totals` and `running`
    if (t == threads - 1) running = mine;
  }
}

template <int threads>
struct block_shuffle_scan_plan {
  static_assert(is_tree_block<threads>);
  static constexpr bool exclusive = false;
  static constexpr int items = 4;
  static constexpr std::size_t tile = std::size_t{items} * threads;

  template <class Machine, class T, class Op>
  static void run(Machine& machine, T const* in, T* out, std::size_t n, Op op) {
    scan_by_blocks<tile, exclusive>(machine, in, out, n, op, "block_shuffle_scan", threads,
                                    block_shuffle_scan<T, threads, items, Op>);
  }
};

}  // namespace upsweep::textbook
