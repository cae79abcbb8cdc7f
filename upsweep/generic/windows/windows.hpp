/// Windows on an executor without kernels of its own for them: tiles of windows that share totals,
/// distributed over its threads.
#pragma once

#include <upsweep/call/results.hpp>
#include <upsweep/generic/windows/totals.hpp>

#include <cstddef>
#include <type_traits>

namespace upsweep::detail {

/// Whether windows share totals: accumulators are bytes in memory, do not depend on the element's
/// position, and every total is accepted.
template <class Op, class T, class A>
inline constexpr bool windows_share_totals =
    std::is_trivially_copyable_v<A> && std::is_trivially_default_constructible_v<A> &&
    sizeof(A) <= 64 && !requires(Op const& op, A const& a) { op.accepts(a); } &&
    !requires(Op const& op, T const& x) { op.lift(x, std::size_t{}); };

/// How many windows share totals: twice as many as they are wide, since a tile combines a width of
/// elements more than it has windows; fewer where some of the threads would have no tile. With a
/// kernel, whose memory does not depend on it, two tiles for each thread or, of narrow windows, up
/// to eight.
inline std::size_t window_tile(std::size_t width, std::size_t windows, std::size_t threads,
                               bool has_kernel) {
  std::size_t const most = has_kernel     ? windows
                           : width < 2048 ? 4096
                                          : 2 * width,
                    share = windows / (2 * threads) + 1;
  if (threads == 1 || windows < width) return most;
  if (has_kernel) return share > 64 * width ? share / 4 : share;
  if (share >= most) return most;
  std::size_t const least = width / threads < 2048 ? 2048 : width / threads;
  return share < least ? least : share;
}

/// Result i is the reduction of elements [i, i + width).
template <class E, class Source, class Sink, class Op, class A>
void reduce_windows(E const& on, Source const& x, Sink const& results, std::size_t windows,
                    std::size_t width, Op const& op, mode how, A const* initial) {
  auto const store = [&](std::size_t i, A const& total) {
    results.store(i, finished(op, initial ? static_cast<A>(op(*initial, total)) : total));
  };
  constexpr bool has_kernel = has_kernel_for<E, window_values<Op, A>>;
  std::size_t const tile = window_tile(width, windows, threads_for(on, windows + width - 1),
                                       has_kernel),
                    tiles = (windows + tile - 1) / tile;
  on.for_each_line(tiles, tile, [&](std::size_t t, auto const& here) {
    std::size_t const begin = t * tile, count = at_most(tile, windows - begin);
    if constexpr (windows_share_totals<Op, typename Source::element, A>) {
      if (!prefix_in_front(op, initial)) {
        using H = std::remove_cvref_t<decltype(here)>;
        using Values = window_values<Op, A>;
        auto const store_some = [&](std::size_t i, typename Values::value const* total,
                                    std::size_t n) {
          if (initial)
            for (std::size_t j = 0; j < n; ++j) store(i + j, Values::to(total[j]));
          else
            store_values<H, Values>(results, i, total, n);
        };
        if constexpr (has_kernel_for<H, Values>)
          total_windows_by_kernel<H, Values>(
              x, width, begin, count,
              initial ? nullptr : place_of_values<H, Values>(results, begin), store_some);
        else
          total_windows<H>(Values{op}, x, width, begin, count, store_some);
        return;
      }
    }
    for (std::size_t i = begin; i < begin + count; ++i)
      results.store(
          i, reduce_call(here, call{part_of(x, i, width, as_is{}, op), width, op, how, initial}));
  });
}

}  // namespace upsweep::detail
