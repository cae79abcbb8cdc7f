/// threadIdx, blockIdx, blockDim, gridDim.
#pragma once

#include "keywords.h"
#include "vectors.h"

struct dim3 {
  unsigned x, y, z;

  constexpr dim3(unsigned x_ = 1, unsigned y_ = 1, unsigned z_ = 1) : x(x_), y(y_), z(z_) {}
  constexpr dim3(uint3 v) : x(v.x), y(v.y), z(v.z) {}
  constexpr operator uint3() const { return {x, y, z}; }
};

namespace upsweep::emulated {

UPSWEEP_EMULATED_WORD uint3 index_of(upsweep_emulated_extent e) {
  return {e.x, e.y, e.z};
}
UPSWEEP_EMULATED_WORD dim3 extent_of(upsweep_emulated_extent e) {
  return {e.x, e.y, e.z};
}

}  // namespace upsweep::emulated

// Calls, because the members of an object would be accesses that the compiler reports.
#define threadIdx (::upsweep::emulated::index_of(::upsweep_emulated_thread_index()))
#define blockIdx (::upsweep::emulated::index_of(::upsweep_emulated_block_index()))
#define blockDim (::upsweep::emulated::extent_of(::upsweep_emulated_block_extent()))
#define gridDim (::upsweep::emulated::extent_of(::upsweep_emulated_grid_extent()))
inline constexpr int warpSize = 32;
