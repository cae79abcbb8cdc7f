/// The temporary storage in which the blocks of a CUDA call publish their totals.
#pragma once

#include <cstddef>
#include <mutex>
#include <utility>

struct CUstream_st;  // cudaStream_t points to one

namespace upsweep {

/// Temporary storage for calls on one stream, which use it one after another. It is zeroed at
/// first, and no call has to clear it again. A call without a workspace uses one that belongs to
/// its stream and grows as needed. Pass your own workspace to capture calls in a graph that is
/// launched on another stream, or to prevent allocations. Calls from several threads may share it
/// if they use one stream.
class cuda_workspace {
 public:
  /// Allocates at least `bytes` from the memory pool of the stream, and more when a call needs it.
  /// Throws cuda_error.
  explicit cuda_workspace(CUstream_st* stream, std::size_t bytes = 0);
  /// Uses `bytes` of device memory at `memory`, aligned to 16 bytes, which the caller owns, and
  /// clears it in stream order. A call that needs more throws precondition_error;
  /// cuda_plan::workspace_bytes is the number of bytes that a call needs.
  cuda_workspace(CUstream_st* stream, void* memory, std::size_t bytes);
  ~cuda_workspace();
  cuda_workspace(cuda_workspace const&) = delete;
  cuda_workspace& operator=(cuda_workspace const&) = delete;

  [[nodiscard]] std::size_t size() const { return bytes_; }

  /// Exclusive use of the workspace while one call is enqueued.
  class lease {
   public:
    lease() = default;  ///< of no memory
    [[nodiscard]] void* memory() const { return memory_; }
    /// Memory that was allocated for one call in a graph being captured is freed in that graph.
    ~lease();
    lease(lease const&) = delete;
    lease& operator=(lease const&) = delete;

   private:
    friend class cuda_workspace;
    lease(void* memory, std::unique_lock<std::mutex> held, CUstream_st* freed_in)
        : memory_(memory), held_(std::move(held)), freed_in_(freed_in) {}

    void* memory_ = nullptr;
    std::unique_lock<std::mutex> held_;
    CUstream_st* freed_in_ = nullptr;
  };
  /// At least `bytes` from `given`, or from the stream's own workspace if that is null. While a
  /// graph is captured without a given workspace, nodes of the graph allocate, clear and free the
  /// memory.
  [[nodiscard]] static lease take(cuda_workspace* given, CUstream_st* stream, std::size_t bytes);

 private:
  void grow(CUstream_st* stream, std::size_t bytes);

  std::mutex mutex_;
  CUstream_st* stream_;
  void* memory_ = nullptr;
  std::size_t bytes_ = 0;
  bool is_ours_;
};

/// Device memory, zeros at first, that calls on one stream read and write in turn; allocated and
/// freed in the stream's order, so the stream must live longer. Errors are cuda_error.
class stream_memory {
 public:
  stream_memory() = default;
  stream_memory(CUstream_st* stream, std::size_t bytes);
  /// The same with any contents at first.
  [[nodiscard]] static stream_memory uncleared(CUstream_st* stream, std::size_t bytes);
  /// Memory of the caller, with its contents, which lives longer.
  [[nodiscard]] static stream_memory borrowed(CUstream_st* stream, void* memory,
                                              std::size_t bytes) noexcept;
  ~stream_memory();
  stream_memory(stream_memory const& other);  ///< copies the contents, in the stream's order
  stream_memory(stream_memory&& other) noexcept { swap(other); }
  stream_memory& operator=(stream_memory other) noexcept {
    swap(other);
    return *this;
  }

  [[nodiscard]] void* data() const { return memory_; }
  /// Copies `bytes` bytes from `offset` on to the host, and waits for the copy.
  void read(std::size_t offset, void* to, std::size_t bytes) const;

 private:
  void swap(stream_memory& other) noexcept {
    std::swap(stream_, other.stream_);
    std::swap(memory_, other.memory_);
    std::swap(bytes_, other.bytes_);
    std::swap(is_ours_, other.is_ours_);
  }

  CUstream_st* stream_ = nullptr;
  void* memory_ = nullptr;
  std::size_t bytes_ = 0;
  bool is_ours_ = true;
};

/// Frees the workspaces that belong to streams, at the end of a program. No call may be running.
/// After cudaDeviceReset the library cannot be used.
void release_cuda_workspaces();
/// Waits for `stream`, of the current device, and frees its workspace; called before the stream is
/// destroyed by programs that make streams again and again. No other call may use the stream.
void release_cuda_workspaces(CUstream_st* stream);

namespace device {

/// Makes the stream's own workspace, unless a graph is captured, for calls that only use
/// stream_memory. While nothing is allocated, the device's pool gives all its memory back whenever
/// the host waits, and then a call takes 120 µs more.
void keep_pool(CUstream_st* stream);

}  // namespace device

}  // namespace upsweep
