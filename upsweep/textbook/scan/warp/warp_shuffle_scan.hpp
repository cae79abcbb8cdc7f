/// Kogge–Stone inclusive scan of a warp in registers: each lane receives the value of the lane
/// `stride` below it by a shuffle.
/// Cost: 32 elements: 32·5 - 31 applications · 5 steps · 5 shuffles · no shared memory, no barrier
/// Source: ETH Zürich, P&S Heterogeneous Systems, prefix sum; Harris & Garland 2012
/// Page: docs/algorithms/warp_shuffle_scan.md
#pragma once

#include <upsweep/textbook/scan_skeleton.hpp>

#include <cstddef>

namespace upsweep::textbook {

/// The inclusive scan of `mine` over the lanes of a warp, all of which must call it.
template <class T, class Op>
__device__ T warp_scan(T mine, Op op) {
  unsigned const lane = threadIdx.x % 32;
  for (unsigned stride = 1; stride < 32; stride *= 2) {
    T const earlier = simt::shuffle_up(all_lanes, mine, stride);
    if (lane >= stride) mine = op(earlier, mine);  // lanes below `stride` received their own value
  }
  return mine;
}

/// Every warp scans 32 elements on its own.
template <class T, int threads, class Op>
__global__ void warp_shuffle_scan(T const* in, T* out, std::size_t n, Op op) {
  std::size_t const i = std::size_t{blockIdx.x} * threads + threadIdx.x;
  T mine = identity_of<T>(op);
  if (i < n) mine = in[i];
  mine = warp_scan(mine, op);
  if (i < n) out[i] = mine;
}

template <int threads>
struct warp_shuffle_scan_plan {
  static_assert(is_tree_block<threads>);
  static constexpr bool exclusive = false;
  static constexpr std::size_t tile = 32;

  template <class Machine, class T, class Op>
  static void run(Machine& machine, T const* in, T* out, std::size_t n, Op op) {
    scan_by_tiles<T, tile, exclusive>(
        machine, in, out, n, op, [&](T const* x, T* y, std::size_t count, unsigned) {
          machine.launch({.name = "warp_shuffle_scan",
                          .blocks = {blocks_for(count, threads)},
                          .threads = {threads},
                          .independent_blocks = true},
                         warp_shuffle_scan<T, threads, Op>, x, y, count, op);
        });
  }
};

}  // namespace upsweep::textbook
