/// Windows: one launch for those of up to 4096 numbers, and one more for each digit of wider ones.
#pragma once

#include <upsweep/core/rounding.hpp>
#include <upsweep/cuda/arguments.cuh>
#include <upsweep/cuda/launch.cuh>
#include <upsweep/cuda/windows/windows.hpp>
#include <upsweep/windowed.hpp>

#include <algorithm>
#include <bit>
#include <cstddef>
#include <type_traits>
#include <vector>

namespace upsweep::device {

/// The windows of one launch have up to 4096 elements, fewer if those have more than 8 bytes,
/// because the longest delays are in shared memory.
template <class A>
inline constexpr unsigned widest_log2 = 15 - level_of<std::bit_ceil(sizeof(A) < 8 ? 8 : sizeof(A))>;
template <class A>
inline constexpr std::size_t widest = std::size_t{1} << widest_log2<A>;

/// How many bits of the width are delays in registers.
template <class A>
inline constexpr unsigned kept_log2 = sizeof(A) <= 8    ? 9
                                      : sizeof(A) <= 16 ? 7
                                                        : 6;
/// The registers of a multiprocessor hold three blocks of values of 4 bytes, and two more if there
/// are no delays of rows.
template <class A, unsigned kept, unsigned levels>
using window_shape_of =
    window_shape<(sizeof(A) <= 4   ? 8
                  : sizeof(A) <= 8 ? 4
                                   : 1),
                 kept, levels, (sizeof(A) <= 4 ? 3 : 2) + (kept == 5 && sizeof(A) <= 8 ? 2 : 0)>;

/// Extrema of floating-point numbers as those of integers of the same order: one instruction each.
template <class Op, class T>
struct extremum_of_keys {
  using keys = detail::window_values<Op, T>;
  using key = typename keys::value;
  template <class>
  using accumulator = key;

  UPSWEEP_BOTH constexpr key operator()(key a, key b) const {
    return detail::takes_larger<Op> ? (a > b ? a : b) : (a < b ? a : b);
  }
  UPSWEEP_BOTH constexpr key lift(T x) const { return keys::from(x); }
  UPSWEEP_BOTH constexpr T finish(key a) const { return keys::to(a); }
  template <class>
  static UPSWEEP_BOTH constexpr key identity() {
    return detail::takes_larger<Op> ? detail::lowest<key> : detail::largest<key>;
  }
};
template <class Op, class T, class A>
inline constexpr bool has_neutral<extremum_of_keys<Op, T>, A> = true;
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

/// The plan of one launch of `windows`: as many blocks as are resident, with a strip each.
template <class Shape, bool extends, class Source, class Sink, class A>
[[nodiscard]] cuda_plan pick_windows(cuda_device const& device, window_call<A> const& call) {
  static_assert(sizeof(boxed<A>) * Shape::warps * (3 * widest<A> / 2) <= cuda_device{}.shared_bytes,
                "the rings of the widest windows fit the shared memory of a block");
  std::size_t const rings = Shape::ring_values(call.width, extends),
                    shared = Shape::has_rings ? sizeof(boxed<A>) * Shape::warps * rings : 0;
  std::size_t const fit = device.shared_bytes / (shared + 1024),
                    resident = static_cast<std::size_t>(device.multiprocessors) *
                               std::min(fit, std::size_t{Shape::blocks});
  constexpr std::size_t most = std::size_t{Shape::warps} << 29;
  std::size_t const tile =
      std::min(most, divide_up(divide_up(call.count, resident), Shape::threads) * Shape::threads);
  return {.algorithm = cuda_algorithm::windows,
          .tile = tile,
          .blocks = divide_up(call.count, tile),
          .threads = Shape::threads,
          .shared_bytes = shared,
          .launches = 1,
          .traffic_bytes =
              call.count * (sizeof(typename Source::element) + sizeof(typename Sink::element))};
}

/// With delays of rows in registers, and in shared memory, only if the width needs them.
template <bool extends, class Source, class Sink, class A>
void launch_windows(gpu const& on, cuda_device const& device, Source const& in, Sink const& out,
                    window_call<A> const& call) {
  auto const with = [&]<class Shape>(Shape) {
    cuda_plan const plan = pick_windows<Shape, extends, Source, Sink>(device, call);
    launch<windows<Shape, extends, Source, Sink>>(plan, on, device, in, out, call,
                                                  plan.tile / Shape::warps);
  };
  constexpr unsigned kept = kept_log2<A>;
  if constexpr (!extends && !std::is_same_v<Sink, window_totals<A>>) {
    if (call.width < 64) return with(window_shape_of<A, 5, 5>{});
    if (call.width < 2U << kept) return with(window_shape_of<A, kept, kept>{});
  }
  with(window_shape_of<A, kept, widest_log2<A>>{});
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

/// Windows that are wider than widest<A>. Temporary storage has the blocks of each digit, and the
/// totals of the larger digits, so one accumulator for each element and about three bits of the
/// width.
template <class Source, class Sink, class A>
void launch_wide_windows(gpu const& on, cuda_device const& device, Source const& in,
                         Sink const& out, std::size_t width, window_call<A> call) {
  constexpr int radix = 1 << wide_levels;
  std::vector<stream_memory> blocks;
  auto const scratch = [&](std::size_t count) {
    blocks.push_back(take_memory(on, count * sizeof(A)));
    return static_cast<A*>(blocks.back().data());
  };
  std::size_t const n = call.count + width - 1;
  std::vector<wide_digit<A>> digits;
  for (std::size_t apart = widest<A>; apart <= width; apart *= radix) {
    std::size_t const count = n - apart + 1;
    A* const x = scratch(count);
    window_totals<A> const to{x};
    if (digits.empty())
      launch_windows<false>(
          on, device, in, to,
          window_call<A>{count, 0, static_cast<unsigned>(apart), nullptr, {}, false});
    else
      launch_window_blocks(on, device, {digits.back().x, digits.back().apart, radix}, to,
                           window_call<A>{count, 0, 0, nullptr, {}, false}, in.op);
    digits.push_back({x, apart, static_cast<int>(width / apart % radix)});
  }
  A* const totals = scratch(call.count);
  auto const rest = static_cast<unsigned>(width % widest<A>);
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
    launch_window_blocks(on, device, digit, window_totals<A>{totals}, part, in.op);
    call.totals = totals;
  }
  call.offset = width - rest;
  call.width = rest;
  launch_windows<true>(on, device, in, out, call);
}

template <class Source, class Sink, class Op, class A>
void windows_on(gpu const& on, Source const& in, Sink const& out, std::size_t count,
                std::size_t width, Op const& op, A const* initial) {
  check_accumulator<A>();
  static_assert(
      !refuses<Op, A> &&
          !requires(typename Source::transformed const& x) { op.lift(x, std::size_t{}); },
      "upsweep::gpu: windowed supports neither operators that depend on positions, such as "
      "arg_min, nor checked operators, because adjacent windows share partial results; use the "
      "CPU");
  auto const combine = window_operation<Source, typename Sink::element>(op);
  auto const from = kernel_source(in, count + width - 1, combine);
  auto const to = kernel_sink(out, count, combine);
  using B = typename std::remove_cv_t<decltype(from)>::accumulator;
  window_call<B> call{count, 0, 0, nullptr, B{}, initial != nullptr};
  if (initial != nullptr) call.initial = window_initial<B>(combine, *initial);
  cuda_device const device = device_of(on);
  if (width > widest<B>) return launch_wide_windows(on, device, from, to, width, call);
  call.width = static_cast<unsigned>(width);
  launch_windows<false>(on, device, from, to, call);
}

}  // namespace upsweep::device
