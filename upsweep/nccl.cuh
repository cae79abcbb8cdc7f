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
#include <upsweep/cuda/pieces/joined_pieces.cuh>
#include <upsweep/ranks.hpp>
#include <upsweep/ranks/call.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <optional>
#include <ranges>
#include <span>
#include <type_traits>
#include <vector>

namespace upsweep {

namespace device {

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

/// The pieces of this thread's GPUs, or what listing them has thrown.
template <class T>
struct inputs {
  std::span<std::span<T const> const> pieces;
  std::exception_ptr thrown{};
};

inline bool are_all_empty(std::vector<std::size_t> const& sizes) {
  return std::ranges::all_of(sizes, [](std::size_t size) { return size == 0; });
}

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

/// The call that all ranks must make.
template <class T, class Op, class A>
detail::call_of_ranks call_of(char const* verb, Op const& op, options<A> const& o) {
  detail::call_of_ranks call(verb, {});
  call.template elements<T>().operation(op).options(o.reverse, o.mode, o.tree,
                                                    o.initial.has_value());
  return call;
}

/// Reduces the pieces of this thread's GPUs, and gathers the totals of all ranks. What a rank
/// throws before it has sent its totals, among them what `check` throws, all ranks throw: a rank
/// that fails sends words or totals that say so, from memory that it had before. Ranks learn it
/// with the sizes; if they know the sizes or one fails later, when they have the totals.
template <class T, class Op, class A, class Check>
std::vector<joined_pieces<T, Op>> gather_pieces(char const* verb, gpu_ranks all,
                                                inputs<T> const& in, Op const& op,
                                                options<A> const& o, bool scan_follows,
                                                Check const& check) {
  std::vector<joined_pieces<T, Op>> calls;
  detail::call_of_ranks call(0);
  std::exception_ptr thrown = thrown_by([&] {
    if (in.thrown) std::rethrow_exception(in.thrown);
    detail::expects(!all.empty() && all.size() == in.pieces.size(),
                    "nccl: give one piece for each rank of this thread");
    for (auto const& each : all)
      detail::expects(each.on.plans_to == nullptr,
                      "upsweep::gpu: calls over ranks do not support .plans_to");
    detail::expects(!o.reverse, "nccl: .reverse is not supported; give the ranks in reverse order");
    detail::expect_prefix_tree(o);
    check();
    call = call_of<T>(verb, op, o);
    calls.reserve(all.size());
    on_each(all, [&](std::size_t i) { calls.emplace_back(all[i], in.pieces[i], op); });
  });
  bool const knows_sizes = !all.empty() && !all.front().connection.sizes().empty();
  together(all, [&](std::size_t i) {
    if (thrown)
      tell_words(all[i], all[i].connection.memory(all[i].on.stream), words_of_failed);
    else
      calls[i].tell(call);
  });
  if (thrown && !knows_sizes) std::rethrow_exception(thrown);
  if (!thrown) {
    auto const learn = [&] { on_each(all, [&](std::size_t i) { calls[i].learn_sizes(); }); };
    if (!knows_sizes) learn();  // if it throws, it throws on all ranks
    thrown = thrown_by([&] {
      if (knows_sizes) learn();
      if (calls.front().size() > 0)
        on_each(all, [&](std::size_t i) { calls[i].reduce(scan_follows); });
    });
  }
  bool const is_empty =
      knows_sizes ? are_all_empty(all.front().connection.sizes()) : calls.front().size() == 0;
  if (!is_empty)
    together(all, [&](std::size_t i) {
      if (thrown)
        joined_pieces<T, Op>::gather_failure(all[i]);
      else
        calls[i].gather();
    });
  if (thrown) std::rethrow_exception(thrown);
  return calls;
}

/// Throws if a rank has failed in a call that has finished.
inline void expect_no_failure(gpu_ranks all) {
  std::exception_ptr thrown;
  for (auto const& each : all)
    if (auto const one = thrown_by([&] { each.connection.expect_no_failure(); })) thrown = one;
  if (thrown) std::rethrow_exception(thrown);
}

/// The n-th range is of the n-th rank.
template <class T, class Ranges>
std::vector<std::span<T>> spans_of(Ranges const& ranges) {
  std::vector<std::span<T>> all;
  for (auto&& each : ranges) all.emplace_back(std::ranges::data(each), std::ranges::size(each));
  return all;
}

/// A total, as detail::result_of() asks for it.
template <class A>
struct whole_total {
  A const* total;
  [[nodiscard]] A const* prefix() const { return total; }
};

template <class T, class Op, class A>
auto reduce_pieces(gpu_ranks all, inputs<T> const& in, Op const& op, options<A> const& o) {
  detail::float_environment const ieee;
  A* total = nullptr;
  auto const calls = gather_pieces("reduce", all, in, op, o, false,
                                   [&] { total = static_cast<A*>(host_slot::of_this_thread()); });
  if (calls.front().size() == 0) return detail::result_of(whole_total<A>{nullptr}, op, o);
  on_each(all.first(1), [&](std::size_t i) { calls[i].join(all[i].connection.size(), total); });
  on_each(all, [&](std::size_t i) {
    check_cuda(cudaStreamSynchronize(all[i].on.stream), "finish the reduction");
  });
  expect_no_failure(all);
  return detail::result_of(whole_total<A>{total}, op, o);
}

template <scan_kind kind, class T, class Out, class Op, class A>
void scan_pieces(gpu_ranks all, inputs<T> const& in, std::span<Out const> outs, Op const& op,
                 options<A> const& o) {
  detail::float_environment const ieee;
  bool constexpr is_inclusive = kind == scan_kind::inclusive;
  std::optional<detail::first_results<kind, Op, A>> start;
  auto const check = [&] {
    start.emplace(op, o);
    detail::expects(outs.size() == in.pieces.size(), "nccl: give one output for each piece");
    for (std::size_t i = 0; i < outs.size(); ++i)
      detail::check_output<false>("scan over ranks", in.pieces[i], outs[i]);
  };
  auto const calls = gather_pieces(is_inclusive ? "inclusive_scan" : "exclusive_scan", all, in, op,
                                   o, true, check);
  on_each(all, [&](std::size_t i) {
    auto const& call = calls[i];
    device_carry<A> left = call.join_before();
    if (in.pieces[i].empty()) return;
    sink<typename Out::pointer, Op, false> const to(outs[i].data(), outs[i].size(), op,
                                                    call.begin());
    scan_piece_on<kind>(all[i].on, call.source_of_piece(), to, in.pieces[i].size(), op,
                        start->initial, start->first, left);
  });
  expect_no_failure(all);
}

/// The same of one rank, and of the ranks of a group.
template <scan_kind kind, class T, class Out, class Op, class A>
void scan_piece(ranks<nccl, gpu> const& all, std::span<T const> in, Out const& out, Op const& op,
                options<A> const& o) {
  scan_pieces<kind>({&all, 1}, inputs<T>{{&in, 1}}, std::span<Out const>(&out, 1), op, o);
}
template <class Ranges>
using element_in = std::remove_reference_t<
    std::ranges::range_reference_t<std::ranges::range_reference_t<Ranges const>>>;
template <class Ranges>
using value_in = std::remove_cv_t<element_in<Ranges>>;
template <scan_kind kind, class Pieces, class Outs, class Op, class A>
void scan_group(gpu_ranks all, Pieces const& pieces, Outs const& outs, Op const& op,
                options<A> const& o) {
  using T = value_in<Pieces>;
  using out = std::span<element_in<Outs>>;
  std::vector<std::span<T const>> in;
  std::vector<out> to;
  auto const thrown = thrown_by([&] {
    in = spans_of<T const>(pieces);
    to = spans_of<element_in<Outs>>(outs);
  });
  scan_pieces<kind>(all, inputs<T>{in, thrown}, std::span<out const>(to), op, o);
}

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
  using T = std::ranges::range_value_t<In>;
  std::span<T const> const in(piece);
  return device::reduce_pieces({&all, 1}, device::inputs<T>{{&in, 1}}, op, o);
}
template <std::ranges::range Pieces, class Op = plus>
  requires device::joins_on_device<Op, accumulator_t<Op, device::value_in<Pieces>>>
[[nodiscard]] auto reduce(nccl_group const& all, Pieces const& pieces, Op const& op = {},
                          options<accumulator_t<Op, device::value_in<Pieces>>> const& o = {}) {
  using T = device::value_in<Pieces>;
  std::vector<std::span<T const>> in;
  auto const thrown = device::thrown_by([&] { in = device::spans_of<T const>(pieces); });
  return device::reduce_pieces(all.each(), device::inputs<T>{in, thrown}, op, o);
}

/// Scans of all pieces. Each rank gets the results for its piece in `out`, which may be the same
/// memory. If the communicator knows the sizes, no call waits for the stream. Other ranks then
/// learn later that a rank has thrown: the next call throws, or nccl::expect_no_failure(). So they
/// do if a rank has no memory to reduce its piece.
template <std::ranges::contiguous_range In, class Out, class Op = plus>
  requires device::joins_on_device<Op, accumulator_t<Op, std::ranges::range_value_t<In>>>
void inclusive_scan(ranks<nccl, gpu> const& all, In const& piece, Out&& out, Op const& op = {},
                    options<accumulator_t<Op, std::ranges::range_value_t<In>>> const& o = {}) {
  using T = std::ranges::range_value_t<In>;
  device::scan_piece<scan_kind::inclusive, T>(all, piece, std::span(out), op, o);
}
template <std::ranges::contiguous_range In, class Out, class Op = plus>
  requires device::joins_on_device<Op, accumulator_t<Op, std::ranges::range_value_t<In>>>
void exclusive_scan(ranks<nccl, gpu> const& all, In const& piece, Out&& out, Op const& op = {},
                    options<accumulator_t<Op, std::ranges::range_value_t<In>>> const& o = {}) {
  using T = std::ranges::range_value_t<In>;
  device::scan_piece<scan_kind::exclusive, T>(all, piece, std::span(out), op, o);
}
template <std::ranges::range Pieces, std::ranges::range Outs, class Op = plus>
  requires device::joins_on_device<Op, accumulator_t<Op, device::value_in<Pieces>>>
void inclusive_scan(nccl_group const& all, Pieces const& pieces, Outs const& outs,
                    Op const& op = {},
                    options<accumulator_t<Op, device::value_in<Pieces>>> const& o = {}) {
  device::scan_group<scan_kind::inclusive>(all.each(), pieces, outs, op, o);
}
template <std::ranges::range Pieces, std::ranges::range Outs, class Op = plus>
  requires device::joins_on_device<Op, accumulator_t<Op, device::value_in<Pieces>>>
void exclusive_scan(nccl_group const& all, Pieces const& pieces, Outs const& outs,
                    Op const& op = {},
                    options<accumulator_t<Op, device::value_in<Pieces>>> const& o = {}) {
  device::scan_group<scan_kind::exclusive>(all.each(), pieces, outs, op, o);
}

}  // namespace upsweep
