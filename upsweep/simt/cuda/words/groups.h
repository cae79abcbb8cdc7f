/// Groups of threads: the block, the grid, the cluster.
#pragma once

#include "../cuda_runtime.h"

namespace cooperative_groups {

namespace details {

UPSWEEP_EMULATED_WORD unsigned rank_in(uint3 i, dim3 e) {
  return (i.z * e.y + i.y) * e.x + i.x;
}
UPSWEEP_EMULATED_WORD unsigned thread_rank() {
  return rank_in(threadIdx, blockDim);
}
UPSWEEP_EMULATED_WORD unsigned count(dim3 e) {
  return e.x * e.y * e.z;
}

}  // namespace details

class thread_block {
 public:
  UPSWEEP_EMULATED_WORD static void sync(unsigned column = UPSWEEP_EMULATED_COLUMN) {
    __syncthreads(column);
  }
  UPSWEEP_EMULATED_WORD static unsigned thread_rank() { return details::thread_rank(); }
  UPSWEEP_EMULATED_WORD static unsigned num_threads() { return details::count(blockDim); }
  UPSWEEP_EMULATED_WORD static unsigned size() { return num_threads(); }
  UPSWEEP_EMULATED_WORD static dim3 group_index() { return blockIdx; }
  UPSWEEP_EMULATED_WORD static dim3 thread_index() { return threadIdx; }
  UPSWEEP_EMULATED_WORD static dim3 group_dim() { return blockDim; }
  UPSWEEP_EMULATED_WORD static dim3 dim_threads() { return blockDim; }
  struct arrival_token {};
  /// Waits for nobody: the barrier is in barrier_wait().
  UPSWEEP_EMULATED_WORD static arrival_token barrier_arrive() { return {}; }
  UPSWEEP_EMULATED_WORD static void barrier_wait(arrival_token,
                                                 unsigned column = UPSWEEP_EMULATED_COLUMN) {
    __syncthreads(column);
  }
};
UPSWEEP_EMULATED_WORD thread_block this_thread_block() {
  return {};
}

namespace details {

// Blocks of the grid that have arrived, and the number of barriers that were completed. Hidden:
// each module has its own.
__attribute__((visibility("hidden"))) inline unsigned grid_arrivals = 0, grid_barriers = 0;

UPSWEEP_EMULATED_WORD void wait_for_grid() {
  using namespace upsweep::emulated;
  __syncthreads();
  if (details::thread_rank() == 0) {
    unsigned const before = atomic_load(&grid_barriers, order::relaxed, scope::device);
    unsigned const last = count(gridDim) - 1;
    if (fetch<add>(&grid_arrivals, 1U, order::acq_rel, scope::device) == last) {
      atomic_store(&grid_arrivals, 0U, order::relaxed, scope::device);
      fetch<add>(&grid_barriers, 1U, order::release, scope::device);
    } else {
      while (atomic_load(&grid_barriers, order::acquire, scope::device) == before) {
      }
    }
  }
  __syncthreads();
}

}  // namespace details

class grid_group {
 public:
  UPSWEEP_EMULATED_WORD static bool is_valid() { return upsweep_emulated_is_cooperative() != 0; }
  UPSWEEP_EMULATED_WORD static void sync() {
    if (!is_valid())
      upsweep_emulated_misuse(
          "grid.sync() needs a launch by cudaLaunchCooperativeKernel(), which "
          "makes all blocks resident at once");
    details::wait_for_grid();
  }
  UPSWEEP_EMULATED_WORD static unsigned long long thread_rank() {
    return block_rank() * details::count(blockDim) + details::thread_rank();
  }
  UPSWEEP_EMULATED_WORD static unsigned long long block_rank() {
    return details::rank_in(blockIdx, gridDim);
  }
  UPSWEEP_EMULATED_WORD static unsigned long long num_blocks() { return details::count(gridDim); }
  UPSWEEP_EMULATED_WORD static unsigned long long num_threads() {
    return num_blocks() * details::count(blockDim);
  }
  UPSWEEP_EMULATED_WORD static unsigned long long size() { return num_threads(); }
  UPSWEEP_EMULATED_WORD static dim3 block_index() { return blockIdx; }
  UPSWEEP_EMULATED_WORD static dim3 dim_blocks() { return gridDim; }
  UPSWEEP_EMULATED_WORD static dim3 group_dim() { return gridDim; }
};
UPSWEEP_EMULATED_WORD grid_group this_grid() {
  return {};
}

#define _CG_HAS_CLUSTER_GROUP 1
class cluster_group {
 public:
  struct arrival_token {};
  UPSWEEP_EMULATED_WORD static void sync() {
    UPSWEEP_EMULATED_NEEDS(90, "a cluster's barrier");
    upsweep_emulated_cluster_barrier();
  }
  /// Waits for nobody: the barrier is in barrier_wait().
  UPSWEEP_EMULATED_WORD static arrival_token barrier_arrive() { return {}; }
  UPSWEEP_EMULATED_WORD static void barrier_wait(arrival_token = {}) { sync(); }
  UPSWEEP_EMULATED_WORD static unsigned block_rank() { return upsweep_emulated_cluster_rank(); }
  UPSWEEP_EMULATED_WORD static unsigned num_blocks() { return details::count(dim_blocks()); }
  UPSWEEP_EMULATED_WORD static unsigned thread_rank() {
    return block_rank() * details::count(blockDim) + details::thread_rank();
  }
  UPSWEEP_EMULATED_WORD static unsigned num_threads() {
    return num_blocks() * details::count(blockDim);
  }
  UPSWEEP_EMULATED_WORD static unsigned size() { return num_threads(); }
  UPSWEEP_EMULATED_WORD static dim3 block_index() {
    auto const c = upsweep_emulated_cluster_extent();
    unsigned const rank = block_rank();
    return {rank % c.x, rank / c.x % c.y, rank / c.x / c.y};
  }
  UPSWEEP_EMULATED_WORD static dim3 dim_blocks() {
    auto const c = upsweep_emulated_cluster_extent();
    return {c.x, c.y, c.z};
  }
  template <class T>
  UPSWEEP_EMULATED_WORD static T* map_shared_rank(T* place, unsigned rank) {
    UPSWEEP_EMULATED_NEEDS(90, "map_shared_rank()");
    return static_cast<T*>(upsweep_emulated_shared_of_rank(place, rank));
  }
};
UPSWEEP_EMULATED_WORD cluster_group this_cluster() {
  return {};
}

}  // namespace cooperative_groups
