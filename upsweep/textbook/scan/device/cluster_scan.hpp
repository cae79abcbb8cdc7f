/// Scan of a cluster of blocks: each block reads the totals of the blocks before it from their
/// shared memory.
/// Cost: C blocks of T elements: T·C elements with no total in global memory · 2 cluster barriers ·
/// C(C - 1) / 2 remote loads
/// Source: ETH Zürich, P&S Heterogeneous Systems, H100; CUDA C++ Programming Guide, distributed
/// shared memory
/// Page: docs/algorithms/cluster_scan.md
#pragma once

#include <upsweep/textbook/scan/block/block_shuffle_scan.hpp>

#include <cstddef>

namespace upsweep::textbook {

/// Needs compute capability 9.0; the kernel traps on devices without clusters.
template <class T, int threads, class Op>
__global__ void cluster_scan(T const* in, T* out, std::size_t n, Op op) {
#ifdef _CG_HAS_CLUSTER_GROUP
  __shared__ T warp_totals[threads / 32];
  __shared__ T total;
  __shared__ T carry;
  auto const cluster = cooperative_groups::this_cluster();
  unsigned const t = threadIdx.x, rank = cluster.block_rank();
  std::size_t const i = std::size_t{blockIdx.x} * threads + t;
  T mine = identity_of<T>(op);
  if (i < n) mine = in[i];
  mine = block_scan<T, threads / 32>(mine, warp_totals, op);
  if (t == threads - 1) total = mine;
  cluster.sync();  // every block's total is in its shared memory
  if (t == 0 && rank > 0) {
    T before = *cluster.map_shared_rank(&total, 0);
    for (unsigned r = 1; r < rank; ++r) before = op(before, *cluster.map_shared_rank(&total, r));
    carry = before;
  }
  cluster.sync();  // the carry is written, and no block exits while its total is being read
  if (rank > 0) mine = op(carry, mine);
  if (i < n) out[i] = mine;
#else
  __trap();
#endif
}

template <int threads>
struct cluster_scan_plan {
  static_assert(is_tree_block<threads>);
  static constexpr bool exclusive = false;
  static constexpr unsigned cluster = 8;  // the largest portable cluster size
  static constexpr std::size_t tile = std::size_t{cluster} * threads;

  template <class Machine, class T, class Op>
  static void run(Machine& machine, T const* in, T* out, std::size_t n, Op op) {
    scan_by_tiles<T, tile, exclusive>(
        machine, in, out, n, op, [&](T const* x, T* y, std::size_t count, unsigned tiles) {
          machine.launch({.name = "cluster_scan",
                          .blocks = {tiles * cluster},
                          .threads = {threads},
                          .cluster = cluster},
                         cluster_scan<T, threads, Op>, x, y, count, op);
        });
  }
};

}  // namespace upsweep::textbook
