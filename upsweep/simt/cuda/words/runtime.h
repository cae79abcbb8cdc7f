/// The host's calls of CUDA's runtime: memory, errors, devices, streams, events.
#pragma once

#include "indices.h"

enum cudaError_t {
  cudaSuccess = 0,
  cudaErrorInvalidValue = 1,
  cudaErrorMemoryAllocation = 2,
  cudaErrorInvalidConfiguration = 9,
  cudaErrorLaunchFailure = 719
};
typedef cudaError_t cudaError;

enum cudaMemcpyKind {
  cudaMemcpyHostToHost,
  cudaMemcpyHostToDevice,
  cudaMemcpyDeviceToHost,
  cudaMemcpyDeviceToDevice,
  cudaMemcpyDefault
};

typedef struct CUstream_st* cudaStream_t;

namespace upsweep::emulated {

template <class T>
inline constexpr std::size_t size_of_element = sizeof(T);
template <>
inline constexpr std::size_t size_of_element<void> = 0;

template <class T>
cudaError_t allocate(T** place, std::size_t bytes, char const* expression) {
  return static_cast<cudaError_t>(upsweep_emulated_allocate(reinterpret_cast<void**>(place), bytes,
                                                            size_of_element<T>, expression, 0));
}

}  // namespace upsweep::emulated

// A macro, because the buffer is named after the variable.
#define cudaMalloc(place, ...) ::upsweep::emulated::allocate(place, __VA_ARGS__, #place)

template <class T>
cudaError_t cudaMallocManaged(T** place, std::size_t bytes, unsigned = 1) {
  return static_cast<cudaError_t>(upsweep_emulated_allocate(reinterpret_cast<void**>(place), bytes,
                                                            upsweep::emulated::size_of_element<T>,
                                                            "managed memory", 1));
}
inline cudaError_t cudaFree(void* place) {
  return static_cast<cudaError_t>(upsweep_emulated_release(place));
}
inline cudaError_t cudaMemcpy(void* to, void const* from, std::size_t bytes, cudaMemcpyKind) {
  return static_cast<cudaError_t>(upsweep_emulated_host_copy(to, from, bytes));
}
inline cudaError_t cudaMemcpyAsync(void* to, void const* from, std::size_t bytes, cudaMemcpyKind,
                                   cudaStream_t = nullptr) {
  return static_cast<cudaError_t>(upsweep_emulated_host_copy(to, from, bytes));
}
inline cudaError_t cudaMemset(void* to, int value, std::size_t bytes) {
  return static_cast<cudaError_t>(upsweep_emulated_host_set(to, value, bytes));
}
inline cudaError_t cudaMemsetAsync(void* to, int value, std::size_t bytes, cudaStream_t = nullptr) {
  return static_cast<cudaError_t>(upsweep_emulated_host_set(to, value, bytes));
}
template <class T>
cudaError_t cudaMemcpyToSymbol(T& symbol, void const* from, std::size_t bytes,
                               std::size_t offset = 0, cudaMemcpyKind = cudaMemcpyHostToDevice) {
  return static_cast<cudaError_t>(
      upsweep_emulated_host_copy(reinterpret_cast<char*>(&symbol) + offset, from, bytes));
}
template <class T>
cudaError_t cudaMemcpyFromSymbol(void* to, T const& symbol, std::size_t bytes,
                                 std::size_t offset = 0, cudaMemcpyKind = cudaMemcpyDeviceToHost) {
  return static_cast<cudaError_t>(
      upsweep_emulated_host_copy(to, reinterpret_cast<char const*>(&symbol) + offset, bytes));
}

inline cudaError_t cudaGetLastError() {
  return static_cast<cudaError_t>(upsweep_emulated_last_error(1));
}
inline cudaError_t cudaPeekAtLastError() {
  return static_cast<cudaError_t>(upsweep_emulated_last_error(0));
}
/// Launches are complete when they return.
inline cudaError_t cudaDeviceSynchronize() {
  return cudaPeekAtLastError();
}
inline char const* cudaGetErrorName(cudaError_t error) {
  switch (error) {
    case cudaSuccess:
      return "cudaSuccess";
    case cudaErrorInvalidValue:
      return "cudaErrorInvalidValue";
    case cudaErrorMemoryAllocation:
      return "cudaErrorMemoryAllocation";
    case cudaErrorInvalidConfiguration:
      return "cudaErrorInvalidConfiguration";
    case cudaErrorLaunchFailure:
      return "cudaErrorLaunchFailure";
  }
  return "unrecognized error code";
}
inline char const* cudaGetErrorString(cudaError_t error) {
  switch (error) {
    case cudaSuccess:
      return "no error";
    case cudaErrorInvalidValue:
      return "invalid argument";
    case cudaErrorMemoryAllocation:
      return "out of memory";
    case cudaErrorInvalidConfiguration:
      return "invalid configuration argument";
    case cudaErrorLaunchFailure:
      return "unspecified launch failure";
  }
  return "unrecognized error code";
}
