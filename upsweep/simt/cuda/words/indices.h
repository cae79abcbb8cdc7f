/// dim3, threadIdx, blockIdx, blockDim, gridDim.
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

/// dim3 without constructors: compilers report no reads of such constants.
struct extent {
  unsigned x, y, z;

  constexpr operator dim3() const { return {x, y, z}; }
  constexpr operator uint3() const { return {x, y, z}; }
};

}  // namespace upsweep::emulated

// Their addresses are asked for (`__tls_get_addr`), and the emulator gives those of the running
// thread: see upsweep/sim/modules/thread_locals.cpp.
#define UPSWEEP_EMULATED_INDEX extern __thread __attribute__((tls_model("global-dynamic")))
UPSWEEP_EMULATED_INDEX uint3 const threadIdx;
UPSWEEP_EMULATED_INDEX uint3 const blockIdx;
UPSWEEP_EMULATED_INDEX upsweep::emulated::extent const blockDim;
UPSWEEP_EMULATED_INDEX upsweep::emulated::extent const gridDim;
#undef UPSWEEP_EMULATED_INDEX
inline constexpr int warpSize = 32;
