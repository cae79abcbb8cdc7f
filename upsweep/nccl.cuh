/// Reductions and scans of an array of which each of several GPUs has a piece, with NCCL. The
/// library itself needs no NCCL: this header uses the caller's <nccl.h>.
///
///   // on each rank, a thread or a process with a GPU; x and y point to its device memory
///   upsweep::ranks const all(upsweep::nccl(comm), upsweep::gpu{stream});
///   upsweep::inclusive_scan(all, std::span(x, n), std::span(y, n));
///   float const total = upsweep::reduce(all, std::span(x, n));
///
/// nccl_group is several of these ranks, for which one thread calls with all their pieces.
#pragma once

#include <upsweep/cuda.cuh>
#include <upsweep/cuda/pieces/nccl_communicator.cuh>
#include <upsweep/ranks.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <ranges>
#include <span>
#include <type_traits>
#include <vector>

namespace upsweep {

namespace device {

/// Whether totals of pieces stay on the GPUs. Others go through the host, as on any communicator.
template <class Op, class A>
inline constexpr bool joins_on_device =
    std::is_trivially_copyable_v<A> && std::is_default_constructible_v<A> && sizeof(A) <= 64 &&
    !refuses<Op, A> && !is_recurrence<Op> && !std::is_same_v<Op, exact_sum>;

/// One rank in a call over the pieces of all ranks: the totals of the pieces, in device memory.
template <class T, class Op>
class joined_pieces {
 public:
  using A = accumulator_t<Op, T>;
  using parts = typename accumulator_in_kernels<A>::type;

  joined_pieces(ranks<nccl, gpu> const& all, std::span<T const> piece, Op const& op)
      : all_(&all), piece_(piece), op_(&op), memory_(all.connection.memory(all.on.stream)) {
    if (memory_ != nullptr) return;
    own_ = stream_memory::uncleared(all.on.stream, all.connection.exchanged_bytes());
    memory_ = static_cast<std::byte*>(own_.data());
  }

  [[nodiscard]] std::size_t begin() const { return begin_; }
  [[nodiscard]] std::size_t size() const { return size_; }  ///< of all pieces

  /// The elements of this rank, at their position.
  [[nodiscard]] auto source_of_piece() const {
    static constexpr detail::as_is f;
    return source<T const*, detail::as_is, Op, false>(piece_.data(), piece_.size(), f, *op_,
                                                      begin_);
  }
  /// Tells the others the size of this piece, or that this rank has `failed`.
  void tell_size(bool failed) const {
    if (!connection().sizes().empty()) return;
    std::uint64_t const mine = failed ? of_failed : piece_.size();
    check_cuda(cudaMemcpyAsync(sizes_of_ranks() + connection().rank(), &mine, sizeof mine,
                               cudaMemcpyDefault, stream()),
               "copy the size of a piece");
    connection().gather(sizes_of_ranks(), sizeof mine, stream());
  }
  /// Learns where this piece lies. Waits for the sizes unless the communicator knows them.
  void learn_sizes() {
    std::vector<std::size_t> all = connection().sizes();
    auto const own = static_cast<std::size_t>(connection().rank());
    if (all.empty()) {
      std::vector<std::uint64_t> told(static_cast<std::size_t>(connection().size()));
      check_cuda(cudaMemcpyAsync(told.data(), sizes_of_ranks(), told.size() * sizeof told[0],
                                 cudaMemcpyDefault, stream()),
                 "copy the sizes of pieces");
      check_cuda(cudaStreamSynchronize(stream()), "exchange the sizes of pieces");
      for (std::size_t r = 0; r < told.size(); ++r)
        if (told[r] == of_failed)
          detail::fail("nccl: rank %zu of %zu failed before the exchange", r, told.size());
      all.assign(told.begin(), told.end());
    } else if (all[own] != piece_.size()) {
      detail::fail("nccl: this rank's piece has %zu elements, but its announced size is %zu",
                   piece_.size(), all[own]);
    }
    for (std::size_t r = 0; r < all.size(); ++r) {
      if (r < own) begin_ += all[r];
      size_ += all[r];
    }
  }
  /// Reduces the piece.
  void reduce(bool scan_follows) const {
    enqueue_block_totals(all_->on, source_of_piece(), piece_.size(), *op_, begin_,
                         pieces() + connection().rank(), scan_follows);
  }
  /// Tells the others that this rank has failed, instead of its totals.
  void fail() const {
    auto const& borders = piece_totals<parts>::borders_of_failed;
    check_cuda(cudaMemcpyAsync(pieces() + connection().rank(), borders, sizeof borders,
                               cudaMemcpyDefault, stream()),
               "report a failed rank");
  }
  /// Gathers the totals of all pieces.
  void gather() const { connection().gather(pieces(), sizeof(piece_totals<parts>), stream()); }

  /// Stores the carry after the pieces of the first `count` ranks, and their total in *total.
  void join(int count, A* total) const {
    enqueue_join(all_->on, pieces(), static_cast<unsigned>(count),
                 reinterpret_cast<parts*>(carry()), reinterpret_cast<parts*>(total), *op_,
                 connection().failures());
  }
  /// The carry after the pieces before this one. Ranks that know the sizes always look
  /// whether one has failed.
  [[nodiscard]] device_carry<A> join_in_front() const {
    bool const looks = size_ > 0 && connection().failures().ranks > 0;
    if (looks || (begin_ > 0 && !piece_.empty())) join(connection().rank(), carry() + carry_prefix);
    return {stream_memory::borrowed(stream(), carry(), device_carry<A>::bytes), begin_};
  }

 private:
  static constexpr std::uint64_t of_failed = ~std::uint64_t{0};

  [[nodiscard]] nccl const& connection() const { return all_->connection; }
  [[nodiscard]] CUstream_st* stream() const { return all_->on.stream; }
  [[nodiscard]] piece_totals<parts>* pieces() const {
    return reinterpret_cast<piece_totals<parts>*>(memory_);
  }
  [[nodiscard]] A* carry() const { return reinterpret_cast<A*>(pieces() + connection().size()); }
  [[nodiscard]] std::uint64_t* sizes_of_ranks() const {
    return reinterpret_cast<std::uint64_t*>(memory_ + connection().exchanged_bytes()) -
           connection().size();
  }

  ranks<nccl, gpu> const* all_;
  std::span<T const> piece_;
  Op const* op_;
  std::size_t begin_ = 0, size_ = 0;
  std::byte* memory_;  // totals of the pieces, a carry, and at its end the sizes of the pieces
  stream_memory own_;
};

using gpu_ranks = std::span<ranks<nccl, gpu> const>;

/// Calls f(i) for each GPU of this thread, with its device as the current one.
template <class F>
void on_each(gpu_ranks all, F const& f) {
  for (std::size_t i = 0; i < all.size(); ++i) {
    communicator_device const ours(all[i].connection.comm());
    f(i);
  }
}
/// The same as one call of NCCL, which the calls for several GPUs of one thread have to be.
template <class F>
void together(gpu_ranks all, F const& f) {
  if (all.size() == 1) return on_each(all, f);
  check_nccl(ncclGroupStart(), "ncclGroupStart");
  try {
    on_each(all, f);
  } catch (...) {
    (void)ncclGroupEnd();
    throw;
  }
  check_nccl(ncclGroupEnd(), "ncclGroupEnd");
}

template <class T>
using inputs = std::vector<std::span<T const>>;

/// Calls f() and returns what it has thrown.
template <class F>
std::exception_ptr thrown_by(F const& f) {
  try {
    f();
    return {};
  } catch (...) {
    return std::current_exception();
  }
}

/// Reduces the pieces of this thread's GPUs, and gathers the totals of all ranks. What `check`
/// throws, all ranks throw; if they know the sizes, and so do not wait for each other, when they
/// have the totals.
template <class T, class Op, class Check>
std::vector<joined_pieces<T, Op>> gather_pieces(gpu_ranks all, inputs<T> const& pieces,
                                                Op const& op, bool scan_follows,
                                                Check const& check) {
  std::exception_ptr thrown = thrown_by([&] {
    detail::expects(!all.empty() && all.size() == pieces.size(),
                    "nccl: give one piece for each rank of this thread");
    for (auto const& each : all)
      detail::expects(each.on.plans_to == nullptr,
                      "upsweep::gpu: calls over ranks do not support .plans_to");
    check();
  });
  std::vector<joined_pieces<T, Op>> calls;
  on_each(all, [&](std::size_t i) {
    calls.emplace_back(all[i], i < pieces.size() ? pieces[i] : std::span<T const>(), op);
  });
  together(all, [&](std::size_t i) { calls[i].tell_size(thrown != nullptr); });
  if (!thrown)
    thrown = thrown_by([&] { on_each(all, [&](std::size_t i) { calls[i].learn_sizes(); }); });
  auto const gather = [&] { together(all, [&](std::size_t i) { calls[i].gather(); }); };
  if (thrown) {
    auto const is_empty = [](std::size_t size) { return size == 0; };
    if (!all.empty() && !std::ranges::all_of(all.front().connection.sizes(), is_empty)) {
      on_each(all, [&](std::size_t i) { calls[i].fail(); });
      gather();  // the others, which know the sizes, wait for totals
    }
    std::rethrow_exception(thrown);
  }
  if (calls.front().size() == 0) return calls;
  on_each(all, [&](std::size_t i) { calls[i].reduce(scan_follows); });
  gather();
  return calls;
}

/// Throws if a rank has failed in a call that has finished.
inline void expect_no_failure(gpu_ranks all) {
  std::exception_ptr thrown;
  for (auto const& each : all)
    if (auto const one = thrown_by([&] { each.connection.expect_no_failure(); })) thrown = one;
  if (thrown) std::rethrow_exception(thrown);
}

template <class A>
void expect_forward(options<A> const& o) {
  detail::expects(!o.reverse, "nccl: .reverse is not supported; give the ranks in reverse order");
  detail::expect_prefix_tree(o);
}

/// A total, as detail::result_of() asks for it.
template <class A>
struct whole_total {
  A const* total;
  [[nodiscard]] A const* prefix() const { return total; }
};

template <class T, class Op, class A>
auto reduce_pieces(gpu_ranks all, inputs<T> const& pieces, Op const& op, options<A> const& o) {
  detail::float_environment const ieee;
  auto* const total = static_cast<A*>(host_slot::of_this_thread());
  auto const calls = gather_pieces(all, pieces, op, false, [&] { expect_forward(o); });
  if (calls.front().size() == 0) return detail::result_of(whole_total<A>{nullptr}, op, o);
  on_each(all.first(1), [&](std::size_t i) { calls[i].join(all[i].connection.size(), total); });
  on_each(all, [&](std::size_t i) {
    check_cuda(cudaStreamSynchronize(all[i].on.stream), "finish the reduction");
  });
  expect_no_failure(all);
  return detail::result_of(whole_total<A>{total}, op, o);
}

template <scan_kind kind, class T, class Out, class Op, class A>
void scan_pieces(gpu_ranks all, inputs<T> const& pieces, std::vector<Out> const& outs, Op const& op,
                 options<A> const& o) {
  detail::float_environment const ieee;
  auto const calls = gather_pieces(all, pieces, op, true, [&] {
    expect_forward(o);
    detail::expects(outs.size() == pieces.size(), "nccl: give one output for each piece");
    for (std::size_t i = 0; i < outs.size(); ++i)
      detail::check_output<false>("scan over ranks", pieces[i], outs[i]);
  });
  detail::first_results<kind, Op, A> const start(op, o);
  on_each(all, [&](std::size_t i) {
    auto const& call = calls[i];
    device_carry<A> left = call.join_in_front();
    if (pieces[i].empty()) return;
    sink<typename Out::pointer, Op, false> const to(outs[i].data(), outs[i].size(), op,
                                                    call.begin());
    scan_piece_on<kind>(all[i].on, call.source_of_piece(), to, pieces[i].size(), op, start.initial,
                        start.first, left);
  });
  expect_no_failure(all);
}

/// The n-th range is of the n-th rank.
template <class T, class Ranges>
std::vector<std::span<T>> spans_of(Ranges const& ranges) {
  std::vector<std::span<T>> all;
  for (auto&& each : ranges) all.emplace_back(std::ranges::data(each), std::ranges::size(each));
  return all;
}
template <class Ranges>
using element_in = std::remove_reference_t<
    std::ranges::range_reference_t<std::ranges::range_reference_t<Ranges const>>>;
template <class Ranges>
using value_in = std::remove_cv_t<element_in<Ranges>>;

}  // namespace device

/// The ranks of several GPUs that one thread calls: a communicator and a stream for each GPU.
class nccl_group {
 public:
  nccl_group(std::span<ncclComm_t const> comms, std::span<CUstream_st* const> streams,
             std::vector<std::size_t> const& sizes = {}) {
    detail::expects(!comms.empty() && comms.size() == streams.size(),
                    "nccl_group: give one stream for each communicator");
    for (std::size_t i = 0; i < comms.size(); ++i)
      ranks_.emplace_back(nccl(comms[i], streams[i], sizes), gpu{streams[i]});
  }
  [[nodiscard]] std::span<ranks<nccl, gpu> const> each() const { return ranks_; }

 private:
  std::vector<ranks<nccl, gpu>> ranks_;
};

/// reduce() of all pieces, in the order of the ranks. Every rank gets the result. Waits. `piece` is
/// in device memory, and the options must be the same on all ranks.
template <std::ranges::contiguous_range In, class Op = plus>
  requires device::joins_on_device<Op, accumulator_t<Op, std::ranges::range_value_t<In>>>
[[nodiscard]] auto reduce(
    ranks<nccl, gpu> const& all, In const& piece, Op const& op = {},
    options<accumulator_t<Op, std::ranges::range_value_t<In>>> const& o = {}) {
  return device::reduce_pieces({&all, 1}, device::inputs<std::ranges::range_value_t<In>>{piece}, op,
                               o);
}
template <std::ranges::range Pieces, class Op = plus>
  requires device::joins_on_device<Op, accumulator_t<Op, device::value_in<Pieces>>>
[[nodiscard]] auto reduce(nccl_group const& all, Pieces const& pieces, Op const& op = {},
                          options<accumulator_t<Op, device::value_in<Pieces>>> const& o = {}) {
  using T = device::value_in<Pieces>;
  return device::reduce_pieces(all.each(), device::spans_of<T const>(pieces), op, o);
}

/// Scans of all pieces. Each rank gets the results for its piece in `out`, which may be the same
/// memory. If the communicator knows the sizes, no call waits for the stream. Other ranks then
/// learn later that a rank has thrown: the next call throws, or nccl::expect_no_failure().
template <std::ranges::contiguous_range In, class Out, class Op = plus>
  requires device::joins_on_device<Op, accumulator_t<Op, std::ranges::range_value_t<In>>>
void inclusive_scan(ranks<nccl, gpu> const& all, In const& piece, Out&& out, Op const& op = {},
                    options<accumulator_t<Op, std::ranges::range_value_t<In>>> const& o = {}) {
  std::vector const outs{std::span(out)};
  device::scan_pieces<scan_kind::inclusive>(
      {&all, 1}, device::inputs<std::ranges::range_value_t<In>>{piece}, outs, op, o);
}
template <std::ranges::contiguous_range In, class Out, class Op = plus>
  requires device::joins_on_device<Op, accumulator_t<Op, std::ranges::range_value_t<In>>>
void exclusive_scan(ranks<nccl, gpu> const& all, In const& piece, Out&& out, Op const& op = {},
                    options<accumulator_t<Op, std::ranges::range_value_t<In>>> const& o = {}) {
  std::vector const outs{std::span(out)};
  device::scan_pieces<scan_kind::exclusive>(
      {&all, 1}, device::inputs<std::ranges::range_value_t<In>>{piece}, outs, op, o);
}
template <std::ranges::range Pieces, std::ranges::range Outs, class Op = plus>
  requires device::joins_on_device<Op, accumulator_t<Op, device::value_in<Pieces>>>
void inclusive_scan(nccl_group const& all, Pieces const& pieces, Outs const& outs,
                    Op const& op = {},
                    options<accumulator_t<Op, device::value_in<Pieces>>> const& o = {}) {
  device::scan_pieces<scan_kind::inclusive>(
      all.each(), device::spans_of<device::value_in<Pieces> const>(pieces),
      device::spans_of<device::element_in<Outs>>(outs), op, o);
}
template <std::ranges::range Pieces, std::ranges::range Outs, class Op = plus>
  requires device::joins_on_device<Op, accumulator_t<Op, device::value_in<Pieces>>>
void exclusive_scan(nccl_group const& all, Pieces const& pieces, Outs const& outs,
                    Op const& op = {},
                    options<accumulator_t<Op, device::value_in<Pieces>>> const& o = {}) {
  device::scan_pieces<scan_kind::exclusive>(
      all.each(), device::spans_of<device::value_in<Pieces> const>(pieces),
      device::spans_of<device::element_in<Outs>>(outs), op, o);
}

}  // namespace upsweep
