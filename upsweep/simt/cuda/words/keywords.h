/// The keywords of CUDA C++, and how the emulator's headers mark their own functions.
#pragma once

#include "../abi.h"

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <type_traits>

#if !defined(__x86_64__) && !defined(__wasm__)
#error "the emulator runs plain CUDA C++ on x86-64 and WebAssembly only"
#endif

#define __global__ __attribute__((noinline))
// g++ reports no store of a result that a called function writes to memory itself, so nothing is
// called. A recursive function does not compile so: UPSWEEP_EMULATED_CALLS is for files with one.
#ifdef UPSWEEP_EMULATED_CALLS
#define __device__
#else
#define __device__ __attribute__((always_inline))
#endif
#define __host__
#define __constant__
#define __managed__
#define __grid_constant__
#define __forceinline__ inline
// Nothing, because headers of C++ say `__attribute__((__noinline__))`.
#define __noinline__
#define __launch_bounds__(...)
#define __maxnreg__(...)
#define __block_size__(...)
#define __cudart_builtin__
#define __device_builtin__
#define __inline_hint__
#define __nv_pure__ __attribute__((pure))
#define __align__(n) __attribute__((aligned(n)))
#define __builtin_align__(n) __attribute__((aligned(n)))
#ifndef __restrict__
#define __restrict__ __restrict
#endif
// Each resident block has its own copy, at an address that the emulator gives: see
// upsweep/sim/modules/thread_locals.cpp. 64 KiB apart, an index out of bounds hits no other array.
// The model is said with the variable too: g++ would ask for the addresses of local arrays
// together, so the emulator would not know which of them are about to be used.
#ifdef __wasm__  // instrument.mjs does what the attributes are for
#define __shared__ __attribute__((aligned(65536))) thread_local
#elif defined(__clang__)
#define __shared__                                            \
  __attribute__((aligned(65536), tls_model("global-dynamic"), \
                 require_constant_initialization)) thread_local
#else
#define __shared__ \
  __attribute__((aligned(65536), tls_model("global-dynamic"))) __constinit thread_local
#endif
#ifndef __wasm__
// The first bytes of a module's thread-local variables with a value and of a file's without one.
// After them only an array is a multiple of 64 KiB from the beginning, so the emulator tells arrays
// from variables of the host, whose `thread_local` is C++'s. All count from the first byte because
// it is there: GNU ld counts from an aligned section that is empty, but lays it out elsewhere.
// Symbols keep both where unused sections are dropped.
__asm__(
    ".pushsection .tdata.upsweep_emulated,\"awTG\",@progbits,upsweep_emulated_first,comdat\n"
    ".balign 65536\n"
    ".weak upsweep_emulated_first\n"
    ".type upsweep_emulated_first,@object\n"
    "upsweep_emulated_first:\n"
    ".zero 1\n"
    ".popsection\n"
    ".pushsection .tbss,\"awT\",@nobits\n"
    ".weak upsweep_emulated_first_without_value\n"
    ".type upsweep_emulated_first_without_value,@object\n"
    "upsweep_emulated_first_without_value:\n"
    ".zero 1\n"
    ".popsection");
#endif

namespace upsweep::emulated {
/// Its address names the type T to the emulator, which reads the module's debug data.
template <class T>
inline T* const pointer_to = nullptr;
}  // namespace upsweep::emulated

/// CUDA C++ on the emulator, where nvcc's macros are defined too.
#define UPSWEEP_EMULATED 1
#define __CUDACC__ 1
#ifndef UPSWEEP_EMULATED_ARCH
#define UPSWEEP_EMULATED_ARCH 900
#endif
#define __CUDA_ARCH__ UPSWEEP_EMULATED_ARCH
#define CUDART_VERSION 13000
#define __CUDACC_VER_MAJOR__ 13
#define __CUDACC_VER_MINOR__ 0
#define __CUDA_ARCH_LIST__ UPSWEEP_EMULATED_ARCH
// Headers of NVIDIA's samples ask for these before they use the runtime.
#define __CUDA_RUNTIME_H__
#define __CUDA_RUNTIME_API_H__
#define __DRIVER_TYPES_H__
#define __VECTOR_TYPES_H__

/// A word of CUDA: inlined into the kernel, so that it has the kernel's line.
#define UPSWEEP_EMULATED_WORD __attribute__((always_inline)) inline
/// Ends the thread if the module is compiled for a device that lacks `word`.
#define UPSWEEP_EMULATED_NEEDS(capability, word)        \
  if constexpr (__CUDA_ARCH__ < capability * 10)        \
  upsweep_emulated_misuse(word " needs sm_" #capability \
                               " or newer, and --device names an older device")
/// Code that belongs to no kernel: neither its accesses nor its basic blocks are reported.
#ifdef __clang__
#define UPSWEEP_EMULATED_UNSEEN __attribute__((noinline, no_sanitize("thread", "coverage")))
#else
#define UPSWEEP_EMULATED_UNSEEN __attribute__((noinline, no_sanitize_thread, no_sanitize_coverage))
#endif

// Words of CUDA that the emulator does not have: a use is an error of the compiler that says so.
namespace upsweep::emulated {
template <class>
inline constexpr bool never = false;
}  // namespace upsweep::emulated

#define UPSWEEP_EMULATED_REFUSE(word, why)                                               \
  template <class T = void, class... Arguments>                                          \
  T word(Arguments const&...) {                                                          \
    static_assert(upsweep::emulated::never<T>, "the emulator has no " #word "(): " why); \
  }
#define UPSWEEP_EMULATED_REFUSE_TEXTURE(word) \
  UPSWEEP_EMULATED_REFUSE(word, "read the texture's array from global memory")
UPSWEEP_EMULATED_REFUSE_TEXTURE(tex1D)
UPSWEEP_EMULATED_REFUSE_TEXTURE(tex1Dfetch)
UPSWEEP_EMULATED_REFUSE_TEXTURE(tex2D)
UPSWEEP_EMULATED_REFUSE_TEXTURE(tex2DLayered)
UPSWEEP_EMULATED_REFUSE_TEXTURE(tex3D)
UPSWEEP_EMULATED_REFUSE_TEXTURE(surf1Dread)
UPSWEEP_EMULATED_REFUSE_TEXTURE(surf1Dwrite)
UPSWEEP_EMULATED_REFUSE_TEXTURE(surf2Dread)
UPSWEEP_EMULATED_REFUSE_TEXTURE(surf2Dwrite)
UPSWEEP_EMULATED_REFUSE_TEXTURE(cudaCreateTextureObject)
UPSWEEP_EMULATED_REFUSE_TEXTURE(cudaCreateSurfaceObject)
UPSWEEP_EMULATED_REFUSE_TEXTURE(cudaBindTexture)
UPSWEEP_EMULATED_REFUSE(cudaMallocArray, "use cudaMalloc()")
UPSWEEP_EMULATED_REFUSE(cudaMalloc3D, "use cudaMalloc()")
UPSWEEP_EMULATED_REFUSE(cudaMalloc3DArray, "use cudaMalloc()")
UPSWEEP_EMULATED_REFUSE(cudaIpcGetMemHandle, "it emulates one process")
#undef UPSWEEP_EMULATED_REFUSE_TEXTURE
#undef UPSWEEP_EMULATED_REFUSE

typedef unsigned long long cudaTextureObject_t;
typedef unsigned long long cudaSurfaceObject_t;
