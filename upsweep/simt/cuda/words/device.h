/// The device, whose limits upsweep/sim/device.cpp lists.
#pragma once

#include "runtime_types.h"

#include <cstddef>
#include <cstdio>

struct cudaDeviceProp {
  char name[256];
  std::size_t totalGlobalMem, sharedMemPerBlock, sharedMemPerBlockOptin;
  std::size_t sharedMemPerMultiprocessor, reservedSharedMemPerBlock, totalConstMem, memPitch;
  std::size_t textureAlignment, texturePitchAlignment;
  int major, minor, multiProcessorCount, warpSize;
  int regsPerBlock, regsPerMultiprocessor;
  int maxThreadsPerBlock, maxThreadsPerMultiProcessor, maxBlocksPerMultiProcessor;
  int maxThreadsDim[3], maxGridSize[3];
  int clockRate, memoryClockRate, memoryBusWidth, l2CacheSize, persistingL2CacheMaxSize;
  int concurrentKernels, asyncEngineCount, deviceOverlap, unifiedAddressing, managedMemory;
  int concurrentManagedAccess, pageableMemoryAccess, cooperativeLaunch, clusterLaunch;
  int canMapHostMemory, hostRegisterSupported, streamPrioritiesSupported, memoryPoolsSupported;
  int globalL1CacheSupported, localL1CacheSupported, computePreemptionSupported;
  int computeMode, integrated, ECCEnabled, tccDriver, isMultiGpuBoard, kernelExecTimeoutEnabled;
  int pciBusID, pciDeviceID, pciDomainID;
};

/// The attributes that the device `d` has, and their values.
// clang-format off
#define UPSWEEP_EMULATED_ATTRIBUTES(f) \
  f(MaxThreadsPerBlock, 1, 1024) \
  f(MaxBlockDimX, 2, 1024) \
  f(MaxBlockDimY, 3, 1024) \
  f(MaxBlockDimZ, 4, 64) \
  f(MaxGridDimX, 5, 2147483647) \
  f(MaxGridDimY, 6, 65535) \
  f(MaxGridDimZ, 7, 65535) \
  f(MaxSharedMemoryPerBlock, 8, 49152) \
  f(TotalConstantMemory, 9, 65536) \
  f(WarpSize, 10, 32) \
  f(MaxPitch, 11, 2147483647) \
  f(MaxRegistersPerBlock, 12, 65536) \
  f(ClockRate, 13, d.clock) \
  f(GpuOverlap, 15, 1) \
  f(MultiProcessorCount, 16, d.multiprocessors) \
  f(KernelExecTimeout, 17, 0) \
  f(Integrated, 18, 0) \
  f(CanMapHostMemory, 19, 1) \
  f(ComputeMode, 20, 0) \
  f(ConcurrentKernels, 31, 1) \
  f(EccEnabled, 32, 1) \
  f(MemoryClockRate, 36, d.memory_clock) \
  f(GlobalMemoryBusWidth, 37, d.memory_bus) \
  f(L2CacheSize, 38, d.l2_bytes) \
  f(MaxThreadsPerMultiProcessor, 39, d.threads) \
  f(AsyncEngineCount, 40, 3) \
  f(UnifiedAddressing, 41, 1) \
  f(ComputeCapabilityMajor, 75, d.major) \
  f(ComputeCapabilityMinor, 76, d.minor) \
  f(StreamPrioritiesSupported, 78, 1) \
  f(GlobalL1CacheSupported, 79, 1) \
  f(LocalL1CacheSupported, 80, 1) \
  f(MaxSharedMemoryPerMultiprocessor, 81, static_cast<int>(d.shared_bytes)) \
  f(MaxRegistersPerMultiprocessor, 82, 65536) \
  f(ManagedMemory, 83, 1) \
  f(IsMultiGpuBoard, 84, 0) \
  f(PageableMemoryAccess, 88, 0) \
  f(ConcurrentManagedAccess, 89, 1) \
  f(ComputePreemptionSupported, 90, 1) \
  f(CooperativeLaunch, 95, 1) \
  f(MaxSharedMemoryPerBlockOptin, 97, static_cast<int>(d.shared_bytes - d.reserved_bytes)) \
  f(HostRegisterSupported, 99, 1) \
  f(MaxBlocksPerMultiprocessor, 106, d.blocks) \
  f(ReservedSharedMemoryPerBlock, 111, static_cast<int>(d.reserved_bytes)) \
  f(MemoryPoolsSupported, 115, 1) \
  f(ClusterLaunch, 120, d.most_cluster > 0)
// clang-format on

#define UPSWEEP_EMULATED_ATTRIBUTE(name, number, value) cudaDevAttr##name = number,
enum cudaDeviceAttr { UPSWEEP_EMULATED_ATTRIBUTES(UPSWEEP_EMULATED_ATTRIBUTE) };
#undef UPSWEEP_EMULATED_ATTRIBUTE

inline cudaError_t cudaDeviceGetAttribute(int* value, cudaDeviceAttr attribute, int device) {
  if (device != 0) return upsweep::emulated::failed(cudaErrorInvalidDevice);
  upsweep_emulated_device const& d = *upsweep_emulated_current_device();
  switch (attribute) {
#define UPSWEEP_EMULATED_ATTRIBUTE(name, number, is) \
  case cudaDevAttr##name:                            \
    *value = is;                                     \
    return cudaSuccess;
    UPSWEEP_EMULATED_ATTRIBUTES(UPSWEEP_EMULATED_ATTRIBUTE)
#undef UPSWEEP_EMULATED_ATTRIBUTE
  }
  return upsweep::emulated::failed(cudaErrorInvalidValue);
}

namespace upsweep::emulated {

inline cudaDeviceProp properties_of(upsweep_emulated_device const& d) {
  cudaDeviceProp p{.totalGlobalMem = d.memory_bytes,
                   .sharedMemPerBlock = 49152,
                   .sharedMemPerBlockOptin = d.shared_bytes - d.reserved_bytes,
                   .sharedMemPerMultiprocessor = d.shared_bytes,
                   .reservedSharedMemPerBlock = d.reserved_bytes,
                   .totalConstMem = 65536,
                   .memPitch = 2147483647,
                   .textureAlignment = 512,
                   .texturePitchAlignment = 32,
                   .major = d.major,
                   .minor = d.minor,
                   .multiProcessorCount = d.multiprocessors,
                   .warpSize = 32,
                   .regsPerBlock = 65536,
                   .regsPerMultiprocessor = 65536,
                   .maxThreadsPerBlock = 1024,
                   .maxThreadsPerMultiProcessor = d.threads,
                   .maxBlocksPerMultiProcessor = d.blocks,
                   .maxThreadsDim = {1024, 1024, 64},
                   .maxGridSize = {2147483647, 65535, 65535},
                   .clockRate = d.clock,
                   .memoryClockRate = d.memory_clock,
                   .memoryBusWidth = d.memory_bus,
                   .l2CacheSize = d.l2_bytes,
                   .concurrentKernels = 1,
                   .asyncEngineCount = 3,
                   .deviceOverlap = 1,
                   .unifiedAddressing = 1,
                   .managedMemory = 1,
                   .concurrentManagedAccess = 1,
                   .cooperativeLaunch = 1,
                   .clusterLaunch = d.most_cluster > 0,
                   .canMapHostMemory = 1,
                   .hostRegisterSupported = 1,
                   .streamPrioritiesSupported = 1,
                   .memoryPoolsSupported = 1,
                   .globalL1CacheSupported = 1,
                   .localL1CacheSupported = 1,
                   .computePreemptionSupported = 1,
                   .ECCEnabled = 1};
  std::snprintf(p.name, sizeof p.name, "%s (Upsweep's emulator)", d.name);
  return p;
}

}  // namespace upsweep::emulated

inline cudaError_t cudaGetDeviceProperties(cudaDeviceProp* properties, int device) {
  if (device != 0) return upsweep::emulated::failed(cudaErrorInvalidDevice);
  *properties = upsweep::emulated::properties_of(*upsweep_emulated_current_device());
  return cudaSuccess;
}
inline cudaError_t cudaGetDeviceCount(int* count) {
  *count = 1;
  return cudaSuccess;
}
inline cudaError_t cudaGetDevice(int* device) {
  *device = 0;
  return cudaSuccess;
}
inline cudaError_t cudaSetDevice(int device) {
  return upsweep::emulated::failed(device == 0 ? cudaSuccess : cudaErrorInvalidDevice);
}
inline cudaError_t cudaChooseDevice(int* device, cudaDeviceProp const*) {
  return cudaGetDevice(device);
}
inline cudaError_t cudaSetDeviceFlags(unsigned) {
  return cudaSuccess;
}
inline cudaError_t cudaGetDeviceFlags(unsigned* flags) {
  *flags = cudaDeviceMapHost;
  return cudaSuccess;
}
/// Memory stays allocated.
inline cudaError_t cudaDeviceReset() {
  return cudaGetLastError();
}
// Their names until CUDA 10.
inline cudaError_t cudaThreadExit() {
  return cudaDeviceReset();
}
inline cudaError_t cudaDeviceCanAccessPeer(int* can, int, int) {
  *can = 0;
  return cudaSuccess;
}
inline cudaError_t cudaDeviceEnablePeerAccess(int, unsigned) {
  return upsweep::emulated::failed(cudaErrorInvalidDevice);
}
inline cudaError_t cudaDriverGetVersion(int* version) {
  *version = 13000;
  return cudaSuccess;
}
inline cudaError_t cudaRuntimeGetVersion(int* version) {
  *version = CUDART_VERSION;
  return cudaSuccess;
}
// Preferences that change no result.
inline cudaError_t cudaDeviceSetCacheConfig(cudaFuncCache) {
  return cudaSuccess;
}
inline cudaError_t cudaDeviceSetSharedMemConfig(cudaSharedMemConfig) {
  return cudaSuccess;
}
inline cudaError_t cudaDeviceSetLimit(cudaLimit limit, std::size_t bytes) {
  if (limit != cudaLimitMallocHeapSize) return cudaSuccess;
  return static_cast<cudaError_t>(upsweep_emulated_set_heap_limit(bytes));
}
inline cudaError_t cudaDeviceGetLimit(std::size_t* value, cudaLimit limit) {
  *value = limit == cudaLimitMallocHeapSize   ? upsweep_emulated_heap_limit()
           : limit == cudaLimitStackSize      ? 1024
           : limit == cudaLimitPrintfFifoSize ? std::size_t{1} << 20
                                              : 0;
  return cudaSuccess;
}
inline cudaError_t cudaThreadSetLimit(cudaLimit limit, std::size_t bytes) {
  return cudaDeviceSetLimit(limit, bytes);
}
inline cudaError_t cudaThreadGetLimit(std::size_t* value, cudaLimit limit) {
  return cudaDeviceGetLimit(value, limit);
}
inline cudaError_t cudaDeviceGetCacheConfig(cudaFuncCache* config) {
  *config = cudaFuncCachePreferNone;
  return cudaSuccess;
}
inline cudaError_t cudaThreadSetCacheConfig(cudaFuncCache) {
  return cudaSuccess;
}
inline cudaError_t cudaThreadGetCacheConfig(cudaFuncCache* config) {
  return cudaDeviceGetCacheConfig(config);
}
inline cudaError_t cudaDeviceGetSharedMemConfig(cudaSharedMemConfig* config) {
  *config = cudaSharedMemBankSizeFourByte;
  return cudaSuccess;
}
inline cudaError_t cudaDeviceGetStreamPriorityRange(int* least, int* greatest) {
  *least = 0;
  *greatest = -5;
  return cudaSuccess;
}
inline cudaError_t cudaProfilerStart() {
  return cudaSuccess;
}
inline cudaError_t cudaProfilerStop() {
  return cudaSuccess;
}
