/// The totals of neighbouring windows: of the 2^k elements from each position on for each k, which
/// are the nodes of the windows' combine trees, and the nodes of a window combined.
#pragma once

#include <upsweep/core/call_memory.hpp>
#include <upsweep/core/combine_tree.hpp>
#include <upsweep/executor.hpp>
#include <upsweep/ops/arithmetic.hpp>
#include <upsweep/ops/min_max.hpp>

#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <limits>
#include <type_traits>
#include <utility>

namespace upsweep::detail {

inline constexpr std::size_t window_block = 128;  // compilers vectorise loops over it at -O2

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
  /// Whether values stand for numbers of this type.
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
  /// What stands for each NaN: if it wins, one behind all numbers for max, and in front of them for
  /// min.
  static constexpr A nan() {
    constexpr bool nan_wins = std::is_same_v<Op, max> || std::is_same_v<Op, min>;
    constexpr A positive = std::numeric_limits<A>::quiet_NaN();
    return takes_larger<Op> == nan_wins ? positive : -positive;
  }
  static constexpr value from(A x) { return ordered(std::bit_cast<value>(x != x ? nan() : x)); }
  static constexpr A to(value key) { return std::bit_cast<A>(ordered(key)); }

 private:
  /// Negative numbers have their order reversed; twice is the identity.
  static constexpr value ordered(value bits) {
    return bits ^ ((bits >> (8 * sizeof(A) - 1)) & std::numeric_limits<value>::max());
  }
};

template <class E, class Values>
inline constexpr bool has_kernel_for = has_window_kernels<E> && Values::has_kernel;

/// The executor's kernel.
template <class E, class Op, class V>
void combine_totals(V const* a, V const* b, V const* c, V const* d, V* to, std::size_t n) {
  using kernels = typename E::kernels;
  if constexpr (std::is_same_v<Op, plus>)
    kernels::add(a, b, c, d, to, n);
  else if constexpr (takes_larger<Op>)
    kernels::larger(a, b, c, d, to, n);
  else
    kernels::smaller(a, b, c, d, to, n);
}

/// The totals of `count` windows of `width` elements, of which one begins at each position of a
/// tile.
template <class E, class Values>
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

  [[nodiscard]] int top() const { return top_; }

  /// Positions of a tile: x[i] belongs to position begin + i.
  struct stretch {
    std::size_t begin, n;
    std::size_t own;  ///< further ones are also in the next stretch; 0 in the last
  };

  /// From x, the totals of the 2^k elements from each position of a stretch on, makes those of
  /// 2^last, in `to` unless it is null or k is `last`; `other` and `another`, which may be x, have
  /// room for as many. Keeps the parts of windows that are among them.
  V const* raise(V const* x, stretch at, int k, int last, V* to, V* other, V* another) const {
    while (k < last) {
      std::size_t const half = std::size_t{1} << k;
      keep(k, at, [&](V* part, std::size_t i, std::size_t n) {
        std::memcpy(static_cast<void*>(part), x + i, n * sizeof(V));
      });
      bool const two = has_kernel_for<E, Values> && k + 1 < last;
      V* const next = to != nullptr && k + (two ? 2 : 1) == last ? to : other;
      if (two) {
        at.n -= half;
        keep(k + 1, at,
             [&](V* part, std::size_t i, std::size_t n) { combine(x + i, x + i + half, part, n); });
        at.n -= 2 * half;
        combine_fours(x, half, next, at.n);
      } else {
        at.n -= half;
        combine(x, x + half, next, at.n);
      }
      k += two ? 2 : 1;
      x = next;
      std::swap(other, another);
    }
    return x;
  }

  /// The totals of the windows, in `to`, from those of their first 2^top elements, which are
  /// there if the width is a power of two.
  void finish(V const* total, V* to) const {
    for (int k = top_ - 1; k >= lowest_; --k)
      if (has(k)) {
        V* const next = k == lowest_ ? to : part(k + 1);
        combine(total, part(k), next, count_);
        total = next;
      }
  }
  [[nodiscard]] bool is_power() const { return top_ == lowest_; }

 private:
  [[nodiscard]] bool has(int k) const { return (width_ >> k & 1) != 0; }
  /// Of bit k, or of the next one that is set.
  [[nodiscard]] V* part(int k) const {
    std::size_t const smaller = width_ & ((std::size_t{1} << k) - 1);
    return parts_ + static_cast<std::size_t>(std::popcount(smaller)) * count_;
  }
  /// Calls store(part, i, n) for the values x[i], x[i + 1], ..., `n` of them, that are parts of
  /// windows: blocks of 2^k elements that begin behind those of the width's larger bits.
  template <class F>
  void keep(int k, stretch const& at, F const& store) const {
    if (!has(k)) return;
    std::size_t const behind = width_ >> (k + 1) << (k + 1),
                      own = at.own == 0 ? at.n : at_most(at.own, at.n),
                      first = at.begin > behind ? at.begin : behind,
                      end = at_most(at.begin + own, behind + count_);
    if (first < end) store(part(k) + (first - behind), first - at.begin, end - first);
  }
  /// to[i] = a[i] and b[i] combined for i < n, where `to` is other memory.
  void combine(V const* a, V const* b, V* __restrict to, std::size_t n) const {
    if constexpr (has_kernel_for<E, Values>) {
      V const* const none = nullptr;
      combine_totals<E, typename Values::operation>(a, b, none, none, to, n);
    } else {
      auto const run = [&]<std::size_t block>(std::integral_constant<std::size_t, block>) {
        for (; n >= block; n -= block, a += block, b += block, to += block)
          for (std::size_t j = 0; j < block; ++j) to[j] = values_.combined(a[j], b[j]);
      };
      run(std::integral_constant<std::size_t, window_block>());
      run(std::integral_constant<std::size_t, 16>());
      for (std::size_t j = 0; j < n; ++j) to[j] = values_.combined(a[j], b[j]);
    }
  }
  /// Two levels at once: half the traffic, for an operator that costs nothing.
  void combine_fours(V const* x, std::size_t half, V* to, std::size_t n) const {
    if constexpr (has_kernel_for<E, Values>)
      combine_totals<E, typename Values::operation>(x, x + half, x + 2 * half, x + 3 * half, to, n);
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

/// Memory for the arrays of a tile, which begin at cache lines if values fill them.
template <class V>
class window_memory {
 public:
  /// For `size` values in at most `arrays` arrays.
  window_memory(std::size_t size, std::size_t arrays)
      : memory_(size + (arrays + 1) * line), next_(memory_.first()) {
    while (line > 1 && reinterpret_cast<std::uintptr_t>(next_) % 64 != 0) ++next_;
  }
  [[nodiscard]] V* take(std::size_t size) {
    return std::exchange(next_, next_ + (size + line - 1) / line * line);
  }

 private:
  static constexpr std::size_t line = 64 % sizeof(V) == 0 ? 64 / sizeof(V) : 1;
  call_memory<V> memory_;
  V* next_;
};

/// The totals of windows [begin, begin + count) of a source. place(i) is memory for those from
/// window i on, or null; then store(i, totals, n) is called for `n` of them.
template <class E, class Values, class Source, class Place, class Store>
void total_windows(Values const& values, Source const& x, std::size_t width, std::size_t begin,
                   std::size_t count, Place const& place, Store const& store) {
  using V = typename Values::value;
  // Windows that share totals in the first cache.
  constexpr std::size_t some = sizeof(V) > 16 ? 256 : 4096 / sizeof(V);
  auto const parts = static_cast<std::size_t>(std::popcount(width));
  auto const finish = [&](auto const& levels, V const* total, V* to, V* room, std::size_t i,
                          std::size_t n) {
    if (!levels.is_power()) {
      V* const results = to != nullptr ? to : room;
      levels.finish(total, results);
      total = results;
    }
    if (to == nullptr)
      store(i, total, n);
    else if (to != total)
      std::memcpy(static_cast<void*>(to), total, n * sizeof(V));
  };
  bool const is_narrow = width <= some / 2;
  if (is_narrow || !has_kernel_for<E, Values>) {
    std::size_t const most = is_narrow ? at_most(some, count) : count, room = width + most - 1;
    window_memory<V> memory(2 * room + (parts + 1) * most, 4);
    V *const loaded = memory.take(room), *const other = memory.take(room),
             *const results = memory.take(most), *const kept = memory.take(parts * most);
    for (std::size_t i = 0; i < count; i += most) {
      std::size_t const n = at_most(most, count - i), elements = width + n - 1;
      window_levels<E, Values> const levels(values, width, n, kept);
      V* const to = place(begin + i);
      V const* const from = load_values<E, Values>(x, begin + i, loaded, elements);
      V const* const total = levels.raise(from, {0, elements, 0}, 0, levels.top(),
                                          levels.is_power() ? to : nullptr, other, loaded);
      finish(levels, total, to, results, begin + i, n);
    }
    return;
  }
  // The lowest levels in groups, the others of all windows at once.
  constexpr int low = floor_log2(some) - 3;
  constexpr std::size_t behind = (std::size_t{1} << low) - 1, room = some + behind;
  std::size_t const positions = width + count - 1 - behind;
  window_memory<V> memory(2 * room + 2 * positions + (parts + 1) * count, 6);
  V *const loaded = memory.take(room), *const other = memory.take(room),
           *const low_totals = memory.take(positions), *const totals = memory.take(positions),
           *const results = memory.take(count);
  window_levels<E, Values> const levels(values, width, count, memory.take(parts * count));
  for (std::size_t i = 0; i < positions; i += some) {
    std::size_t const own = at_most(some, positions - i), elements = own + behind;
    V const* const from = load_values<E, Values>(x, begin + i, loaded, elements);
    levels.raise(from, {i, elements, i + own == positions ? 0 : own}, 0, low, low_totals + i, other,
                 loaded);
  }
  V* const to = place(begin);
  V const* const total = levels.raise(low_totals, {0, positions, 0}, low, levels.top(),
                                      levels.is_power() ? to : nullptr, totals, low_totals);
  finish(levels, total, to, results, begin, count);
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
