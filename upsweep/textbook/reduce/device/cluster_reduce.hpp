/// The blocks of a cluster read each other's totals in distributed shared memory: one partial per
/// cluster reaches global memory.
/// Cost: shuffle_reduce in each block, then one application per further block ·
/// N loads, 1 store per cluster · 2 cluster barriers
/// Source: ETH Zurich, P&S Heterogeneous Systems, H100 slide (compute capability 9.0)
/// Page: docs/algorithms/cluster_reduce.md
#pragma once

#include <upsweep/textbook/reduce/block/shuffle_reduce.hpp>

#include <cstddef>

namespace upsweep::textbook {

template <class T, int threads, class Op>
__global__ void cluster_reduce(T const* in, T* out, std::size_t n, Op op) {
#ifdef _CG_HAS_CLUSTER_GROUP
  __shared__ T block;
  auto const cluster = cooperative_groups::this_cluster();
  T total = block_total<threads>(pair_total<threads, T>(in, n, op), op);
  if (threadIdx.x == 0) block = total;
  cluster.sync();  // every block's total is in its shared memory
  if (cluster.block_rank() == 0 && threadIdx.x == 0) {
    for (unsigned rank = 1; rank < cluster.num_blocks(); ++rank)
      total = op(total, *cluster.map_shared_rank(&block, rank));
    out[blockIdx.x / cluster.num_blocks()] = total;
  }
  cluster.sync();  // the totals have been read: the blocks may exit and release their shared memory
#endif
}

/// Eight blocks are the largest portable cluster size.
template <int threads>
struct cluster_reduce_plan {
  static_assert(is_tree_block<threads>);
  static constexpr unsigned cluster = 8;
  static constexpr bool keeps_order = true;
  static constexpr std::size_t tile = std::size_t{cluster} * 2 * threads;

  template <class Machine, class T, class Op>
  static void run(Machine& machine, T const* in, T* out, std::size_t n, Op op) {
    reduce_by_levels<T>(machine, in, out, n, tile,
                        [&](T const* from, T* to, std::size_t count, unsigned tiles) {
                          machine.launch({.name = "cluster_reduce",
                                          .blocks = {tiles * cluster},
                                          .threads = {threads},
                                          .cluster = cluster},
                                         cluster_reduce<T, threads, Op>, from, to, count, op);
                        });
  }
};

}  // namespace upsweep::textbook
