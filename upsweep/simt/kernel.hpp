/// The vocabulary of kernels: CUDA C++ under nvcc and in modules of the emulator. Kernel files
/// include begin.hpp.
#pragma once

#include <upsweep/simt/packed.hpp>

#ifdef __CUDACC__
#include <upsweep/simt/device.hpp>
#elif !defined(UPSWEEP_SIMT_HANDLES)
namespace upsweep::simt {

/// A pointer to global memory, for host code.
template <class T>
using global = T*;

}  // namespace upsweep::simt
#else  // kernels with handles, which the grader compiles
#include <upsweep/simt/emulated/atomics.hpp>
#include <upsweep/simt/emulated/cluster.hpp>
#include <upsweep/simt/emulated/intrinsics.hpp>
#include <upsweep/simt/emulated/pointer.hpp>
#include <upsweep/simt/emulated/shared.hpp>
#include <upsweep/simt/emulated/warp.hpp>

namespace upsweep::simt {

/// A pointer to global memory: `T*` under nvcc.
template <class T>
using global = emulated::pointer<T>;
/// A pointer to shared memory, of this block or of another one of the cluster: `T*` under nvcc.
template <class T>
using shared_pointer = emulated::pointer<T>;
/// An array in the shared memory of a block, declared as `__shared__ shared<T, N> tile;`: `T[N]`
/// under nvcc.
template <class T, int N>
using shared = emulated::shared_array<T, static_cast<std::size_t>(N)> const;

using emulated::dynamic_shared;
using emulated::pointer_cast;
using emulated::shuffle;
using emulated::shuffle_down;
using emulated::shuffle_up;
using emulated::shuffle_xor;

}  // namespace upsweep::simt
#endif
