/// The host's calls of CUDA's runtime: allocation and copies.
#pragma once

#include "device.h"
#include "streams.h"

#include <cstddef>
#include <type_traits>

namespace upsweep::emulated {

template <class T>
inline constexpr std::size_t size_of_element = sizeof(T);
template <>
inline constexpr std::size_t size_of_element<void> = 0;

template <class T>
cudaError_t allocate(T** place, std::size_t bytes, char const* expression,
                     bool is_managed = false) {
  int const error = upsweep_emulated_allocate(reinterpret_cast<void**>(place), bytes,
                                              size_of_element<T>, expression, is_managed);
  if constexpr (!std::is_void_v<T>)
    if (error == 0) upsweep_emulated_note_type(*place, &pointer_to<T>);
  return failed(error);
}
template <class T>
cudaError_t allocate_on(T** place, std::size_t bytes, cudaStream_t, char const* expression) {
  return allocate(place, bytes, expression);
}
template <class T>
cudaError_t allocate_rows(T** place, std::size_t* pitch, std::size_t width, std::size_t height,
                          char const* expression) {
  *pitch = (width + 511) / 512 * 512;
  return allocate(place, *pitch * height, expression);
}
template <class T>
cudaError_t allocate_managed(T** place, std::size_t bytes, char const* expression) {
  return allocate(place, bytes, expression, true);
}
template <class T>
cudaError_t allocate_managed(T** place, std::size_t bytes, unsigned, char const* expression) {
  return allocate(place, bytes, expression, true);
}

inline cudaError_t copy_at(unsigned long long at, void* to, void const* from, std::size_t bytes,
                           cudaMemcpyKind kind) {
  return static_cast<cudaError_t>(upsweep_emulated_host_copy(to, from, bytes, kind, at));
}
inline cudaError_t set_at(unsigned long long at, void* to, int value, std::size_t bytes) {
  return static_cast<cudaError_t>(upsweep_emulated_host_set(to, value, bytes, at));
}
UPSWEEP_EMULATED_WORD cudaError_t copy(void* to, void const* from, std::size_t bytes,
                                       cudaMemcpyKind kind) {
  upsweep_emulated_synchronize();
  return copy_at(upsweep_emulated_position(), to, from, bytes, kind);
}

}  // namespace upsweep::emulated

// Macros, because a buffer is named after its variable.
#define cudaMalloc(place, ...) ::upsweep::emulated::allocate(place, __VA_ARGS__, #place)
#define cudaMallocAsync(place, ...) ::upsweep::emulated::allocate_on(place, __VA_ARGS__, #place)
#define cudaMallocPitch(place, ...) ::upsweep::emulated::allocate_rows(place, __VA_ARGS__, #place)
#define cudaMallocManaged(place, ...) \
  ::upsweep::emulated::allocate_managed(place, __VA_ARGS__, #place)
// Pinned memory can be accessed by kernels too.
#define cudaMallocHost cudaMallocManaged
#define cudaHostAlloc cudaMallocManaged

UPSWEEP_EMULATED_WORD cudaError_t cudaFree(void* place) {
  return static_cast<cudaError_t>(upsweep_emulated_release(place));
}
UPSWEEP_EMULATED_WORD cudaError_t cudaFreeAsync(void* place, cudaStream_t) {
  return cudaFree(place);
}
UPSWEEP_EMULATED_WORD cudaError_t cudaFreeHost(void* place) {
  return cudaFree(place);
}
template <class T>
cudaError_t cudaHostGetDevicePointer(T** device, void* host, unsigned) {
  *device = static_cast<T*>(host);
  return cudaSuccess;
}
/// Registered memory stays the host's: kernels cannot access it here.
inline cudaError_t cudaHostRegister(void*, std::size_t, unsigned) {
  return cudaSuccess;
}
inline cudaError_t cudaHostUnregister(void*) {
  return cudaSuccess;
}

UPSWEEP_EMULATED_WORD cudaError_t cudaMemcpy(void* to, void const* from, std::size_t bytes,
                                             cudaMemcpyKind kind) {
  CUgraph_st* const captured = upsweep::emulated::forbidding_capture();
  if (captured != nullptr && !captured->is_complete)
    return upsweep::emulated::refused_while(
        captured, cudaErrorStreamCaptureImplicit,
        "cudaMemcpy() while a stream captures: it would wait for the captured work, which only "
        "runs when its graph is launched; use cudaMemcpyAsync() with the stream");
  return upsweep::emulated::copy(to, from, bytes, kind);
}
UPSWEEP_EMULATED_WORD cudaError_t cudaMemcpyAsync(void* to, void const* from, std::size_t bytes,
                                                  cudaMemcpyKind kind,
                                                  cudaStream_t stream = nullptr) {
  auto const at = upsweep_emulated_position();  // a captured copy runs elsewhere
  return upsweep::emulated::run_in(stream, cudaGraphNodeTypeMemcpy, [=] {
    cudaError_t const error = upsweep::emulated::copy_at(at, to, from, bytes, kind);
    if (error == cudaSuccess) upsweep_emulated_note_async_copy(to, from, bytes);
    return error;
  });
}
UPSWEEP_EMULATED_WORD cudaError_t cudaMemcpyPeer(void* to, int, void const* from, int,
                                                 std::size_t bytes) {
  return upsweep::emulated::copy(to, from, bytes, cudaMemcpyDeviceToDevice);
}
UPSWEEP_EMULATED_WORD cudaError_t cudaMemcpyPeerAsync(void* to, int, void const* from, int,
                                                      std::size_t bytes, cudaStream_t = nullptr) {
  return upsweep::emulated::copy(to, from, bytes, cudaMemcpyDeviceToDevice);
}
UPSWEEP_EMULATED_WORD cudaError_t cudaMemcpy2D(void* to, std::size_t to_pitch, void const* from,
                                               std::size_t from_pitch, std::size_t width,
                                               std::size_t height, cudaMemcpyKind kind) {
  auto const at = upsweep_emulated_position();
  upsweep_emulated_synchronize();
  if (width > to_pitch || width > from_pitch)
    return upsweep::emulated::failed(cudaErrorInvalidPitchValue);
  for (std::size_t row = 0; row < height; ++row) {
    cudaError_t const error =
        upsweep::emulated::copy_at(at, static_cast<char*>(to) + row * to_pitch,
                                   static_cast<char const*>(from) + row * from_pitch, width, kind);
    if (error != cudaSuccess) return error;
  }
  return cudaSuccess;
}
UPSWEEP_EMULATED_WORD cudaError_t cudaMemcpy2DAsync(void* to, std::size_t to_pitch,
                                                    void const* from, std::size_t from_pitch,
                                                    std::size_t width, std::size_t height,
                                                    cudaMemcpyKind kind, cudaStream_t = nullptr) {
  return cudaMemcpy2D(to, to_pitch, from, from_pitch, width, height, kind);
}
UPSWEEP_EMULATED_WORD cudaError_t cudaMemset(void* to, int value, std::size_t bytes) {
  if (upsweep::emulated::is_refused_in(nullptr)) return cudaErrorStreamCaptureImplicit;
  return upsweep::emulated::set_at(upsweep_emulated_position(), to, value, bytes);
}
UPSWEEP_EMULATED_WORD cudaError_t cudaMemsetAsync(void* to, int value, std::size_t bytes,
                                                  cudaStream_t stream = nullptr) {
  auto const at = upsweep_emulated_position();
  return upsweep::emulated::run_in(stream, cudaGraphNodeTypeMemset,
                                   [=] { return upsweep::emulated::set_at(at, to, value, bytes); });
}
UPSWEEP_EMULATED_WORD cudaError_t cudaMemset2D(void* to, std::size_t pitch, int value,
                                               std::size_t width, std::size_t height) {
  auto const at = upsweep_emulated_position();
  for (std::size_t row = 0; row < height; ++row) {
    cudaError_t const error =
        upsweep::emulated::set_at(at, static_cast<char*>(to) + row * pitch, value, width);
    if (error != cudaSuccess) return error;
  }
  return cudaSuccess;
}
UPSWEEP_EMULATED_WORD cudaError_t cudaMemset2DAsync(void* to, std::size_t pitch, int value,
                                                    std::size_t width, std::size_t height,
                                                    cudaStream_t = nullptr) {
  return cudaMemset2D(to, pitch, value, width, height);
}

template <class T>
cudaError_t cudaGetSymbolAddress(void** place, T const& symbol) {
  *place = const_cast<void*>(reinterpret_cast<void const volatile*>(&symbol));
  return cudaSuccess;
}
template <class T>
cudaError_t cudaGetSymbolSize(std::size_t* bytes, T const&) {
  *bytes = sizeof(T);
  return cudaSuccess;
}
template <class T>
UPSWEEP_EMULATED_WORD cudaError_t cudaMemcpyToSymbol(T& symbol, void const* from, std::size_t bytes,
                                                     std::size_t offset = 0,
                                                     cudaMemcpyKind kind = cudaMemcpyHostToDevice) {
  char* const to = reinterpret_cast<char*>(const_cast<std::remove_const_t<T>*>(&symbol));
  return upsweep::emulated::copy(to + offset, from, bytes, kind);
}
template <class T>
UPSWEEP_EMULATED_WORD cudaError_t cudaMemcpyToSymbolAsync(T& symbol, void const* from,
                                                          std::size_t bytes, std::size_t offset,
                                                          cudaMemcpyKind kind,
                                                          cudaStream_t = nullptr) {
  return cudaMemcpyToSymbol(symbol, from, bytes, offset, kind);
}
template <class T>
UPSWEEP_EMULATED_WORD cudaError_t
cudaMemcpyFromSymbol(void* to, T const& symbol, std::size_t bytes, std::size_t offset = 0,
                     cudaMemcpyKind kind = cudaMemcpyDeviceToHost) {
  return upsweep::emulated::copy(to, reinterpret_cast<char const*>(&symbol) + offset, bytes, kind);
}
template <class T>
UPSWEEP_EMULATED_WORD cudaError_t cudaMemcpyFromSymbolAsync(void* to, T const& symbol,
                                                            std::size_t bytes, std::size_t offset,
                                                            cudaMemcpyKind kind,
                                                            cudaStream_t = nullptr) {
  return cudaMemcpyFromSymbol(to, symbol, bytes, offset, kind);
}

inline cudaError_t cudaMemGetInfo(std::size_t* free, std::size_t* total) {
  *total = upsweep_emulated_current_device()->memory_bytes;
  *free = *total - upsweep_emulated_allocated_bytes();
  return cudaSuccess;
}
inline cudaError_t cudaPointerGetAttributes(cudaPointerAttributes* attributes, void const* p) {
  void* const place = const_cast<void*>(p);
  int const type = upsweep_emulated_memory_type(p);
  *attributes = {static_cast<cudaMemoryType>(type), type == cudaMemoryTypeUnregistered ? -2 : 0,
                 type == cudaMemoryTypeUnregistered ? nullptr : place,
                 type == cudaMemoryTypeDevice ? nullptr : place};
  return cudaSuccess;
}
// Memory does not move.
inline cudaError_t cudaMemPrefetchAsync(void const*, std::size_t, int, cudaStream_t = nullptr) {
  return cudaSuccess;
}
inline cudaError_t cudaMemPrefetchAsync(void const*, std::size_t, cudaMemLocation, unsigned,
                                        cudaStream_t = nullptr) {
  return cudaSuccess;
}
inline cudaError_t cudaMemAdvise(void const*, std::size_t, cudaMemoryAdvise, int) {
  return cudaSuccess;
}
inline cudaError_t cudaMemAdvise(void const*, std::size_t, cudaMemoryAdvise, cudaMemLocation) {
  return cudaSuccess;
}
