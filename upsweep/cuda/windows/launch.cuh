/// Windows: one launch for those of up to half a tile, and one more for each digit of wider ones.
#pragma once

#include <upsweep/cuda/arguments.cuh>
#include <upsweep/cuda/launch.cuh>
#include <upsweep/cuda/windows/blocks.hpp>
#include <upsweep/cuda/windows/windows.hpp>
#include <upsweep/windowed.hpp>

#include <vector>

namespace upsweep::device {

/// The elements of a thread: 128 bytes, at most 32 and at least 4 of them, and one more.
template <class A>
inline constexpr unsigned window_items = 1 + (sizeof(A) <= 4    ? 32
                                              : sizeof(A) <= 32 ? std::bit_floor(128 / sizeof(A))
                                                                : 4);
/// Digits of more bits take fewer accesses of shared memory, and more registers.
template <class A>
inline constexpr unsigned window_levels = window_items<A> > 16  ? 4
                                          : window_items<A> > 8 ? 3
                                                                : 2;
/// Three blocks of values of 4 bytes fit the registers of a multiprocessor.
template <class A>
using window_shape_of = window_shape<(sizeof(A) <= 16   ? 8
                                      : sizeof(A) <= 32 ? 4
                                                        : 2),
                                     window_items<A>, window_levels<A>, sizeof(A) == 4 ? 3 : 2>;

/// Extrema of floating-point numbers as those of integers of the same order: one instruction each.
template <class Op, class T>
struct extremum_of_keys {
  using keys = detail::window_values<Op, T>;
  using key = typename keys::value;
  template <class>
  using accumulator = key;

  constexpr key operator()(key a, key b) const {
    return detail::takes_larger<Op> ? (a > b ? a : b) : (a < b ? a : b);
  }
  constexpr key lift(T x) const { return keys::from(x); }
  constexpr T finish(key a) const { return keys::to(a); }
};
/// The operator with which a kernel combines windows for results of type U.
template <class Source, class U, class Op>
[[nodiscard]] auto window_operation(Op const& op) {
  using T = typename Source::transformed;
  if constexpr (detail::is_extremum<Op> && (std::is_same_v<T, float> || std::is_same_v<T, double>))
    return extremum_of_keys<Op, T>{};
  else
    return kernel_operation<Source, U>(op);
}
/// The initial value as an accumulator of that operator.
template <class B, class Op, class A>
[[nodiscard]] B window_initial(Op const& op, A const& initial) {
  if constexpr (std::is_same_v<A, B>)
    return initial;
  else if constexpr (std::is_floating_point_v<A>)
    return op.lift(initial);
  else
    return static_cast<B>(initial);
}

/// The plan of one launch of `windows` for windows of at most half a tile.
template <class Source, class Sink>
[[nodiscard]] cuda_plan pick_windows(std::size_t count, unsigned width, bool extends) {
  using A = typename Source::accumulator;
  using shape = window_shape_of<A>;
  static_assert(sizeof(boxed<A>) * shape::room(shape::widest) * (shape::digits + 1) <=
                    cuda_device{}.shared_bytes,
                "the arrays of the widest windows fit the shared memory of a block");
  auto const tile = static_cast<std::size_t>(shape::windows(width));
  return {
      .algorithm = cuda_algorithm::windows,
      .tile = tile,
      .blocks = divide_up(count, tile),
      .threads = shape::threads,
      .shared_bytes = sizeof(boxed<A>) * static_cast<std::size_t>(shape::room(width)) *
                      static_cast<std::size_t>(shape::arrays(width, extends)),
      .launches = 1,
      .traffic_bytes = count * (sizeof(typename Source::element) + sizeof(typename Sink::element))};
}

/// `extends`: the windows have totals of larger digits.
template <class Source, class Sink, class A>
void launch_windows(gpu const& on, cuda_device const& device, Source const& in, Sink const& out,
                    window_call<A> const& call, bool extends = false) {
  launch<windows<window_shape_of<A>, Source, Sink>>(
      pick_windows<Source, Sink>(call.count, call.width, extends), on, device, in, out, call);
}

template <class Sink, class A, class Op>
void launch_window_blocks(gpu const& on, cuda_device const& device, wide_digit<A> const& digit,
                          Sink const& out, window_call<A> const& call, Op const& op) {
  constexpr unsigned threads = 256;
  cuda_plan const plan{.algorithm = cuda_algorithm::window_blocks,
                       .tile = threads,
                       .blocks = divide_up(call.count, threads),
                       .threads = threads,
                       .launches = 1,
                       .traffic_bytes = 2 * call.count * sizeof(A)};
  launch<window_blocks<Sink, A, Op>>(plan, on, device, digit, out, call, op);
}

/// Windows that are wider than half a tile. Scratch memory has the blocks of each digit, and the
/// totals of the larger digits, so one accumulator for each element and about three bits of the
/// width.
template <class Source, class Sink, class A>
void launch_wide_windows(gpu const& on, cuda_device const& device, Source const& in,
                         Sink const& out, std::size_t width, window_call<A> call) {
  using shape = window_shape_of<A>;
  constexpr int radix = 1 << wide_levels;
  std::vector<stream_memory> blocks;
  auto const scratch = [&](std::size_t count) {
    blocks.push_back(take_memory(on, count * sizeof(A)));
    return static_cast<A*>(blocks.back().data());
  };
  std::size_t const n = call.count + width - 1;
  std::vector<wide_digit<A>> digits;
  for (std::size_t apart = shape::widest; apart <= width; apart *= radix) {
    std::size_t const count = n - apart + 1;
    A* const x = scratch(count);
    window_totals<A> const to{x, count};
    if (digits.empty())
      launch_windows(on, device, in, to,
                     window_call<A>{count, 0, static_cast<unsigned>(apart), nullptr, {}, false});
    else
      launch_window_blocks(on, device, {digits.back().x, digits.back().apart, radix}, to,
                           window_call<A>{count, 0, 0, nullptr, {}, false}, in.op);
    digits.push_back({x, apart, static_cast<int>(width / apart % radix)});
  }
  A* const totals = scratch(call.count);
  auto const rest = static_cast<unsigned>(width % shape::widest);
  bool extends = false;
  for (; !digits.empty(); digits.pop_back()) {
    wide_digit<A> const& digit = digits.back();
    if (digit.bits == 0) continue;
    window_call<A> part{call.count, width / (digit.apart * radix) * (digit.apart * radix),
                        0,          call.totals,
                        {},         false};
    if (width % digit.apart == 0) {
      part.initial = call.initial;
      part.has_initial = call.has_initial;
      return launch_window_blocks(on, device, digit, out, part, in.op);
    }
    launch_window_blocks(on, device, digit, window_totals<A>{totals, call.count}, part, in.op);
    call.totals = totals;
    extends = true;
  }
  call.offset = width - rest;
  call.width = rest;
  launch_windows(on, device, in, out, call, extends);
}

template <class Source, class Sink, class Op, class A>
void windows_on(gpu const& on, Source const& in, Sink const& out, std::size_t count,
                std::size_t width, Op const& op, A const* initial) {
  check_accumulator<A>();
  static_assert(
      !refuses<Op, A> &&
          !requires(typename Source::transformed const& x) { op.lift(x, std::size_t{}); },
      "upsweep::gpu: windows share totals, so the operator of windowed may neither depend on "
      "positions, as arg_min does, nor refuse totals, as checked ones do");
  auto const combine = window_operation<Source, typename Sink::element>(op);
  auto const from = kernel_source(in, count + width - 1, combine);
  auto const to = kernel_sink(out, count, combine);
  using B = typename std::remove_cv_t<decltype(from)>::accumulator;
  window_call<B> call{count, 0, 0, nullptr, B{}, initial != nullptr};
  if (initial != nullptr) call.initial = window_initial<B>(combine, *initial);
  cuda_device const device = device_of(on);
  if (width > window_shape_of<B>::widest)
    return launch_wide_windows(on, device, from, to, width, call);
  call.width = static_cast<unsigned>(width);
  launch_windows(on, device, from, to, call);
}

}  // namespace upsweep::device
