/// Streams and events. Work is complete when the call that starts it returns, so streams only keep
/// their order; whether the host has waited for it matters to the checks alone. While a stream
/// captures, its work is recorded in a graph instead, each piece after the one before, which keeps
/// every dependence.
#pragma once

#include "graphs.h"

#include <cstdlib>

/// `captured`: the graph that its work becomes a part of, until it is complete. Work in the default
/// stream waits for a stream that `is_blocking`.
struct CUstream_st {
  CUgraph_st* captured;
  bool is_blocking;
};
/// Holds the number of steps that the emulator had executed when it was recorded.
struct CUevent_st {
  bool is_recorded, has_time;
  double milliseconds;
  CUgraph_st* captured;
};

namespace upsweep::emulated {

/// The graph that the stream's work is recorded in, or null.
inline CUgraph_st* graph_of(cudaStream_t stream) {
  bool const is_default =
      stream == nullptr || stream == cudaStreamLegacy || stream == cudaStreamPerThread;
  CUgraph_st* const graph = is_default ? nullptr : stream->captured;
  return graph == nullptr || graph->is_complete ? nullptr : graph;
}
/// The graph of the last capture that forbids unsafe calls of the whole program, or null.
inline CUgraph_st*& forbidding_capture() {
  static CUgraph_st* graph = nullptr;
  return graph;
}
/// The graph of the last capture in a stream that work in the default stream waits for, or null.
inline CUgraph_st*& blocking_capture() {
  static CUgraph_st* graph = nullptr;
  return graph;
}
/// What waits for work: for that which a capture only records it fails, and so does the capture.
UPSWEEP_EMULATED_WORD cudaError_t refused_while(CUgraph_st* graph, cudaError_t error,
                                                char const* sentence) {
  if (graph == nullptr || graph->is_complete) {
    upsweep_emulated_synchronize();
    return cudaPeekAtLastError();
  }
  graph->is_invalid = true;
  return static_cast<cudaError_t>(upsweep_emulated_fail(error, sentence));
}
#define UPSWEEP_EMULATED_NOT_WHILE(graph, word)                                          \
  ::upsweep::emulated::refused_while(                                                    \
      graph, cudaErrorStreamCaptureUnsupported,                                          \
      word                                                                               \
      "() while a stream captures: captured work only runs when its graph is launched, " \
      "so there is nothing to wait for, and the capture becomes invalid")
/// Work in the default stream would wait for captured work that only runs later.
UPSWEEP_EMULATED_WORD bool is_refused_in(cudaStream_t stream) {
  CUgraph_st* const captured = blocking_capture();
  bool const is_legacy = stream == nullptr || stream == cudaStreamLegacy;
  if (!is_legacy || captured == nullptr || captured->is_complete) return false;
  static_cast<void>(refused_while(
      captured, cudaErrorStreamCaptureImplicit,
      "work in the default stream while another stream captures: it would wait for the captured "
      "work, which only runs when its graph is launched; give the capturing stream, or create that "
      "with cudaStreamNonBlocking"));
  return true;
}
/// Runs the work, or records it after all that its graph has.
template <class Work>
UPSWEEP_EMULATED_WORD cudaError_t run_in(cudaStream_t stream, cudaGraphNodeType type, Work work) {
  if (is_refused_in(stream)) return cudaErrorStreamCaptureImplicit;
  CUgraph_st* const graph = graph_of(stream);
  if (graph == nullptr) return work();
  CUgraphNode_st* const before = graph->last;
  return new_node(*graph, type, before == nullptr ? nullptr : &before, before != nullptr, work) ==
                 nullptr
             ? failed(cudaErrorInvalidValue)
             : cudaSuccess;
}

}  // namespace upsweep::emulated

inline cudaError_t cudaStreamCreate(cudaStream_t* stream) {
  *stream = new CUstream_st{nullptr, true};
  return cudaSuccess;
}
inline cudaError_t cudaStreamCreateWithFlags(cudaStream_t* stream, unsigned flags) {
  *stream = new CUstream_st{nullptr, (flags & cudaStreamNonBlocking) == 0};
  return cudaSuccess;
}
inline cudaError_t cudaStreamCreateWithPriority(cudaStream_t* stream, unsigned flags, int) {
  return cudaStreamCreateWithFlags(stream, flags);
}
inline cudaError_t cudaStreamDestroy(cudaStream_t stream) {
  if (stream == nullptr) return upsweep::emulated::failed(cudaErrorInvalidResourceHandle);
  delete stream;
  return cudaSuccess;
}
UPSWEEP_EMULATED_WORD cudaError_t cudaStreamSynchronize(cudaStream_t stream) {
  return UPSWEEP_EMULATED_NOT_WHILE(upsweep::emulated::graph_of(stream), "cudaStreamSynchronize");
}
UPSWEEP_EMULATED_WORD cudaError_t cudaStreamQuery(cudaStream_t stream) {
  return UPSWEEP_EMULATED_NOT_WHILE(upsweep::emulated::graph_of(stream), "cudaStreamQuery");
}
/// A stream that waits for an event of a capturing stream captures too.
inline cudaError_t cudaStreamWaitEvent(cudaStream_t stream, cudaEvent_t event, unsigned = 0) {
  bool const joins = event != nullptr && event->captured != nullptr && stream != nullptr;
  if (joins && !event->captured->is_complete) stream->captured = event->captured;
  return cudaSuccess;
}
inline cudaError_t cudaStreamAttachMemAsync(cudaStream_t, void*, std::size_t = 0, unsigned = 4) {
  return cudaSuccess;
}
typedef void (*cudaHostFn_t)(void*);
inline cudaError_t cudaLaunchHostFunc(cudaStream_t stream, cudaHostFn_t f, void* data) {
  return upsweep::emulated::run_in(stream, cudaGraphNodeTypeHost, [=] {
    upsweep_emulated_synchronize();
    f(data);
    return cudaSuccess;
  });
}
typedef void (*cudaStreamCallback_t)(cudaStream_t, cudaError_t, void*);
inline cudaError_t cudaStreamAddCallback(cudaStream_t stream, cudaStreamCallback_t f, void* data,
                                         unsigned) {
  upsweep_emulated_synchronize();
  f(stream, cudaPeekAtLastError(), data);
  return cudaSuccess;
}
inline cudaError_t cudaStreamBeginCapture(cudaStream_t stream, cudaStreamCaptureMode mode) {
  bool const is_default =
      stream == nullptr || stream == cudaStreamLegacy || stream == cudaStreamPerThread;
  if (is_default) return upsweep::emulated::failed(cudaErrorStreamCaptureUnsupported);
  stream->captured = new CUgraph_st{};
  if (mode == cudaStreamCaptureModeGlobal)
    upsweep::emulated::forbidding_capture() = stream->captured;
  if (stream->is_blocking) upsweep::emulated::blocking_capture() = stream->captured;
  return cudaSuccess;
}
inline cudaError_t cudaStreamEndCapture(cudaStream_t stream, cudaGraph_t* graph) {
  *graph = upsweep::emulated::graph_of(stream);
  if (*graph == nullptr) return upsweep::emulated::failed(cudaErrorStreamCaptureUnmatched);
  (*graph)->is_complete = true;
  if (!(*graph)->is_invalid) return cudaSuccess;
  *graph = nullptr;
  return upsweep::emulated::failed(cudaErrorStreamCaptureInvalidated);
}
inline cudaError_t cudaStreamIsCapturing(cudaStream_t stream, cudaStreamCaptureStatus* status) {
  CUgraph_st const* const graph = upsweep::emulated::graph_of(stream);
  *status = graph == nullptr    ? cudaStreamCaptureStatusNone
            : graph->is_invalid ? cudaStreamCaptureStatusInvalidated
                                : cudaStreamCaptureStatusActive;
  return cudaSuccess;
}
inline cudaError_t cudaEventCreateWithFlags(cudaEvent_t* event, unsigned flags) {
  *event = static_cast<cudaEvent_t>(std::malloc(sizeof(CUevent_st)));
  **event = {false, (flags & cudaEventDisableTiming) == 0, 0, nullptr};
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
inline cudaError_t cudaEventRecord(cudaEvent_t event, cudaStream_t stream = nullptr) {
  if (event == nullptr) return upsweep::emulated::failed(cudaErrorInvalidResourceHandle);
  event->is_recorded = true;
  event->captured = upsweep::emulated::graph_of(stream);
  event->milliseconds = upsweep_emulated_milliseconds();
  return cudaSuccess;
}
UPSWEEP_EMULATED_WORD cudaError_t cudaEventSynchronize(cudaEvent_t event) {
  return UPSWEEP_EMULATED_NOT_WHILE(event == nullptr ? nullptr : event->captured,
                                    "cudaEventSynchronize");
}
UPSWEEP_EMULATED_WORD cudaError_t cudaEventQuery(cudaEvent_t event) {
  return UPSWEEP_EMULATED_NOT_WHILE(event == nullptr ? nullptr : event->captured, "cudaEventQuery");
}
/// Launches are complete when they return.
UPSWEEP_EMULATED_WORD cudaError_t cudaDeviceSynchronize() {
  return UPSWEEP_EMULATED_NOT_WHILE(upsweep::emulated::forbidding_capture(),
                                    "cudaDeviceSynchronize");
}
UPSWEEP_EMULATED_WORD cudaError_t cudaThreadSynchronize() {
  return cudaDeviceSynchronize();
}
/// No time of a GPU: a nanosecond for each step of a warp, and a microsecond for each launch.
inline cudaError_t cudaEventElapsedTime(float* milliseconds, cudaEvent_t start, cudaEvent_t end) {
  bool const is_valid = start != nullptr && end != nullptr && start->is_recorded &&
                        end->is_recorded && start->has_time && end->has_time;
  if (!is_valid) return upsweep::emulated::failed(cudaErrorInvalidResourceHandle);
  *milliseconds = static_cast<float>(end->milliseconds - start->milliseconds);
  return cudaSuccess;
}
