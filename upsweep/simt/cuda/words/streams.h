/// Streams and events. Work is complete when the call that starts it returns, so streams only keep
/// their order.
#pragma once

#include "errors.h"

#include <cstdlib>

/// Holds the number of steps that the emulator had executed when it was recorded.
struct CUevent_st {
  bool is_recorded, has_time;
  double milliseconds;
};

inline cudaError_t cudaStreamCreate(cudaStream_t* stream) {
  *stream = static_cast<cudaStream_t>(std::malloc(1));
  return cudaSuccess;
}
inline cudaError_t cudaStreamCreateWithFlags(cudaStream_t* stream, unsigned) {
  return cudaStreamCreate(stream);
}
inline cudaError_t cudaStreamCreateWithPriority(cudaStream_t* stream, unsigned, int) {
  return cudaStreamCreate(stream);
}
inline cudaError_t cudaStreamDestroy(cudaStream_t stream) {
  if (stream == nullptr) return upsweep::emulated::failed(cudaErrorInvalidResourceHandle);
  std::free(stream);
  return cudaSuccess;
}
inline cudaError_t cudaStreamSynchronize(cudaStream_t) {
  return cudaPeekAtLastError();
}
inline cudaError_t cudaStreamQuery(cudaStream_t) {
  return cudaPeekAtLastError();
}
inline cudaError_t cudaStreamWaitEvent(cudaStream_t, cudaEvent_t, unsigned = 0) {
  return cudaSuccess;
}
inline cudaError_t cudaStreamAttachMemAsync(cudaStream_t, void*, std::size_t = 0, unsigned = 4) {
  return cudaSuccess;
}
typedef void (*cudaHostFn_t)(void*);
inline cudaError_t cudaLaunchHostFunc(cudaStream_t, cudaHostFn_t f, void* data) {
  f(data);
  return cudaSuccess;
}
typedef void (*cudaStreamCallback_t)(cudaStream_t, cudaError_t, void*);
inline cudaError_t cudaStreamAddCallback(cudaStream_t stream, cudaStreamCallback_t f, void* data,
                                         unsigned) {
  f(stream, cudaPeekAtLastError(), data);
  return cudaSuccess;
}
/// Work cannot be recorded: it is complete when the call returns.
UPSWEEP_EMULATED_WORD cudaError_t cudaStreamBeginCapture(cudaStream_t, cudaStreamCaptureMode) {
  return static_cast<cudaError_t>(upsweep_emulated_fail(
      cudaErrorStreamCaptureUnsupported,
      "cudaStreamBeginCapture: the emulator has no graphs; launch the kernels in the stream"));
}
inline cudaError_t cudaStreamEndCapture(cudaStream_t, cudaGraph_t* graph) {
  *graph = nullptr;
  return upsweep::emulated::failed(cudaErrorStreamCaptureUnsupported);
}
inline cudaError_t cudaGraphInstantiate(cudaGraphExec_t* graph, cudaGraph_t,
                                        unsigned long long = 0) {
  *graph = nullptr;
  return upsweep::emulated::failed(cudaErrorNotSupported);
}
inline cudaError_t cudaGraphLaunch(cudaGraphExec_t, cudaStream_t) {
  return upsweep::emulated::failed(cudaErrorNotSupported);
}
inline cudaError_t cudaGraphDestroy(cudaGraph_t) {
  return cudaSuccess;
}
inline cudaError_t cudaGraphExecDestroy(cudaGraphExec_t) {
  return cudaSuccess;
}

inline cudaError_t cudaEventCreateWithFlags(cudaEvent_t* event, unsigned flags) {
  *event = static_cast<cudaEvent_t>(std::malloc(sizeof(CUevent_st)));
  **event = {false, (flags & cudaEventDisableTiming) == 0, 0};
  return cudaSuccess;
}
inline cudaError_t cudaEventCreate(cudaEvent_t* event, unsigned flags = cudaEventDefault) {
  return cudaEventCreateWithFlags(event, flags);
}
inline cudaError_t cudaEventDestroy(cudaEvent_t event) {
  if (event == nullptr) return upsweep::emulated::failed(cudaErrorInvalidResourceHandle);
  std::free(event);
  return cudaSuccess;
}
inline cudaError_t cudaEventRecord(cudaEvent_t event, cudaStream_t = nullptr) {
  if (event == nullptr) return upsweep::emulated::failed(cudaErrorInvalidResourceHandle);
  event->is_recorded = true;
  event->milliseconds = upsweep_emulated_milliseconds();
  return cudaSuccess;
}
inline cudaError_t cudaEventSynchronize(cudaEvent_t) {
  return cudaPeekAtLastError();
}
inline cudaError_t cudaEventQuery(cudaEvent_t) {
  return cudaPeekAtLastError();
}
/// No time of a GPU: a nanosecond for each step of a warp, and a microsecond for each launch.
inline cudaError_t cudaEventElapsedTime(float* milliseconds, cudaEvent_t start, cudaEvent_t end) {
  bool const is_valid = start != nullptr && end != nullptr && start->is_recorded &&
                        end->is_recorded && start->has_time && end->has_time;
  if (!is_valid) return upsweep::emulated::failed(cudaErrorInvalidResourceHandle);
  *milliseconds = static_cast<float>(end->milliseconds - start->milliseconds);
  return cudaSuccess;
}
