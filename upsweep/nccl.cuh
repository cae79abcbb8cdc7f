/// Reductions and scans of an array of which each of several GPUs has a piece, through NCCL. The
/// library itself needs no NCCL: this header uses the caller's <nccl.h>.
///
///   // on each rank, a thread or a process with a GPU; x and y point to its device memory
///   upsweep::ranks const all(upsweep::nccl(comm), upsweep::gpu{stream});
///   upsweep::inclusive_scan(all, std::span(x, n), std::span(y, n));
///   float const total = upsweep::reduce(all, std::span(x, n));
#pragma once

#include <upsweep/cuda.cuh>
#include <upsweep/ranks.hpp>

#include <nccl.h>

#include <memory>
#include <string>
#include <vector>

namespace upsweep {

/// The GPUs of an NCCL communicator. Every rank makes the same calls in the same order, with the
/// communicator's device as the current one. A call that throws before the ranks have exchanged
/// their totals, for wrong arguments or a CUDA error, leaves the other ranks waiting until
/// ncclCommAbort. The streams of calls live longer than it and its copies, which share device
/// memory and so may not be used by two threads at once. In a process with several GPUs, a thread
/// each, set CUDA_MODULE_LOADING=EAGER: CUDA may load a kernel at its first launch, and waits for
/// the device to do so.
class nccl {
 public:
  /// `sizes`: of the pieces of all ranks, if they are known; otherwise each call exchanges them,
  /// and waits. Bytes that are in the host's memory are exchanged in `stream`.
  explicit nccl(ncclComm_t comm, CUstream_st* stream = nullptr, std::vector<std::size_t> sizes = {})
      : comm_(comm), stream_(stream), sizes_(std::move(sizes)) {
    check(ncclCommUserRank(comm_, &rank_), "ncclCommUserRank");
    check(ncclCommCount(comm_, &size_), "ncclCommCount");
    detail::expects(sizes_.empty() || sizes_.size() == static_cast<std::size_t>(size_),
                    "nccl: there must be a size for each rank");
  }

  [[nodiscard]] int rank() const { return rank_; }
  [[nodiscard]] int size() const { return size_; }
  [[nodiscard]] ncclComm_t comm() const { return comm_; }

  [[nodiscard]] std::vector<std::byte> exchange(int other,
                                                std::vector<std::byte> const& bytes) const {
    std::uint64_t const in = bytes.size();
    std::uint64_t out = 0;
    swap_with(other, &in, sizeof in, &out, sizeof out);
    std::vector<std::byte> received(static_cast<std::size_t>(out));
    swap_with(other, bytes.data(), bytes.size(), received.data(), received.size());
    return received;
  }
  [[nodiscard]] std::vector<std::byte> broadcast(int other,
                                                 std::vector<std::byte> const& bytes) const {
    std::uint64_t size = bytes.size();
    send_to_all(other, &size, sizeof size);
    std::vector<std::byte> all(bytes);
    all.resize(static_cast<std::size_t>(size));
    send_to_all(other, all.data(), all.size());
    return all;
  }

  /// The sizes of the pieces of all ranks, of which that of this rank is `own`. Waits for `stream`
  /// unless they are known.
  [[nodiscard]] std::vector<std::size_t> sizes(std::size_t own, CUstream_st* stream) const {
    if (!sizes_.empty()) {
      if (sizes_[place()] != own)
        detail::fail("nccl: this rank's piece has %zu elements, but was announced with %zu", own,
                     sizes_[place()]);
      return sizes_;
    }
    std::vector<std::uint64_t> all(static_cast<std::size_t>(size_));
    auto const memory = stream_memory::uncleared(stream, all.size() * sizeof all[0]);
    auto* const first = static_cast<std::uint64_t*>(memory.data());
    std::uint64_t const mine = own;
    copy(first + rank_, &mine, sizeof mine, stream);
    gather(first, sizeof mine, stream);
    memory.read(0, all.data(), all.size() * sizeof all[0]);
    return {all.begin(), all.end()};
  }

  /// Device memory with any contents, which calls in `stream` use one after another, so that only
  /// the first one allocates; a call that is captured in a graph has its own.
  [[nodiscard]] std::shared_ptr<stream_memory> memory(std::size_t bytes,
                                                      CUstream_st* stream) const {
    auto const allocated = [&] {
      return std::make_shared<stream_memory>(stream_memory::uncleared(stream, bytes));
    };
    cudaStreamCaptureStatus status = cudaStreamCaptureStatusNone;
    check_cuda(cudaStreamIsCapturing(stream, &status), "query whether the stream is captured");
    if (status != cudaStreamCaptureStatusNone) return allocated();
    if (kept_->memory == nullptr || kept_->bytes < bytes || kept_->stream != stream)
      *kept_ = {allocated(), bytes, stream};
    return kept_->memory;
  }

  /// Gathers `bytes` bytes of each rank in `all`, device memory in which those of this rank are at
  /// their place. Does not wait.
  void gather(void* all, std::size_t bytes, CUstream_st* stream) const {
    auto* const own = static_cast<std::byte*>(all) + place() * bytes;
    check(ncclAllGather(own, all, bytes, ncclUint8, comm_, stream), "ncclAllGather");
  }

  /// Throws unless the current device is that of the communicator.
  void expect_device() const {
    int ours = 0, current = 0;
    check(ncclCommCuDevice(comm_, &ours), "ncclCommCuDevice");
    check_cuda(cudaGetDevice(&current), "query the current device");
    if (ours != current)
      detail::fail("nccl: the communicator is of device %zu, but the current device is %zu",
                   static_cast<std::size_t>(ours), static_cast<std::size_t>(current));
  }

 private:
  void check(ncclResult_t code, char const* function) const {
    if (code == ncclSuccess || code == ncclInProgress) return;
    throw error((std::string(function) + " failed: " + ncclGetErrorString(code) + "; " +
                 ncclGetLastError(comm_))
                    .c_str());
  }
  static void copy(void* to, void const* from, std::size_t bytes, CUstream_st* stream) {
    check_cuda(cudaMemcpyAsync(to, from, bytes, cudaMemcpyDefault, stream),
               "copy what the ranks exchange");
  }
  [[nodiscard]] std::size_t place() const { return static_cast<std::size_t>(rank_); }

  void swap_with(int other, void const* out, std::size_t out_bytes, void* in,
                 std::size_t in_bytes) const {
    auto const memory = stream_memory::uncleared(stream_, out_bytes + in_bytes + 16);
    auto* const from = static_cast<std::byte*>(memory.data());
    auto* const to = from + out_bytes;
    copy(from, out, out_bytes, stream_);
    check(ncclGroupStart(), "ncclGroupStart");
    check(ncclSend(from, out_bytes, ncclUint8, other, comm_, stream_), "ncclSend");
    check(ncclRecv(to, in_bytes, ncclUint8, other, comm_, stream_), "ncclRecv");
    check(ncclGroupEnd(), "ncclGroupEnd");
    memory.read(out_bytes, in, in_bytes);
  }
  void send_to_all(int other, void* bytes, std::size_t size) const {
    auto const memory = stream_memory::uncleared(stream_, size + 16);
    if (rank_ == other) copy(memory.data(), bytes, size, stream_);
    check(ncclBroadcast(memory.data(), memory.data(), size, ncclUint8, other, comm_, stream_),
          "ncclBroadcast");
    memory.read(0, bytes, size);
  }

  struct kept_memory {
    std::shared_ptr<stream_memory> memory;
    std::size_t bytes = 0;
    CUstream_st* stream = nullptr;
  };

  ncclComm_t comm_;
  CUstream_st* stream_;
  std::vector<std::size_t> sizes_;
  std::shared_ptr<kept_memory> kept_ = std::make_shared<kept_memory>();
  int rank_ = 0, size_ = 1;
};

namespace device {

/// Whether totals of pieces stay on the GPUs. Others go through the host, as on any communicator.
template <class Op, class A>
inline constexpr bool joins_on_device =
    std::is_trivially_copyable_v<A> && std::is_default_constructible_v<A> && sizeof(A) <= 64 &&
    !refuses<Op, A> && !is_recurrence<Op> && !std::is_same_v<Op, exact_sum>;

/// One call over the pieces of all ranks: the totals of the pieces, in device memory.
template <class T, class Op>
class joined_pieces {
 public:
  using A = accumulator_t<Op, T>;
  using parts = typename accumulator_in_kernels<A>::type;

  joined_pieces(ranks<nccl, gpu> const& all, std::span<T const> piece, Op const& op)
      : all_(all), piece_(piece), op_(op) {
    detail::expects(all.on.plans_to == nullptr, "upsweep::gpu: calls over ranks have no .plans_to");
    nccl const& c = all.connection;
    c.expect_device();
    auto const sizes = c.sizes(piece.size(), all.on.stream);
    for (std::size_t r = 0; r < sizes.size(); ++r) {
      if (r < static_cast<std::size_t>(c.rank())) begin_ += sizes[r];
      size_ += sizes[r];
    }
    memory_ = c.memory(device_carry<A>::bytes + sizes.size() * sizeof(piece_totals<parts>),
                       all.on.stream);
  }

  [[nodiscard]] std::size_t begin() const { return begin_; }
  [[nodiscard]] std::size_t size() const { return size_; }  ///< of all pieces

  /// The elements of this rank, at their position.
  [[nodiscard]] auto source_of_piece() const {
    static constexpr detail::as_is f;
    return source<T const*, detail::as_is, Op, false>(piece_.data(), piece_.size(), f, op_, begin_);
  }
  /// Reduces the piece, and gathers the totals of all.
  void gather(bool scan_follows) const {
    nccl const& c = all_.connection;
    enqueue_block_totals(all_.on, source_of_piece(), piece_.size(), op_, begin_,
                         pieces() + c.rank(), scan_follows);
    c.gather(pieces(), sizeof(piece_totals<parts>), all_.on.stream);
  }
  /// Stores the carry behind the pieces of the first `count` ranks, and their total in *total.
  void join(int count, A* total) const {
    enqueue_join(all_.on, pieces(), static_cast<unsigned>(count), reinterpret_cast<parts*>(carry()),
                 reinterpret_cast<parts*>(total), op_);
  }
  /// The carry behind the pieces in front of this one.
  [[nodiscard]] device_carry<A> join_in_front() const {
    if (begin_ > 0) join(all_.connection.rank(), carry() + carry_prefix);
    return {stream_memory::borrowed(all_.on.stream, carry(), device_carry<A>::bytes), begin_};
  }

 private:
  [[nodiscard]] piece_totals<parts>* pieces() const {
    return static_cast<piece_totals<parts>*>(memory_->data());
  }
  [[nodiscard]] A* carry() const {
    auto const ranks = static_cast<std::size_t>(all_.connection.size());
    return reinterpret_cast<A*>(pieces() + ranks);
  }

  ranks<nccl, gpu> const& all_;
  std::span<T const> piece_;
  Op const& op_;
  std::size_t begin_ = 0, size_ = 0;
  std::shared_ptr<stream_memory> memory_;  // totals of the pieces, then a carry
};

template <class A>
void expect_forward(options<A> const& o) {
  detail::expects(!o.reverse, "nccl: .reverse is not supported; give the ranks in reverse order");
}

/// A total, as detail::result_of() asks for it.
template <class A>
struct whole_total {
  A const* total;
  [[nodiscard]] A const* prefix() const { return total; }
};

template <class T, class Op, class A>
auto reduce_pieces(ranks<nccl, gpu> const& all, std::span<T const> piece, Op const& op,
                   options<A> const& o) {
  expect_forward(o);
  detail::float_environment const ieee;
  auto* const total = static_cast<A*>(host_slot::of_this_thread());
  joined_pieces<T, Op> const call(all, piece, op);
  if (call.size() == 0) return detail::result_of(whole_total<A>{nullptr}, op, o);
  call.gather(false);
  call.join(all.connection.size(), total);
  check_cuda(cudaStreamSynchronize(all.on.stream), "finish the reduction");
  return detail::result_of(whole_total<A>{total}, op, o);
}

template <scan_kind kind, class T, class Out, class Op, class A>
void scan_pieces(ranks<nccl, gpu> const& all, std::span<T const> piece, Out const& out,
                 Op const& op, options<A> const& o) {
  expect_forward(o);
  detail::float_environment const ieee;
  detail::check_output<false>("scan over ranks", piece, out);
  detail::first_results<kind, Op, A> const start(op, o);
  joined_pieces<T, Op> const call(all, piece, op);
  if (call.size() == 0) return;
  call.gather(true);
  if (piece.empty()) return;
  device_carry<A> left = call.join_in_front();
  sink<typename Out::pointer, Op, false> const to(out.data(), out.size(), op, call.begin());
  scan_piece_on<kind>(all.on, call.source_of_piece(), to, piece.size(), op, start.initial,
                      start.first, left);
}

template <class In>
using piece_of = std::span<std::ranges::range_value_t<In> const>;

}  // namespace device

/// reduce() of all pieces, in the order of the ranks, returned on each of them. Waits. `piece` is
/// device memory, and the options must be the same on all ranks.
template <std::ranges::contiguous_range In, class Op = plus>
  requires device::joins_on_device<Op, accumulator_t<Op, std::ranges::range_value_t<In>>>
[[nodiscard]] auto reduce(
    ranks<nccl, gpu> const& all, In const& piece, Op const& op = {},
    options<accumulator_t<Op, std::ranges::range_value_t<In>>> const& o = {}) {
  return device::reduce_pieces(all, device::piece_of<In>(piece), op, o);
}

/// The scans of all pieces: each rank gets the results for its piece, in `out`, which may be the
/// same memory. If the communicator knows the sizes, nothing waits for the stream.
template <std::ranges::contiguous_range In, class Out, class Op = plus>
  requires device::joins_on_device<Op, accumulator_t<Op, std::ranges::range_value_t<In>>>
void inclusive_scan(ranks<nccl, gpu> const& all, In const& piece, Out&& out, Op const& op = {},
                    options<accumulator_t<Op, std::ranges::range_value_t<In>>> const& o = {}) {
  device::scan_pieces<scan_kind::inclusive>(all, device::piece_of<In>(piece), std::span(out), op,
                                            o);
}
template <std::ranges::contiguous_range In, class Out, class Op = plus>
  requires device::joins_on_device<Op, accumulator_t<Op, std::ranges::range_value_t<In>>>
void exclusive_scan(ranks<nccl, gpu> const& all, In const& piece, Out&& out, Op const& op = {},
                    options<accumulator_t<Op, std::ranges::range_value_t<In>>> const& o = {}) {
  device::scan_pieces<scan_kind::exclusive>(all, device::piece_of<In>(piece), std::span(out), op,
                                            o);
}

}  // namespace upsweep
