/// Copies of 16 bytes from global to shared memory that run in the background. On the emulator they
/// are ordinary loads and stores.
#pragma once

#include <upsweep/simt/kernel.hpp>

namespace upsweep::device {

#ifdef __NVCC__
/// The address of shared memory as PTX instructions take it.
template <class T>
__device__ unsigned shared_address(T const* p) {
  return static_cast<unsigned>(__cvta_generic_to_shared(p));
}
#endif

/// Called by one lane: starts the copy of `count` elements, at most 16 bytes, to shared memory,
/// where source and destination are aligned to 16 bytes.
template <class T>
__device__ void copy_vector(T* to, T const* from, unsigned count) {
#ifdef __NVCC__
  asm volatile("cp.async.cg.shared.global [%0], [%1], 16, %2;" ::"r"(shared_address(to)), "l"(from),
               "r"(count * static_cast<unsigned>(sizeof(T)))
               : "memory");
#else
  for (unsigned i = 0; i < count; ++i) to[i] = from[i];
#endif
}

/// Ends a group of the copies that this lane has started.
__forceinline__ __device__ void commit_copies() {
#ifdef __NVCC__
  asm volatile("cp.async.commit_group;" ::: "memory");
#endif
}

/// Waits for the copies that this lane has started, but for those of the last group.
__forceinline__ __device__ void wait_for_older_copies() {
#ifdef __NVCC__
  asm volatile("cp.async.wait_group 1;" ::: "memory");
#endif
}

}  // namespace upsweep::device
