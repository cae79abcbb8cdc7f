/// A GPU as a device of the harness: its clock, its memory, and the launches of calls.
#pragma once

#include <cuda_runtime_api.h>
#include <bench/harness/competitor.hpp>
#include <bench/harness/machine.hpp>
#include <upsweep/cuda/check.cuh>
#include <upsweep/cuda/device_memory.cuh>

#include <algorithm>
#include <cstddef>
#include <functional>

namespace upsweep::bench {

/// GPU number `number`. Throws cuda_error.
[[nodiscard]] gpu_description describe_gpu(int number);

/// A stream and two events in it.
class event_clock {
 public:
  event_clock();
  ~event_clock();
  event_clock(event_clock const&) = delete;
  event_clock& operator=(event_clock const&) = delete;

  [[nodiscard]] cudaStream_t stream() const { return stream_; }
  void wait() const;
  /// The time in seconds on the device of the work that `enqueue()` puts into the stream; waits for
  /// it.
  [[nodiscard]] double seconds(std::function<void()> const& enqueue) const;

 private:
  cudaStream_t stream_ = nullptr;
  cudaEvent_t begin_ = nullptr, end_ = nullptr;
};

/// A graph of calls. Its first and last nodes are events, so the time to start the graph is not
/// counted.
class recording {
 public:
  recording();
  ~recording();
  recording(recording const&) = delete;
  recording& operator=(recording const&) = delete;

  /// Records, once, what enqueue() puts into the clock's stream, where nothing may be waited for.
  /// Throws what enqueue() throws, and cuda_error if that cannot be recorded; the stream can be
  /// used again.
  void record(event_clock const& clock, std::function<void()> const& enqueue);
  [[nodiscard]] bool is_ready() const { return program_ != nullptr; }
  void replay(event_clock const& clock) const;
  /// Waits, and returns the time of the last replay.
  [[nodiscard]] double seconds(event_clock const& clock) const;

 private:
  cudaEvent_t begin_, end_;
  cudaGraph_t graph_ = nullptr;
  cudaGraphExec_t program_ = nullptr;
};

/// The layout of inputs of `in_bytes` and as many outputs of `out_bytes` in one block of device
/// memory.
struct gpu_layout {
  static constexpr std::size_t alignment = 256;
  /// More than the calls of a cell, so that small cells are cold too.
  static constexpr std::size_t most_slots = 65536;

  std::size_t in_stride, out_stride, count;

  /// As many slots as cover `rotation` bytes, but at least one.
  gpu_layout(std::size_t in_bytes, std::size_t out_bytes, std::size_t rotation)
      : in_stride(rounded_up(in_bytes)),
        out_stride(rounded_up(out_bytes)),
        count(std::clamp<std::size_t>((rotation + pair() - 1) / pair(), 1, most_slots)) {}

  [[nodiscard]] std::size_t pair() const { return in_stride + out_stride; }
  [[nodiscard]] std::size_t bytes() const { return count * pair(); }
  [[nodiscard]] slots at(std::byte* memory) const {
    return {memory, memory + count * in_stride, in_stride, out_stride, count, 0};
  }
  [[nodiscard]] static std::size_t rounded_up(std::size_t bytes) {
    return std::max<std::size_t>(1, (bytes + alignment - 1) / alignment) * alignment;
  }
};

/// Bytes through which cold calls rotate, so that a slot has left the L2 cache when it is used
/// again.
[[nodiscard]] inline std::size_t rotation_for(std::size_t l2_bytes) {
  return 6 * l2_bytes;
}

/// Enqueues one call in the stream; n is captured by the function.
using enqueue_function = std::function<void(cudaStream_t, void const* in, void* out)>;

/// Back-to-back calls between two events. The clock must outlive the run, here and below.
[[nodiscard]] timed_run launched_plainly(event_clock const& clock, enqueue_function call);

/// A graph of one batch. The first run records it; all runs must have the same number of calls.
/// `displace` clears the caches before each replay; if it is empty, an untimed replay warms them.
[[nodiscard]] timed_run replayed(event_clock const& clock, enqueue_function call,
                                 std::function<void()> displace);

/// The host's time for plain calls, by its clock, as long as the driver's queue does not fill up.
[[nodiscard]] timed_run host_share(event_clock const& clock, enqueue_function call);

}  // namespace upsweep::bench
