/// windowed: the reduction of every window of w consecutive elements.
#pragma once

#include <upsweep/ops/min_max.hpp>
#include <upsweep/segments.hpp>
#include <upsweep/selection.hpp>

#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <limits>
#include <type_traits>
#include <utility>

namespace upsweep {

namespace detail {

inline constexpr std::size_t window_block = 128;  // compilers vectorise loops over it at -O2

/// to[i] = op(a[i], b[i]) for i < n, where `to` is other memory.
template <class Op, class A>
void combine_each(Op const& op, A const* a, A const* b, A* __restrict to, std::size_t n) {
  for (; n >= window_block;
       n -= window_block, a += window_block, b += window_block, to += window_block)
    for (std::size_t j = 0; j < window_block; ++j) to[j] = static_cast<A>(op(a[j], b[j]));
  for (std::size_t j = 0; j < n; ++j) to[j] = static_cast<A>(op(a[j], b[j]));
}

/// The totals of the windows of `width` elements that begin at one of `count` neighbours, from the
/// width + count - 1 elements in `x`; returns where they are. Before step k, x[i] is the total of
/// the 2^k elements from i on: a node of the combine tree of each window for which it begins a
/// complete block. `other` has room for as many accumulators, `parts` for `count` of them for each
/// bit that is set in the width.
template <class Op, class A>
A const* totals_of_windows(Op const& op, A* x, A* other, std::size_t width, std::size_t count,
                           A* parts) {
  std::size_t elements = width + count - 1;
  int const top = floor_log2(width);
  // Of bit k, or of the next one that is set.
  auto const part = [&](int k) {
    std::size_t const smaller = width & ((std::size_t{1} << k) - 1);
    return parts + static_cast<std::size_t>(std::popcount(smaller)) * count;
  };
  for (int k = 0; k < top; ++k) {
    std::size_t const half = std::size_t{1} << k;
    if ((width & half) != 0) {
      // Blocks of this size begin behind those of the larger bits.
      std::size_t const behind = width & ~(2 * half - 1);
      std::memcpy(static_cast<void*>(part(k)), x + behind, count * sizeof(A));
    }
    elements -= half;
    combine_each(op, x, x + half, other, elements);
    std::swap(x, other);
  }
  A const* total = x;
  for (int k = top - 1; k >= 0; --k)
    if ((width >> k & 1) != 0) {
      combine_each(op, total, part(k), part(k + 1), count);
      total = part(k + 1);
    }
  return total;
}

/// What the windows of a tile are combined as: accumulators by the operator.
template <class Op, class A>
struct window_values {
  using value = A;
  Op const& op;
  A operator()(A const& a, A const& b) const { return static_cast<A>(op(a, b)); }
  static A const& from(A const& a) { return a; }
  static A const& to(A const& a) { return a; }
};

template <class Op>
inline constexpr bool takes_larger = std::is_same_v<Op, max> || std::is_same_v<Op, max_number>;
template <class Op>
inline constexpr bool is_extremum =
    takes_larger<Op> || std::is_same_v<Op, min> || std::is_same_v<Op, min_number>;

/// Extrema of floating-point numbers are those of integers of the same order, which need no
/// branches for -0 and NaN.
template <class Op, class A>
  requires(is_extremum<Op> && (std::is_same_v<A, float> || std::is_same_v<A, double>))
struct window_values<Op, A> {
  using value = std::conditional_t<sizeof(A) == 4, std::int32_t, std::int64_t>;
  Op const& op;
  value operator()(value a, value b) const {
    return takes_larger<Op> ? (a > b ? a : b) : (a < b ? a : b);
  }
  static constexpr value from(A x) {
    // A NaN that wins is one behind all numbers for max, and in front of them for min.
    constexpr bool nan_wins = std::is_same_v<Op, max> || std::is_same_v<Op, min>;
    constexpr A nan = std::numeric_limits<A>::quiet_NaN();
    return ordered(std::bit_cast<value>(x != x ? (takes_larger<Op> == nan_wins ? nan : -nan) : x));
  }
  static constexpr A to(value key) { return std::bit_cast<A>(ordered(key)); }

 private:
  /// Negative numbers have their order reversed; twice is the identity.
  static constexpr value ordered(value bits) {
    return bits ^ ((bits >> (8 * sizeof(A) - 1)) & std::numeric_limits<value>::max());
  }
};

/// The elements of a source from `begin` on.
template <class Values, class Source>
void load_elements(Source const& x, std::size_t begin, typename Values::value* __restrict to,
                   std::size_t n) {
  std::size_t i = 0;
  for (; n - i >= window_block; i += window_block, to += window_block) {
    auto const from = x.from(begin + i);
    for (std::size_t j = 0; j < window_block; ++j) to[j] = Values::from(from(static_cast<int>(j)));
  }
  for (; i < n; ++i) *to++ = Values::from(x(begin + i));
}
/// The same into a sink.
template <class Values, class Sink>
void store_results(Sink const& results, std::size_t begin,
                   typename Values::value const* __restrict total, std::size_t n) {
  std::size_t i = 0;
  for (; n - i >= window_block; i += window_block) {
    auto const to = results.from(begin + i);
    for (std::size_t j = 0; j < window_block; ++j)
      to(static_cast<int>(j), Values::to(total[i + j]));
  }
  for (; i < n; ++i) results(begin + i, Values::to(total[i]));
}

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
        std::size_t const elements = width + count - 1,
                          parts = static_cast<std::size_t>(std::popcount(width));
        using Values = window_values<Op, A>;
        using V = typename Values::value;
        call_memory<V> const memory(2 * elements + parts * count);
        V* const values = memory.first();
        load_elements<Values>(x, begin, values, elements);
        V const* const total = totals_of_windows(Values{op}, values, values + elements, width,
                                                 count, values + 2 * elements);
        if (initial)
          for (std::size_t i = 0; i < count; ++i) store(begin + i, Values::to(total[i]));
        else
          store_results<Values>(results, begin, total, count);
        return;
      }
    }
    for (std::size_t i = begin; i < begin + count; ++i)
      results.store(
          i, reduce_call(here, call{part_of(x, i, width, as_is{}, op), width, op, how, initial}));
  });
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
template <elements In, executor E = detail::default_executor_t<In>, elements Out, class Op = plus>
void windowed(E const& on, In const& in, std::size_t width, Out&& out, Op const& op = {},
              options<detail::accumulator_over<Op, In const>> const& o = {}) {
  using namespace detail;
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
template <elements In, elements Out, class Op = plus>
void windowed(In const& in, std::size_t width, Out&& out, Op const& op = {},
              options<detail::accumulator_over<Op, In const>> const& o = {}) {
  upsweep::windowed(detail::default_executor_t<In>{}, in, width, out, op, o);
}

}  // namespace upsweep
