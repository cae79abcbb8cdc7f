/// The device, whose limits are those of an H200 (compute capability 9.0).
#pragma once

#include "errors.h"

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

/// The attributes that the device has, and their values.
#define UPSWEEP_EMULATED_ATTRIBUTES(f)                                                             \
  f(MaxThreadsPerBlock, 1, 1024) f(MaxBlockDimX, 2, 1024) f(MaxBlockDimY, 3, 1024)                 \
      f(MaxBlockDimZ, 4, 64) f(MaxGridDimX, 5, 2147483647) f(MaxGridDimY, 6, 65535)                \
          f(MaxGridDimZ, 7, 65535) f(MaxSharedMemoryPerBlock, 8, 49152) f(                         \
              TotalConstantMemory, 9, 65536) f(WarpSize, 10, 32) f(MaxPitch, 11, 2147483647)       \
              f(MaxRegistersPerBlock, 12, 65536) f(ClockRate, 13, 1980000) f(GpuOverlap, 15, 1) f( \
                  MultiProcessorCount, 16, 132) f(KernelExecTimeout, 17, 0) f(Integrated, 18, 0)   \
                  f(CanMapHostMemory, 19, 1) f(ComputeMode, 20, 0) f(ConcurrentKernels, 31, 1)     \
                      f(EccEnabled, 32, 1) f(MemoryClockRate, 36, 3201000) f(                      \
                          GlobalMemoryBusWidth, 37, 6144) f(L2CacheSize, 38, 62914560)             \
                          f(MaxThreadsPerMultiProcessor, 39, 2048) f(AsyncEngineCount, 40, 3) f(   \
                              UnifiedAddressing, 41, 1) f(ComputeCapabilityMajor, 75, 9)           \
                              f(ComputeCapabilityMinor, 76, 0) f(StreamPrioritiesSupported, 78, 1) \
                                  f(GlobalL1CacheSupported, 79, 1) f(LocalL1CacheSupported, 80, 1) \
                                      f(MaxSharedMemoryPerMultiprocessor, 81, 233472)              \
                                          f(MaxRegistersPerMultiprocessor, 82, 65536) f(           \
                                              ManagedMemory, 83, 1) f(IsMultiGpuBoard, 84, 0)      \
                                              f(PageableMemoryAccess, 88, 0) f(                    \
                                                  ConcurrentManagedAccess, 89, 1)                  \
                                                  f(ComputePreemptionSupported, 90, 1) f(          \
                                                      CooperativeLaunch, 95, 1)                    \
                                                      f(MaxSharedMemoryPerBlockOptin, 97, 232448)  \
                                                          f(HostRegisterSupported, 99, 1) f(       \
                                                              MaxBlocksPerMultiprocessor, 106, 32) \
                                                              f(ReservedSharedMemoryPerBlock, 111, \
                                                                1024)                              \
                                                                  f(MemoryPoolsSupported, 115, 1)  \
                                                                      f(ClusterLaunch, 120, 1)

#define UPSWEEP_EMULATED_ATTRIBUTE(name, number, value) cudaDevAttr##name = number,
enum cudaDeviceAttr { UPSWEEP_EMULATED_ATTRIBUTES(UPSWEEP_EMULATED_ATTRIBUTE) };
#undef UPSWEEP_EMULATED_ATTRIBUTE

inline cudaError_t cudaDeviceGetAttribute(int* value, cudaDeviceAttr attribute, int device) {
  if (device != 0) return upsweep::emulated::failed(cudaErrorInvalidDevice);
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

inline constexpr std::size_t device_bytes = 141UL << 30;
inline constexpr cudaDeviceProp h200{.name = "NVIDIA H200 (Upsweep's emulator)",
                                     .totalGlobalMem = device_bytes,
                                     .sharedMemPerBlock = 49152,
                                     .sharedMemPerBlockOptin = 232448,
                                     .sharedMemPerMultiprocessor = 233472,
                                     .reservedSharedMemPerBlock = 1024,
                                     .totalConstMem = 65536,
                                     .memPitch = 2147483647,
                                     .textureAlignment = 512,
                                     .texturePitchAlignment = 32,
                                     .major = 9,
                                     .multiProcessorCount = 132,
                                     .warpSize = 32,
                                     .regsPerBlock = 65536,
                                     .regsPerMultiprocessor = 65536,
                                     .maxThreadsPerBlock = 1024,
                                     .maxThreadsPerMultiProcessor = 2048,
                                     .maxBlocksPerMultiProcessor = 32,
                                     .maxThreadsDim = {1024, 1024, 64},
                                     .maxGridSize = {2147483647, 65535, 65535},
                                     .clockRate = 1980000,
                                     .memoryClockRate = 3201000,
                                     .memoryBusWidth = 6144,
                                     .l2CacheSize = 62914560,
                                     .concurrentKernels = 1,
                                     .asyncEngineCount = 3,
                                     .deviceOverlap = 1,
                                     .unifiedAddressing = 1,
                                     .managedMemory = 1,
                                     .concurrentManagedAccess = 1,
                                     .cooperativeLaunch = 1,
                                     .clusterLaunch = 1,
                                     .canMapHostMemory = 1,
                                     .hostRegisterSupported = 1,
                                     .streamPrioritiesSupported = 1,
                                     .memoryPoolsSupported = 1,
                                     .globalL1CacheSupported = 1,
                                     .localL1CacheSupported = 1,
                                     .computePreemptionSupported = 1,
                                     .ECCEnabled = 1};

}  // namespace upsweep::emulated

inline cudaError_t cudaGetDeviceProperties(cudaDeviceProp* properties, int device) {
  if (device != 0) return upsweep::emulated::failed(cudaErrorInvalidDevice);
  *properties = upsweep::emulated::h200;
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
/// Launches are complete when they return.
inline cudaError_t cudaDeviceSynchronize() {
  return cudaPeekAtLastError();
}
/// Memory stays allocated.
inline cudaError_t cudaDeviceReset() {
  return cudaGetLastError();
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
inline cudaError_t cudaDeviceSetLimit(cudaLimit, std::size_t) {
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
