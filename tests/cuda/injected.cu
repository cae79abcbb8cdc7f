/// The wrapped calls. `__real_f` is CUDA's f; `__wrap_f` is what the library calls instead.
#include "injected.hpp"

#include <cuda_runtime_api.h>

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <map>
#include <mutex>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace upsweep::test::injected {
namespace {

struct failure {
  cudaError_t code;
  std::vector<std::string> words;  ///< what the library's message may say, after "cannot"
};
/// How each function fails.
std::map<std::string, failure> const& failures() {
  static std::map<std::string, failure> const all{
      {"cudaMallocAsync", {cudaErrorMemoryAllocation, {"allocate a workspace of "}}},
      {"cudaMemsetAsync", {cudaErrorInvalidValue, {"clear a workspace of "}}},
      {"cudaMemcpyAsync",
       {cudaErrorInvalidValue,
        {"copy temporary memory", "read temporary memory", "copy the number of runs"}}},
      {"cudaHostAlloc", {cudaErrorMemoryAllocation, {"allocate memory for a result"}}},
      {"cudaLaunchKernel", {cudaErrorLaunchOutOfResources, {"launch "}}},
      {"cudaStreamIsCapturing", {cudaErrorInvalidValue, {"query whether the stream is captured"}}},
      {"cudaStreamGetId", {cudaErrorInvalidResourceHandle, {"identify the stream"}}},
      {"cudaStreamGetDevice", {cudaErrorInvalidResourceHandle, {"query the device of the stream"}}},
      {"cudaGetDevice", {cudaErrorInitializationError, {"find a GPU", "query the current device"}}},
      {"cudaDeviceGetAttribute", {cudaErrorInvalidDevice, {"query device "}}},
      {"cudaFuncGetAttributes",
       {cudaErrorInvalidDeviceFunction, {"query the attributes of a kernel"}}},
      {"cudaFuncSetAttribute", {cudaErrorInvalidDeviceFunction, {"give a block "}}},
      {"cudaStreamSynchronize",
       {cudaErrorLaunchFailure,
        {"finish the reduction", "finish the work in the stream", "finish the selection",
         "finish the reduction by key", "finish the counts"}}},
      {"cudaFreeAsync", {cudaErrorInvalidValue, {"free a workspace"}}},
      {"cudaFree", {cudaErrorInvalidValue, {"free a workspace"}}},
      {"cudaFreeHost", {cudaErrorInvalidValue, {}}},
  };
  return all;
}

struct state {
  std::mutex mutex;
  bool counting = false, without_device = false, plays = true, recorded = false;
  int calls = 0, failing = 0, launches = 0;
  std::string failed;
  cudaError_t pending = cudaSuccess;
  std::set<void*> live;
};
state& now() {
  static auto* const it = new state;  // the slots of threads are freed later than any static object
  return *it;
}

bool is_played() {
  return now().plays && !has_gpu();
}

/// Counts a call of `function` and fails if its turn has come; otherwise does `real()`, or
/// `played()` where that replaces a GPU.
template <class Real, class Played>
cudaError_t call(char const* function, Real const& real, Played const& played) {
  {
    std::lock_guard const lock(now().mutex);
    cudaError_t code = cudaSuccess;
    if (now().without_device) {
      code = cudaErrorNoDevice;
    } else if (now().counting && ++now().calls == now().failing) {
      now().failed = function;
      code = failures().at(function).code;
    }
    if (function == std::string("cudaLaunchKernel")) ++now().launches;
    if (code != cudaSuccess) return now().pending = code;
  }
  return is_played() ? played() : real();
}

/// An allocation of the library.
template <class Real>
cudaError_t allocated(char const* function, void** memory, std::size_t bytes, Real const& real) {
  cudaError_t const code = call(function, real, [&] {
    *memory = std::calloc(1, bytes);
    return cudaSuccess;
  });
  std::lock_guard const lock(now().mutex);
  if (code == cudaSuccess) now().live.insert(*memory);
  return code;
}
/// Memory counts as freed even if freeing it fails, because the library can do no more.
template <class Real>
cudaError_t freed(char const* function, void* memory, Real const& real) {
  bool ours = false;
  {
    std::lock_guard const lock(now().mutex);
    ours = now().live.erase(memory) > 0;
  }
  auto const played = [&] {
    if (ours) std::free(memory);
    return cudaSuccess;
  };
  cudaError_t const code = call(function, real, played);
  if (code != cudaSuccess) (void)(is_played() ? played() : real());
  return code;
}

cudaError_t nothing() {
  return cudaSuccess;
}

}  // namespace

void start(int k) {
  std::lock_guard const lock(now().mutex);
  now().counting = true;
  now().calls = now().launches = 0;
  now().failing = k;
  now().failed.clear();
  now().pending = cudaSuccess;
}
void start_without_device() {
  std::lock_guard const lock(now().mutex);
  now().without_device = true;
}
std::string stop() {
  std::lock_guard const lock(now().mutex);
  now().counting = now().without_device = false;
  return now().failed;
}
int launches() {
  std::lock_guard const lock(now().mutex);
  return now().launches;
}
bool names(std::string const& function, std::string const& sentence) {
  auto const& all = failures().at(function).words;
  return std::any_of(all.begin(), all.end(), [&](std::string const& words) {
    return sentence.find("cannot " + words) != std::string::npos;
  });
}
int code_for(std::string const& function) {
  return failures().at(function).code;
}
bool is_free(std::string const& function) {
  return function.find("Free") != std::string::npos;
}
std::size_t live() {
  std::lock_guard const lock(now().mutex);
  return now().live.size();
}
bool left_an_error() {
  return cudaGetLastError() != cudaSuccess;
}
bool has_gpu() {
  static bool const found = [] {
    int devices = 0;
    return cudaGetDeviceCount(&devices) == cudaSuccess && devices > 0;
  }();
  return found;
}
void play_recording(bool recorded) {
  now().recorded = recorded;
}
void play(bool yes) {
  now().plays = yes;
}

}  // namespace upsweep::test::injected

using namespace upsweep::test::injected;

extern "C" {

cudaError_t __real_cudaMallocAsync(void**, std::size_t, cudaStream_t);
cudaError_t __wrap_cudaMallocAsync(void** memory, std::size_t bytes, cudaStream_t stream) {
  return allocated("cudaMallocAsync", memory, bytes,
                   [&] { return __real_cudaMallocAsync(memory, bytes, stream); });
}
cudaError_t __real_cudaHostAlloc(void**, std::size_t, unsigned);
cudaError_t __wrap_cudaHostAlloc(void** memory, std::size_t bytes, unsigned flags) {
  return allocated("cudaHostAlloc", memory, bytes,
                   [&] { return __real_cudaHostAlloc(memory, bytes, flags); });
}
cudaError_t __real_cudaFreeAsync(void*, cudaStream_t);
cudaError_t __wrap_cudaFreeAsync(void* memory, cudaStream_t stream) {
  return freed("cudaFreeAsync", memory, [&] { return __real_cudaFreeAsync(memory, stream); });
}
cudaError_t __real_cudaFree(void*);
cudaError_t __wrap_cudaFree(void* memory) {
  return freed("cudaFree", memory, [&] { return __real_cudaFree(memory); });
}
cudaError_t __real_cudaFreeHost(void*);
cudaError_t __wrap_cudaFreeHost(void* memory) {
  return freed("cudaFreeHost", memory, [&] { return __real_cudaFreeHost(memory); });
}
cudaError_t __real_cudaMemsetAsync(void*, int, std::size_t, cudaStream_t);
cudaError_t __wrap_cudaMemsetAsync(void* memory, int value, std::size_t bytes,
                                   cudaStream_t stream) {
  return call(
      "cudaMemsetAsync", [&] { return __real_cudaMemsetAsync(memory, value, bytes, stream); },
      nothing);
}
cudaError_t __real_cudaMemcpyAsync(void*, void const*, std::size_t, cudaMemcpyKind, cudaStream_t);
cudaError_t __wrap_cudaMemcpyAsync(void* to, void const* from, std::size_t bytes,
                                   cudaMemcpyKind kind, cudaStream_t stream) {
  return call(
      "cudaMemcpyAsync", [&] { return __real_cudaMemcpyAsync(to, from, bytes, kind, stream); },
      nothing);
}
cudaError_t __real_cudaStreamSynchronize(cudaStream_t);
cudaError_t __wrap_cudaStreamSynchronize(cudaStream_t stream) {
  return call(
      "cudaStreamSynchronize", [&] { return __real_cudaStreamSynchronize(stream); }, nothing);
}
cudaError_t __real_cudaStreamIsCapturing(cudaStream_t, cudaStreamCaptureStatus*);
cudaError_t __wrap_cudaStreamIsCapturing(cudaStream_t stream, cudaStreamCaptureStatus* status) {
  return call(
      "cudaStreamIsCapturing", [&] { return __real_cudaStreamIsCapturing(stream, status); },
      [&] {
        *status = now().recorded ? cudaStreamCaptureStatusActive : cudaStreamCaptureStatusNone;
        return cudaSuccess;
      });
}
cudaError_t __real_cudaStreamGetId(cudaStream_t, unsigned long long*);
cudaError_t __wrap_cudaStreamGetId(cudaStream_t stream, unsigned long long* id) {
  return call(
      "cudaStreamGetId", [&] { return __real_cudaStreamGetId(stream, id); },
      [&] {
        *id = reinterpret_cast<std::uintptr_t>(stream) + 1;
        return cudaSuccess;
      });
}
cudaError_t __real_cudaStreamGetDevice(cudaStream_t, int*);
cudaError_t __wrap_cudaStreamGetDevice(cudaStream_t stream, int* device) {
  return call(
      "cudaStreamGetDevice", [&] { return __real_cudaStreamGetDevice(stream, device); },
      [&] {
        *device = 0;
        return cudaSuccess;
      });
}
cudaError_t __real_cudaGetDevice(int*);
cudaError_t __wrap_cudaGetDevice(int* device) {
  return call(
      "cudaGetDevice", [&] { return __real_cudaGetDevice(device); },
      [&] {
        *device = 0;
        return cudaSuccess;
      });
}
cudaError_t __real_cudaDeviceGetAttribute(int*, cudaDeviceAttr, int);
cudaError_t __wrap_cudaDeviceGetAttribute(int* value, cudaDeviceAttr attribute, int device) {
  return call(
      "cudaDeviceGetAttribute",
      [&] { return __real_cudaDeviceGetAttribute(value, attribute, device); },
      [&] {  // an H200
        *value = attribute == cudaDevAttrMultiProcessorCount            ? 132
                 : attribute == cudaDevAttrComputeCapabilityMajor       ? 9
                 : attribute == cudaDevAttrMaxSharedMemoryPerBlockOptin ? 232448
                                                                        : 0;
        return cudaSuccess;
      });
}
cudaError_t __real_cudaFuncGetAttributes(cudaFuncAttributes*, void const*);
cudaError_t __wrap_cudaFuncGetAttributes(cudaFuncAttributes* found, void const* kernel) {
  return call(
      "cudaFuncGetAttributes", [&] { return __real_cudaFuncGetAttributes(found, kernel); },
      nothing);
}
cudaError_t __real_cudaFuncSetAttribute(void const*, cudaFuncAttribute, int);
cudaError_t __wrap_cudaFuncSetAttribute(void const* kernel, cudaFuncAttribute attribute,
                                        int value) {
  return call(
      "cudaFuncSetAttribute", [&] { return __real_cudaFuncSetAttribute(kernel, attribute, value); },
      nothing);
}

// Launches: kernel<<<...>>> goes through the first four of these, the library's own calls through
// the last two.
unsigned __real___cudaPushCallConfiguration(dim3, dim3, std::size_t, CUstream_st*);
unsigned __wrap___cudaPushCallConfiguration(dim3 grid, dim3 block, std::size_t shared,
                                            CUstream_st* stream) {
  return is_played() ? 0 : __real___cudaPushCallConfiguration(grid, block, shared, stream);
}
cudaError_t __real___cudaPopCallConfiguration(dim3*, dim3*, std::size_t*, void*);
cudaError_t __wrap___cudaPopCallConfiguration(dim3* grid, dim3* block, std::size_t* shared,
                                              void* stream) {
  return is_played() ? cudaSuccess : __real___cudaPopCallConfiguration(grid, block, shared, stream);
}
cudaError_t __real___cudaGetKernel(cudaKernel_t*, void const*);
cudaError_t __wrap___cudaGetKernel(cudaKernel_t* kernel, void const* function) {
  return is_played() ? cudaSuccess : __real___cudaGetKernel(kernel, function);
}
cudaError_t __real___cudaLaunchKernel(cudaKernel_t, dim3, dim3, void**, std::size_t, cudaStream_t);
cudaError_t __wrap___cudaLaunchKernel(cudaKernel_t kernel, dim3 grid, dim3 block, void** arguments,
                                      std::size_t shared, cudaStream_t stream) {
  return call(
      "cudaLaunchKernel",
      [&] { return __real___cudaLaunchKernel(kernel, grid, block, arguments, shared, stream); },
      nothing);
}
cudaError_t __real_cudaLaunchKernel(void const*, dim3, dim3, void**, std::size_t, cudaStream_t);
cudaError_t __wrap_cudaLaunchKernel(void const* kernel, dim3 grid, dim3 block, void** arguments,
                                    std::size_t shared, cudaStream_t stream) {
  return call(
      "cudaLaunchKernel",
      [&] { return __real_cudaLaunchKernel(kernel, grid, block, arguments, shared, stream); },
      nothing);
}
cudaError_t __real_cudaLaunchKernelExC(cudaLaunchConfig_t const*, void const*, void**);
cudaError_t __wrap_cudaLaunchKernelExC(cudaLaunchConfig_t const* configuration, void const* kernel,
                                       void** arguments) {
  return call(
      "cudaLaunchKernel",
      [&] { return __real_cudaLaunchKernelExC(configuration, kernel, arguments); }, nothing);
}
cudaError_t __real_cudaGetLastError();
cudaError_t __wrap_cudaGetLastError() {
  cudaError_t const injected_one = std::exchange(now().pending, cudaSuccess);
  if (injected_one != cudaSuccess) return injected_one;
  return is_played() ? cudaSuccess : __real_cudaGetLastError();
}

}  // extern "C"
