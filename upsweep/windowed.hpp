/// windowed: the reduction of every window of w consecutive elements.
#pragma once

#include <upsweep/segments.hpp>
#include <upsweep/selection.hpp>
#include <upsweep/window_totals.hpp>

#include <cstddef>
#include <type_traits>

namespace upsweep {

namespace detail {

/// Whether windows share totals: accumulators are bytes in memory, do not depend on the element's
/// position, and every total is accepted.
template <class Op, class T, class A>
inline constexpr bool windows_share_totals =
    std::is_trivially_copyable_v<A> && std::is_trivially_default_constructible_v<A> &&
    sizeof(A) <= 64 && !requires(Op const& op, A const& a) { op.accepts(a); } &&
    !requires(Op const& op, T const& x) { op.lift(x, std::size_t{}); };

/// How many windows share totals: twice as many as they are wide, since a tile combines a width of
/// elements more than it has windows; fewer where some of the threads would have no tile.
inline std::size_t window_tile(std::size_t width, std::size_t windows, std::size_t threads) {
  std::size_t const most = width < 2048 ? 4096 : 2 * width, share = windows / (2 * threads) + 1;
  if (threads == 1 || share >= most || windows < width) return most;
  std::size_t const least = width / threads < 2048 ? 2048 : width / threads;
  return share < least ? least : share;
}

/// windowed on an executor of the processor.
template <class E, class Source, class Sink, class Op, class A>
void reduce_windows(E const& on, Source const& x, Sink const& results, std::size_t windows,
                    std::size_t width, Op const& op, mode how, A const* initial) {
  auto const store = [&](std::size_t i, A const& total) {
    results.store(i, finished(op, initial ? static_cast<A>(op(*initial, total)) : total));
  };
  std::size_t const tile = window_tile(width, windows,
                                       static_cast<std::size_t>(on.width(windows + width - 1))),
                    tiles = (windows + tile - 1) / tile;
  on.for_each_line(tiles, tile, [&](std::size_t t, auto const& here) {
    std::size_t const begin = t * tile, count = at_most(tile, windows - begin);
    if constexpr (windows_share_totals<Op, typename Source::element, A>) {
      if (!prefix_in_front(op, initial)) {
        using H = std::remove_cvref_t<decltype(here)>;
        using Values = window_values<Op, A>;
        total_windows<H>(
            Values{op}, x, width, begin, count,
            [&](std::size_t i) {
              return initial ? nullptr : place_of_values<H, Values>(results, i);
            },
            [&](std::size_t i, typename Values::value const* total, std::size_t n) {
              if (initial)
                for (std::size_t j = 0; j < n; ++j) store(i + j, Values::to(total[j]));
              else
                store_values<H, Values>(results, i, total, n);
            });
        return;
      }
    }
    for (std::size_t i = begin; i < begin + count; ++i)
      results.store(
          i, reduce_call(here, call{part_of(x, i, width, as_is{}, op), width, op, how, initial}));
  });
}

/// All reductions of windows.
template <class E, class In, class Out, class Op>
void windowed_on(E const& on, In const& in, std::size_t width, Out& out, Op const& op,
                 options<accumulator_over<Op, In const>> const& o) {
  using A = accumulator_over<Op, In const>;
  if constexpr (scan_fits<In, Out, as_is, Op>()) {
    float_environment const ieee;
    expects(width > 0, "windowed: the width must be at least 1");
    expects(!o.reverse, "windowed: .reverse is not supported; reverse the ranges");
    std::size_t const n = std::ranges::size(in), windows = n < width ? 0 : n - width + 1;
    if (std::ranges::size(out) != windows)
      fail("windowed: there are %zu windows, but the output has %zu elements", windows,
           std::ranges::size(out));
    expect_apart<false>("windowed", in, out);
    as_is const f;
    auto const x = source_of<false>(in, n, f, op);
    auto const results = sink_of<false>(out, windows, op);
    static_assert(!std::remove_const_t<decltype(results)>::packed,
                  "upsweep: windowed needs an output of elements that several threads may write, "
                  "not std::vector<bool>");
    A const* const initial = o.initial ? std::addressof(*o.initial) : nullptr;
    if constexpr (has_own_memory<E>) {
      static_assert(
          requires { on.windows(x, results, windows, width, op, initial); },
          "upsweep: windowed runs on the executors of the processor and on upsweep::gpu");
      if (windows > 0) on.windows(x, results, windows, width, op, initial);
    } else {
      reduce_windows(on, x, results, windows, width, op, o.mode, initial);
    }
  }
}

}  // namespace detail

/// out[i] = reduce(in[i .. i + width)), with its bits, for each of the n - width + 1 windows of the
/// n elements of `in`, which is the size of `out` (0 if n < width). The operator is applied at most
/// about 2 log2(width) times an element if its accumulators are bytes in memory (at most 64) that
/// do not depend on positions, otherwise width - 1 times, and so are recurrences with `.initial`.
/// Throws precondition_error for a width of 0, for another size, and when the two ranges overlap.
/// Exceptions from `op` propagate (which one, if several threads meet one, is unspecified). Runs on
/// the executors of the processor, and on upsweep::gpu for operators that neither depend on
/// positions nor refuse totals.
template <elements In, executor E = detail::default_executor_t<In>, detail::output_like Out,
          class Op = plus>
void windowed(E const& on, In const& in, std::size_t width, Out&& out, Op const& op,
              options<detail::accumulator_over<Op, In const>> const& o = {}) {
  detail::windowed_on(on, in, width, out, op, o);
}
template <elements In, executor E = detail::default_executor_t<In>, detail::output_like Out>
void windowed(E const& on, In const& in, std::size_t width, Out&& out,
              options<detail::accumulator_over<plus, In const>> const& o = {}) {
  detail::windowed_on(on, in, width, out, plus{}, o);
}
template <elements In, detail::output_like Out, class Op = plus>
void windowed(In const& in, std::size_t width, Out&& out, Op const& op,
              options<detail::accumulator_over<Op, In const>> const& o = {}) {
  detail::windowed_on(detail::default_executor_t<In>{}, in, width, out, op, o);
}
template <elements In, detail::output_like Out>
void windowed(In const& in, std::size_t width, Out&& out,
              options<detail::accumulator_over<plus, In const>> const& o = {}) {
  detail::windowed_on(detail::default_executor_t<In>{}, in, width, out, plus{}, o);
}

// Chosen by calls that fit nothing above; the return type is the message.
template <class... Args>
detail::a_random_access_range_must_come_first_or_after_an_executor<Args...> windowed(
    Args const&...) = delete;

}  // namespace upsweep
