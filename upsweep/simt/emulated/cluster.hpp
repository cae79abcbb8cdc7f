/// Clusters of blocks in an emulated kernel, under the names of cooperative groups.
#pragma once

#include <upsweep/simt/emulated/shared.hpp>

#define _CG_HAS_CLUSTER_GROUP 1

namespace cooperative_groups {

/// The blocks of a cluster, which run concurrently and may read each other's shared memory.
class cluster_group {
  using place = ::std::source_location;

 public:
  UPSWEEP_SIMT_INLINE void sync(place at = place::current()) const {
    upsweep::simt::emulated::cluster_barrier(at);
  }
  [[nodiscard]] UPSWEEP_SIMT_INLINE unsigned block_rank() const {
    return upsweep::simt::emulated::cluster_rank();
  }
  [[nodiscard]] UPSWEEP_SIMT_INLINE unsigned num_blocks() const {
    return upsweep::simt::emulated::cluster_size();
  }
  /// The same shared array or element in block `rank` of the cluster.
  template <class T, ::std::size_t N>
  [[nodiscard]] UPSWEEP_SIMT_INLINE upsweep::simt::emulated::pointer<T> map_shared_rank(
      upsweep::simt::emulated::shared_array<T, N> const& array, unsigned rank,
      place at = place::current()) const {
    return {upsweep::simt::emulated::memory_of(array.key(), rank, at), 0};
  }
  template <class T>
  [[nodiscard]] UPSWEEP_SIMT_INLINE upsweep::simt::emulated::pointer<T> map_shared_rank(
      upsweep::simt::emulated::pointer<T> p, unsigned rank, place at = place::current()) const {
    return {upsweep::simt::emulated::memory_of(p.base(), rank, at), p.byte()};
  }
};

[[nodiscard]] UPSWEEP_SIMT_INLINE cluster_group this_cluster() {
  return {};
}

}  // namespace cooperative_groups
