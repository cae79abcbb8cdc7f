/// The GPUs of an NCCL communicator, and the device memory through which they exchange totals.
#pragma once

#include <upsweep/cuda/pieces/launch.cuh>
#include <upsweep/ranks/communicator.hpp>

#include <nccl.h>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace upsweep {

namespace device {

inline void check_nccl(ncclResult_t code, char const* function) {
  if (code == ncclSuccess || code == ncclInProgress) return;
  throw error((std::string(function) + " failed: " + ncclGetErrorString(code) + "; " +
               ncclGetLastError(nullptr))
                  .c_str());
}

/// Makes the device of a communicator the current one, until the end of the scope.
class communicator_device {
 public:
  explicit communicator_device(ncclComm_t comm) {
    int ours = 0;
    check_cuda(cudaGetDevice(&before_), "query the current device");
    check_nccl(ncclCommCuDevice(comm, &ours), "ncclCommCuDevice");
    if (ours != before_) check_cuda(cudaSetDevice(ours), "use the communicator's device");
  }
  ~communicator_device() { (void)cudaSetDevice(before_); }
  communicator_device(communicator_device const&) = delete;
  communicator_device& operator=(communicator_device const&) = delete;

 private:
  int before_ = 0;
};

/// The memory through which ranks exchange what they tell each other: all of it is allocated with
/// the communicator, so that a rank without memory can still tell the others that it has failed.
class exchange_memory {
 public:
  /// `bytes` on the device, and `words` in host memory.
  exchange_memory(ncclComm_t comm, std::size_t bytes, std::size_t words) {
    communicator_device const ours(comm);
    check_cuda(cudaGetDevice(&device_), "query the communicator's device");
    check_cuda(cudaMalloc(&data_, bytes), "allocate the buffer that the ranks exchange");
    void* memory = nullptr;
    std::size_t const host_bytes = (words + 1) * sizeof(std::uint64_t);
    if (auto const code = cudaHostAlloc(&memory, host_bytes, cudaHostAllocPortable)) {
      (void)cudaFree(data_);
      check_cuda(code, "allocate the flag of a failed rank");
    }
    words_ = static_cast<std::uint64_t*>(memory);
    *failed() = 0;
  }
  ~exchange_memory() {
    int before = 0;
    bool const is_known = cudaGetDevice(&before) == cudaSuccess;
    (void)cudaSetDevice(device_);
    if (used_) (void)cudaStreamSynchronize(stream_);
    (void)cudaFree(data_);
    (void)cudaFreeHost(words_);
    if (is_known) (void)cudaSetDevice(before);
  }
  exchange_memory(exchange_memory const&) = delete;
  exchange_memory& operator=(exchange_memory const&) = delete;

  /// The memory for the next call, in `stream`: waits for the calls before if that is another one.
  [[nodiscard]] std::byte* in(CUstream_st* stream) {
    if (used_ && stream != stream_)
      check_cuda(cudaStreamSynchronize(stream_), "finish the previous calls");
    used_ = true;
    stream_ = stream;
    return static_cast<std::byte*>(data_);
  }
  /// Device memory `offset` bytes after that, for what `stream` does not share with calls.
  [[nodiscard]] std::byte* at(std::size_t offset) const {
    return static_cast<std::byte*>(data_) + offset;
  }
  /// Where kernels tell a rank that has failed, plus 1; 0 if none has.
  [[nodiscard]] unsigned* failed() const { return reinterpret_cast<unsigned*>(words_); }
  [[nodiscard]] std::uint64_t* words() const { return words_ + 1; }

 private:
  int device_ = 0;
  void* data_ = nullptr;
  std::uint64_t* words_ = nullptr;  // the first one is failed()
  bool used_ = false;
  CUstream_st* stream_ = nullptr;  // of the last call
};

}  // namespace device

/// The GPUs of an NCCL communicator. Every rank makes the same calls in the same order, with the
/// device of the communicator as the current one. Copies share device memory, so two threads must
/// not use them at once. Destroy them before the communicator and after the calls; the streams of
/// calls must live longer. What a call throws on one rank before the last exchange, such as a lack
/// of memory, all ranks throw. After an error of NCCL, or of a copy or a stream of CUDA, the
/// communicator counts as broken: the other ranks wait until it is aborted. The constructor is no
/// collective call: if it throws on a rank, no rank may begin a call. In a process with several
/// GPUs and a thread for each, set CUDA_MODULE_LOADING=EAGER: CUDA may load a kernel at its first
/// launch, and then waits for the device.
class nccl {
 public:
  /// `sizes`: the sizes of the pieces of all ranks, if known; otherwise each call exchanges them
  /// and waits. Bytes in host memory are exchanged in `stream`.
  explicit nccl(ncclComm_t comm, CUstream_st* stream = nullptr, std::vector<std::size_t> sizes = {})
      : comm_(comm), stream_(stream), sizes_(std::move(sizes)) {
    device::check_nccl(ncclCommUserRank(comm_, &rank_), "ncclCommUserRank");
    device::check_nccl(ncclCommCount(comm_, &size_), "ncclCommCount");
    detail::expects(sizes_.empty() || sizes_.size() == static_cast<std::size_t>(size_),
                    "nccl: give one size for each rank");
    kept_ = std::make_shared<device::exchange_memory>(
        comm_, exchanged_bytes() + 2 * detail::bytes_at_once, 2 * static_cast<std::size_t>(size_));
  }

  [[nodiscard]] int rank() const { return rank_; }
  [[nodiscard]] int size() const { return size_; }
  [[nodiscard]] ncclComm_t comm() const { return comm_; }
  /// The sizes of the pieces of all ranks, if they were given.
  [[nodiscard]] std::vector<std::size_t> const& sizes() const { return sizes_; }

  /// For a communicator that knows the sizes: throws if another rank has failed in a call that the
  /// stream has finished. Reductions and later calls throw too.
  void expect_no_failure() const {
    if (unsigned const rank = std::exchange(*kept_->failed(), 0U); rank != 0)
      detail::fail("nccl: rank %zu of %zu failed; the results of that call are wrong", rank - 1,
                   static_cast<std::size_t>(size_));
  }
  /// Where kernels tell that.
  [[nodiscard]] device::failure_report failures() const {
    return {static_cast<unsigned>(size_), kept_->failed()};
  }
  /// Host memory for two words of each rank.
  [[nodiscard]] std::uint64_t* words_of_ranks() const { return kept_->words(); }

  [[nodiscard]] std::vector<std::byte> exchange(int other,
                                                std::vector<std::byte> const& bytes) const {
    return detail::exchange_in_parts(
        bytes, [&](void const* out, std::size_t out_count, void* in, std::size_t in_count) {
          swap_with(other, out, out_count, in, in_count);
        });
  }
  [[nodiscard]] std::vector<std::byte> broadcast(int other,
                                                 std::vector<std::byte> const& bytes) const {
    return detail::broadcast_in_parts(bytes, rank_ == other, [&](void* part, std::size_t count) {
      send_to_all(other, part, count);
    });
  }

  /// Device memory for the data that a call exchanges, which later calls in `stream` use again;
  /// null if the call is captured in a graph.
  [[nodiscard]] std::byte* memory(CUstream_st* stream) const {
    cudaStreamCaptureStatus status = cudaStreamCaptureStatusNone;
    check_cuda(cudaStreamIsCapturing(stream, &status), "query whether the stream is captured");
    return status == cudaStreamCaptureStatusNone ? kept_->in(stream) : nullptr;
  }
  /// The size of that memory: for each rank its totals of at most 64 bytes each, the size of its
  /// piece and its call, and a carry.
  [[nodiscard]] std::size_t exchanged_bytes() const {
    struct largest {
      std::byte bytes[64];
    };
    return static_cast<std::size_t>(size_) *
               (sizeof(device::piece_totals<largest>) + 2 * sizeof(std::uint64_t)) +
           device_carry<largest>::bytes;
  }
  /// Gathers `bytes` bytes of each rank in `all`, device memory that has those of this rank at
  /// their position. Does not wait.
  void gather(void* all, std::size_t bytes, CUstream_st* stream) const {
    auto* const own = static_cast<std::byte*>(all) + static_cast<std::size_t>(rank_) * bytes;
    device::check_nccl(ncclAllGather(own, all, bytes, ncclUint8, comm_, stream), "ncclAllGather");
  }

 private:
  static void copy(void* to, void const* from, std::size_t bytes, CUstream_st* stream) {
    check_cuda(cudaMemcpyAsync(to, from, bytes, cudaMemcpyDefault, stream),
               "copy the values that the ranks exchange");
  }

  /// Messages of at most bytes_at_once bytes go through device memory of the communicator.
  void swap_with(int other, void const* out, std::size_t out_bytes, void* in,
                 std::size_t in_bytes) const {
    std::byte *const from = kept_->at(exchanged_bytes()), *const to = from + detail::bytes_at_once;
    if (out_bytes > 0) copy(from, out, out_bytes, stream_);
    device::check_nccl(ncclGroupStart(), "ncclGroupStart");
    if (out_bytes > 0)
      device::check_nccl(ncclSend(from, out_bytes, ncclUint8, other, comm_, stream_), "ncclSend");
    if (in_bytes > 0)
      device::check_nccl(ncclRecv(to, in_bytes, ncclUint8, other, comm_, stream_), "ncclRecv");
    device::check_nccl(ncclGroupEnd(), "ncclGroupEnd");
    if (in_bytes > 0) copy_back(in, to, in_bytes);
  }
  void send_to_all(int other, void* bytes, std::size_t size) const {
    std::byte* const message = kept_->at(exchanged_bytes());
    if (rank_ == other) copy(message, bytes, size, stream_);
    device::check_nccl(ncclBroadcast(message, message, size, ncclUint8, other, comm_, stream_),
                       "ncclBroadcast");
    if (rank_ != other) copy_back(bytes, message, size);
  }
  void copy_back(void* to, void const* from, std::size_t bytes) const {
    copy(to, from, bytes, stream_);
    check_cuda(cudaStreamSynchronize(stream_), "receive the values that the ranks exchange");
  }

  ncclComm_t comm_;
  CUstream_st* stream_;
  std::vector<std::size_t> sizes_;
  std::shared_ptr<device::exchange_memory> kept_;
  int rank_ = 0, size_ = 1;
};

}  // namespace upsweep
