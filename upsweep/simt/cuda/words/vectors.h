/// CUDA's vector types and their make_ functions; dim3, threadIdx, blockIdx, blockDim, gridDim.
#pragma once

#include "keywords.h"

// An access to a whole vector is one access, because its type is aligned as CUDA's is.
#define UPSWEEP_EMULATED_VECTORS(name, type, of_one, of_two, of_four)                      \
  struct __attribute__((aligned(of_one))) name##1 {                                        \
    type x;                                                                                \
  };                                                                                       \
  struct __attribute__((aligned(of_two))) name##2 {                                        \
    type x, y;                                                                             \
  };                                                                                       \
  struct __attribute__((aligned(of_one))) name##3 {                                        \
    type x, y, z;                                                                          \
  };                                                                                       \
  struct __attribute__((aligned(of_four))) name##4 {                                       \
    type x, y, z, w;                                                                       \
  };                                                                                       \
  UPSWEEP_EMULATED_WORD constexpr name##1 make_##name##1(type x) {                         \
    return {x};                                                                            \
  }                                                                                        \
  UPSWEEP_EMULATED_WORD constexpr name##2 make_##name##2(type x, type y) {                 \
    return {x, y};                                                                         \
  }                                                                                        \
  UPSWEEP_EMULATED_WORD constexpr name##3 make_##name##3(type x, type y, type z) {         \
    return {x, y, z};                                                                      \
  }                                                                                        \
  UPSWEEP_EMULATED_WORD constexpr name##4 make_##name##4(type x, type y, type z, type w) { \
    return {x, y, z, w};                                                                   \
  }
UPSWEEP_EMULATED_VECTORS(char, signed char, 1, 2, 4)
UPSWEEP_EMULATED_VECTORS(uchar, unsigned char, 1, 2, 4)
UPSWEEP_EMULATED_VECTORS(short, short, 2, 4, 8)
UPSWEEP_EMULATED_VECTORS(ushort, unsigned short, 2, 4, 8)
UPSWEEP_EMULATED_VECTORS(int, int, 4, 8, 16)
UPSWEEP_EMULATED_VECTORS(uint, unsigned, 4, 8, 16)
UPSWEEP_EMULATED_VECTORS(long, long, 8, 16, 16)
UPSWEEP_EMULATED_VECTORS(ulong, unsigned long, 8, 16, 16)
UPSWEEP_EMULATED_VECTORS(longlong, long long, 8, 16, 16)
UPSWEEP_EMULATED_VECTORS(ulonglong, unsigned long long, 8, 16, 16)
UPSWEEP_EMULATED_VECTORS(float, float, 4, 8, 16)
UPSWEEP_EMULATED_VECTORS(double, double, 8, 16, 16)
#undef UPSWEEP_EMULATED_VECTORS

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
