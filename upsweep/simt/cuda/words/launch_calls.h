/// Launches without <<<>>>, properties of kernels, occupancy.
#pragma once

#include "launch.h"

#include <cstddef>
#include <type_traits>
#include <utility>

namespace upsweep::emulated {

/// The values that an array of pointers leads to.
template <class... Parameters, std::size_t... i>
UPSWEEP_EMULATED_WORD int run_with(shape const& how, void (*kernel)(Parameters...),
                                   void** arguments, std::index_sequence<i...>) {
  return run_kernel("kernel", how, kernel,
                    *static_cast<std::remove_reference_t<Parameters>*>(arguments[i])...);
}
template <class... Parameters>
UPSWEEP_EMULATED_WORD int run_with(shape const& how, void (*kernel)(Parameters...),
                                   void** arguments) {
  return run_with(how, kernel, arguments, std::index_sequence_for<Parameters...>{});
}
/// The types of the parameters are lost: they are taken from the kernel's symbol.
UPSWEEP_EMULATED_WORD int run_with(shape how, void const* kernel, void** arguments) {
  how.at = upsweep_emulated_position();
  if (int const error = upsweep_emulated_check_launch("kernel", &how, kernel); error != 0)
    return error;
  upsweep_emulated_bound_kernel made;
  if (int const error = upsweep_emulated_bind(kernel, arguments, &made); error != 0) return error;
  return run_in(how.stream, cudaGraphNodeTypeKernel, [=] {
    return static_cast<cudaError_t>(upsweep_emulated_launch_bound(&made, &how));
  });
}

template <class... Parameters>
UPSWEEP_EMULATED_WORD int run_converted(shape const& how, void (*kernel)(Parameters...),
                                        std::type_identity_t<Parameters>... arguments) {
  return run_kernel("kernel", how, kernel, arguments...);
}

template <class Kernel>
void const* address(Kernel* kernel) {
  return reinterpret_cast<void const*>(kernel);
}

/// Blocks of a multiprocessor, of which threads, shared memory and the number of blocks are
/// limited. Registers are unknown.
inline int resident_blocks(void const* kernel, int threads, std::size_t dynamic_bytes) {
  upsweep_emulated_device const& d = *upsweep_emulated_current_device();
  std::size_t const bytes =
      upsweep_emulated_static_bytes(kernel) + dynamic_bytes + d.reserved_bytes;
  int const warps = (threads + 31) / 32;
  int const by_threads = threads < 1 || threads > 1024 ? 0 : d.threads / 32 / warps;
  int const blocks = by_threads < d.blocks ? by_threads : d.blocks;
  bool const has_room = bytes * static_cast<std::size_t>(blocks) <= d.shared_bytes;
  return has_room ? blocks : static_cast<int>(d.shared_bytes / bytes);
}

}  // namespace upsweep::emulated

template <class Kernel>
UPSWEEP_EMULATED_WORD cudaError_t cudaLaunchKernel(Kernel* kernel, dim3 blocks, dim3 threads,
                                                   void** arguments, std::size_t shared_bytes = 0,
                                                   cudaStream_t stream = nullptr) {
  upsweep::emulated::shape const how(blocks, threads, shared_bytes, stream);
  return static_cast<cudaError_t>(upsweep::emulated::run_with(how, kernel, arguments));
}
template <class Kernel>
UPSWEEP_EMULATED_WORD cudaError_t cudaLaunchCooperativeKernel(Kernel* kernel, dim3 blocks,
                                                              dim3 threads, void** arguments,
                                                              std::size_t shared_bytes = 0,
                                                              cudaStream_t stream = nullptr) {
  upsweep::emulated::shape how(blocks, threads, shared_bytes, stream);
  how.is_cooperative = 1;
  return static_cast<cudaError_t>(upsweep::emulated::run_with(how, kernel, arguments));
}
template <class... Parameters, class... Arguments>
UPSWEEP_EMULATED_WORD cudaError_t cudaLaunchKernelEx(cudaLaunchConfig_t const* config,
                                                     void (*kernel)(Parameters...),
                                                     Arguments&&... arguments) {
  upsweep::emulated::shape how(config->gridDim, config->blockDim, config->dynamicSmemBytes,
                               config->stream);
  for (unsigned i = 0; i < config->numAttrs; ++i) {
    cudaLaunchAttribute const& a = config->attrs[i];
    if (a.id == cudaLaunchAttributeCooperative) how.is_cooperative = a.val.cooperative;
    if (a.id != cudaLaunchAttributeClusterDimension) continue;
    how.cluster = {a.val.clusterDim.x, a.val.clusterDim.y, a.val.clusterDim.z};
  }
  return static_cast<cudaError_t>(
      upsweep::emulated::run_converted(how, kernel, static_cast<Arguments&&>(arguments)...));
}

template <class Kernel>
UPSWEEP_EMULATED_WORD cudaError_t cudaFuncSetAttribute(Kernel* kernel, cudaFuncAttribute attribute,
                                                       int value) {
  if (attribute != cudaFuncAttributeMaxDynamicSharedMemorySize) return cudaSuccess;
  return static_cast<cudaError_t>(
      upsweep_emulated_set_most_dynamic_bytes(upsweep::emulated::address(kernel), value));
}
template <class Kernel>
UPSWEEP_EMULATED_WORD cudaError_t cudaFuncSetCacheConfig(Kernel*, cudaFuncCache) {
  return cudaSuccess;
}
template <class Kernel>
UPSWEEP_EMULATED_WORD cudaError_t cudaFuncSetSharedMemConfig(Kernel*, cudaSharedMemConfig) {
  return cudaSuccess;
}
/// Registers and local memory are unknown, and said to be 0.
template <class Kernel>
UPSWEEP_EMULATED_WORD cudaError_t cudaFuncGetAttributes(cudaFuncAttributes* attributes,
                                                        Kernel* kernel) {
  void const* const k = upsweep::emulated::address(kernel);
  *attributes = {
      .sharedSizeBytes = upsweep_emulated_static_bytes(k),
      .maxThreadsPerBlock = 1024,
      .ptxVersion = __CUDA_ARCH__ / 10,
      .binaryVersion = __CUDA_ARCH__ / 10,
      .maxDynamicSharedSizeBytes = static_cast<int>(upsweep_emulated_most_dynamic_bytes(k)),
      .preferredShmemCarveout = -1};
  return cudaSuccess;
}

template <class Kernel>
UPSWEEP_EMULATED_WORD cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessor(
    int* blocks, Kernel* kernel, int threads, std::size_t dynamic_bytes) {
  *blocks = upsweep::emulated::resident_blocks(upsweep::emulated::address(kernel), threads,
                                               dynamic_bytes);
  return cudaSuccess;
}
template <class Kernel>
UPSWEEP_EMULATED_WORD cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(
    int* blocks, Kernel* kernel, int threads, std::size_t dynamic_bytes, unsigned) {
  return cudaOccupancyMaxActiveBlocksPerMultiprocessor(blocks, kernel, threads, dynamic_bytes);
}
/// The largest block with the most threads in a multiprocessor.
template <class Bytes, class Kernel>
UPSWEEP_EMULATED_WORD cudaError_t cudaOccupancyMaxPotentialBlockSizeVariableSMem(
    int* least_grid, int* threads, Kernel* kernel, Bytes bytes, int limit = 0) {
  int most = 0;
  for (int t = limit > 0 && limit < 1024 ? (limit + 31) / 32 * 32 : 1024; t >= 32; t -= 32) {
    int const blocks = upsweep::emulated::resident_blocks(upsweep::emulated::address(kernel), t,
                                                          static_cast<std::size_t>(bytes(t)));
    if (blocks * t <= most) continue;
    most = blocks * t;
    *threads = limit > 0 && t > limit ? limit : t;
    *least_grid = blocks * upsweep_emulated_current_device()->multiprocessors;
  }
  return cudaSuccess;
}
template <class Kernel>
UPSWEEP_EMULATED_WORD cudaError_t cudaOccupancyMaxPotentialBlockSize(int* least_grid, int* threads,
                                                                     Kernel* kernel,
                                                                     std::size_t dynamic_bytes = 0,
                                                                     int limit = 0) {
  return cudaOccupancyMaxPotentialBlockSizeVariableSMem(
      least_grid, threads, kernel, [=](int) { return dynamic_bytes; }, limit);
}
