/// Windows on an executor without kernels of its own for them: tiles of windows that share totals,
/// distributed over its threads.
#pragma once

#include <upsweep/call/executor.hpp>
#include <upsweep/call/results.hpp>
#include <upsweep/core/call_memory.hpp>
#include <upsweep/core/combine_tree.hpp>
#include <upsweep/core/rounding.hpp>
#include <upsweep/ops/arithmetic.hpp>
#include <upsweep/ops/min_max.hpp>

#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <type_traits>
#include <utility>

UPSWEEP_IEEE_BEGIN
namespace upsweep::detail {

inline constexpr std::size_t window_block = 128;  // compilers vectorize loops over it at -O2

template <class Op>
inline constexpr bool takes_larger = std::is_same_v<Op, max> || std::is_same_v<Op, max_number>;
template <class Op>
inline constexpr bool is_extremum =
    takes_larger<Op> || std::is_same_v<Op, min> || std::is_same_v<Op, min_number>;

/// What the windows of a tile are combined as: accumulators by the operator.
template <class Op, class A>
struct window_values {
  using value = A;
  using operation = Op;
  /// Whether values represent numbers of this type.
  template <class T>
  static constexpr bool orders = false;
  static constexpr bool is_integer =
      std::is_same_v<A, std::int32_t> || std::is_same_v<A, std::int64_t>;
  /// Whether executors may have a kernel for them.
  static constexpr bool has_kernel =
      std::is_same_v<Op, plus> ? is_integer || std::is_same_v<A, float> || std::is_same_v<A, double>
                               : is_extremum<Op> && is_integer;
  Op const& op;

  A combined(A const& a, A const& b) const { return static_cast<A>(op(a, b)); }
  static A const& from(A const& a) { return a; }
  static A const& to(A const& a) { return a; }
};

/// Extrema of floating-point numbers are those of integers of the same order, which need no
/// branches for -0 and NaN.
template <class Op, class A>
  requires(is_extremum<Op> && (std::is_same_v<A, float> || std::is_same_v<A, double>))
struct window_values<Op, A> {
  using value = std::conditional_t<sizeof(A) == 4, std::int32_t, std::int64_t>;
  using operation = Op;
  template <class T>
  static constexpr bool orders = std::is_same_v<T, A>;
  static constexpr bool has_kernel = true;
  Op const& op;

  value combined(value a, value b) const {
    return takes_larger<Op> ? (a > b ? a : b) : (a < b ? a : b);
  }
  /// The replacement of each NaN. If NaN wins, it is greater than all numbers for max, and less for
  /// min.
  static UPSWEEP_BOTH constexpr A nan() {
    constexpr bool nan_wins = std::is_same_v<Op, max> || std::is_same_v<Op, min>;
    constexpr A positive = not_a_number<A>;
    return takes_larger<Op> == nan_wins ? positive : -positive;
  }
  static UPSWEEP_BOTH constexpr value from(A x) {
    return ordered(__builtin_bit_cast(value, is_nan_value(x) ? nan() : x));
  }
  static UPSWEEP_BOTH constexpr A to(value key) { return __builtin_bit_cast(A, ordered(key)); }

 private:
  /// Negative numbers have their order reversed; twice is the identity.
  static UPSWEEP_BOTH constexpr value ordered(value bits) {
    return bits ^ ((bits >> (8 * sizeof(A) - 1)) & detail::largest<value>);
  }
};

template <class E, class Values>
inline constexpr bool has_kernel_for = has_window_kernels<E> && Values::has_kernel;

/// The executor's kernel.
template <class E, class Op, class V>
void window_totals(V const* x, std::size_t n, std::size_t at, std::size_t width, V* memory, V* to) {
  using kernels = typename E::kernels;
  if constexpr (std::is_same_v<Op, plus>)
    kernels::add(x, n, at, width, memory, to);
  else if constexpr (takes_larger<Op>)
    kernels::larger(x, n, at, width, memory, to);
  else
    kernels::smaller(x, n, at, width, memory, to);
}

/// The totals of `count` windows of `width` elements, of which one begins at each position of a
/// tile, level by level.
template <class Values>
class window_levels {
 public:
  using V = typename Values::value;

  /// `parts` has room for `count` values for each bit that is set in the width.
  window_levels(Values const& values, std::size_t width, std::size_t count, V* parts)
      : values_(values),
        width_(width),
        count_(count),
        parts_(parts),
        top_(floor_log2(width)),
        lowest_(std::countr_zero(width)) {}

  /// From x, `n` elements, the totals of the 2^top elements from each position on; `other` and
  /// `another`, which may be x, have room for as many. Keeps the parts of windows.
  V const* raise(V const* x, std::size_t n, V* other, V* another) const {
    for (int k = 0; k < top_; ++k) {
      std::size_t const half = std::size_t{1} << k, offset = width_ >> (k + 1) << (k + 1);
      if (has(k)) std::memcpy(static_cast<void*>(part(k)), x + offset, count_ * sizeof(V));
      n -= half;
      combine(x, x + half, other, n);
      x = other;
      std::swap(other, another);
    }
    return x;
  }

  /// The totals of the windows, in `to` or `total`, from those of their first 2^top elements.
  V const* finish(V const* total, V* to) const {
    for (int k = top_ - 1; k >= lowest_; --k)
      if (has(k)) {
        V* const next = k == lowest_ ? to : part(k + 1);
        combine(total, part(k), next, count_);
        total = next;
      }
    return total;
  }

 private:
  [[nodiscard]] bool has(int k) const { return (width_ >> k & 1) != 0; }
  /// Of bit k, or of the next one that is set.
  [[nodiscard]] V* part(int k) const {
    std::size_t const smaller = width_ & ((std::size_t{1} << k) - 1);
    return parts_ + static_cast<std::size_t>(std::popcount(smaller)) * count_;
  }
  /// to[i] = a[i] and b[i] combined for i < n, where `to` is other memory. At a multiple of 64
  /// bytes, because its short loop takes half as long again if it lies across two lines of
  /// instructions.
  [[gnu::noinline, gnu::aligned(64)]] void combine(V const* a, V const* b, V* __restrict to,
                                                   std::size_t n) const {
    auto const run = [&]<std::size_t block>(std::integral_constant<std::size_t, block>) {
      for (; n >= block; n -= block, a += block, b += block, to += block)
        for (std::size_t j = 0; j < block; ++j) to[j] = values_.combined(a[j], b[j]);
    };
    run(std::integral_constant<std::size_t, window_block>());
    run(std::integral_constant<std::size_t, 16>());
    for (std::size_t j = 0; j < n; ++j) to[j] = values_.combined(a[j], b[j]);
  }

  Values const& values_;
  std::size_t width_, count_;
  V* parts_;
  int top_, lowest_;
};

/// Values of a source from `begin` on, in `to` or where they are in memory.
template <class E, class Values, class Source>
typename Values::value const* load_values(Source const& x, std::size_t begin,
                                          typename Values::value* __restrict to, std::size_t n) {
  using V = typename Values::value;
  if constexpr (has_kernel_for<E, Values> && Source::plain) {
    if constexpr (std::is_same_v<typename Source::element, V>) {
      return x.pointer(begin);
    } else if constexpr (Values::template orders<typename Source::element>) {
      E::kernels::order(x.pointer(begin), n, to, Values::nan());
      return to;
    }
  }
  V* next = to;
  std::size_t i = 0;
  for (; n - i >= window_block; i += window_block, next += window_block) {
    auto const from = x.from(begin + i);
    for (std::size_t j = 0; j < window_block; ++j)
      next[j] = Values::from(from(static_cast<int>(j)));
  }
  for (; i < n; ++i) *next++ = Values::from(x(begin + i));
  return to;
}

/// Where results from `begin` on can be made in place; otherwise null.
template <class E, class Values, class Sink>
typename Values::value* place_of_values(Sink const& results, std::size_t begin) {
  if constexpr (has_kernel_for<E, Values> && Sink::plain)
    if constexpr (std::is_same_v<typename Sink::element, typename Values::value>)
      return results.pointer(begin);
  return nullptr;
}

/// Memory for the arrays of a tile, each of which begins a cache line.
template <class V>
class window_memory {
 public:
  /// For `size` values in at most `arrays` arrays.
  window_memory(std::size_t size, std::size_t arrays)
      : memory_(size * sizeof(V) + arrays * line), next_(memory_.first()) {}
  [[nodiscard]] V* take(std::size_t size) {
    std::size_t const bytes = (size * sizeof(V) + line - 1) / line * line;
    return reinterpret_cast<V*>(std::exchange(next_, next_ + bytes));
  }

 private:
  static constexpr std::size_t line = alignof(V) > 64 ? alignof(V) : 64;
  aligned_memory<line> memory_;
  std::byte* next_;
};

/// The totals of windows [begin, begin + count) of a source, by a kernel: in `to` or, if
/// that is null, by store(i, totals, n).
template <class E, class Values, class Source, class Store>
void total_windows_by_kernel(Source const& x, std::size_t width, std::size_t begin,
                             std::size_t count, typename Values::value* to, Store const& store) {
  using V = typename Values::value;
  using Op = typename Values::operation;
  std::size_t const elements = width + count - 1, room = E::kernels::window_room(width),
                    some = 4096 / sizeof(V);
  window_memory<V> memory(room + 2 * some, 3);
  V *const kept = memory.take(room), *const loaded = memory.take(some),
           *const totals = memory.take(some);
  std::memset(static_cast<void*>(kept), 0, room * sizeof(V));
  if constexpr (Source::plain && std::is_same_v<typename Source::element, V>)
    if (to != nullptr) return window_totals<E, Op>(x.pointer(begin), elements, 0, width, kept, to);
  for (std::size_t i = 0; i < elements; i += some) {
    std::size_t const n = at_most(some, elements - i), first = i < width ? 0 : i + 1 - width,
                      windows = i + n < width ? 0 : i + n - width + 1 - first;
    V const* const from = load_values<E, Values>(x, begin + i, loaded, n);
    window_totals<E, Op>(from, n, i, width, kept, to != nullptr ? to + first : totals);
    if (to == nullptr) store(begin + first, totals, windows);
  }
}

/// The totals of windows [begin, begin + count) of a source, of which store(i, totals, n) is called
/// for `n` from i on.
template <class E, class Values, class Source, class Store>
void total_windows(Values const& values, Source const& x, std::size_t width, std::size_t begin,
                   std::size_t count, Store const& store) {
  using V = typename Values::value;
  // Narrow windows share totals in the first cache.
  constexpr std::size_t some = sizeof(V) > 16 ? 256 : 4096 / sizeof(V);
  auto const parts = static_cast<std::size_t>(std::popcount(width));
  std::size_t const most = width <= some / 2 ? at_most(some, count) : count,
                    room = width + most - 1;
  window_memory<V> memory(2 * room + (parts + 1) * most, 4);
  V *const loaded = memory.take(room), *const other = memory.take(room),
           *const results = memory.take(most), *const kept = memory.take(parts * most);
  for (std::size_t i = 0; i < count; i += most) {
    std::size_t const n = at_most(most, count - i), elements = width + n - 1;
    auto const totals = [&](auto const& by) {
      window_levels<std::remove_cvref_t<decltype(by)>> const levels(by, width, n, kept);
      V const* const from = load_values<E, Values>(x, begin + i, loaded, elements);
      return levels.finish(levels.raise(from, elements, other, loaded), results);
    };
    if constexpr (tries_plain<typename Values::operation, V>) {
      plain_multiplies const plain;
      if (V const* const all = totals(window_values<plain_multiplies, V>{plain});
          are_finite_products(all, n)) {
        store(begin + i, all, n);
        continue;
      }
    }
    store(begin + i, totals(values), n);
  }
}

/// Stores results from `begin` on.
template <class E, class Values, class Sink>
void store_values(Sink const& results, std::size_t begin,
                  typename Values::value const* __restrict total, std::size_t n) {
  if constexpr (has_kernel_for<E, Values> && Sink::plain)
    if constexpr (Values::template orders<typename Sink::element>)
      return E::kernels::numbers(total, n, results.pointer(begin));
  std::size_t i = 0;
  for (; n - i >= window_block; i += window_block) {
    auto const to = results.from(begin + i);
    for (std::size_t j = 0; j < window_block; ++j)
      to(static_cast<int>(j), Values::to(total[i + j]));
  }
  for (; i < n; ++i) results(begin + i, Values::to(total[i]));
}

}  // namespace upsweep::detail
UPSWEEP_IEEE_END

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
      if (!prefix_before(op, initial)) {
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
