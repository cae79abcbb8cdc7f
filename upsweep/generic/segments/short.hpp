/// Reductions and scans of up to 128 elements in the combine tree's order, without a plan and
/// without a call: what a segment costs beside its elements.
///
/// Sixteen elements are combined by straight-line code of fixed shape, whose accumulators stay in
/// registers; there is one such piece of code for each number of elements, because a branch for
/// each of its bits would be mispredicted more often than one jump. Accumulators that are no
/// numbers are combined by loops instead, which are one twentieth of the code.
#pragma once

#include <upsweep/call/call.hpp>
#include <upsweep/core/combine_tree.hpp>
#include <upsweep/core/compiler.hpp>
#include <upsweep/ops/arithmetic.hpp>
#include <upsweep/ops/min_max.hpp>

#include <bit>
#include <cstddef>
#include <type_traits>
#include <utility>

namespace upsweep::detail {

/// The most elements of a short segment. From here on the executor's engines are faster.
inline constexpr std::size_t most_short = 128;
/// The elements that code of fixed shape combines: a group.
inline constexpr int group_log2 = 4;
inline constexpr std::size_t group = std::size_t{1} << group_log2;
/// The most elements of a short segment that is reduced: extrema of floats in memory take several
/// instructions here, and one of a vector there.
template <class Op, class Source>
inline constexpr std::size_t most_reduced_short =
    has_branches<Op, typename Source::accumulator> && requires {
      requires Source::in_memory;
    } ? group : most_short;

/// Whether calls of `Op` over a short segment may be made here. Operators that may refuse a prefix
/// have to find it, which the executor's calls do.
template <class Op, class A>
inline constexpr bool reduces_short =
    std::is_trivially_copyable_v<A> && std::is_trivially_default_constructible_v<A> &&
    sizeof(A) <= 64 && !requires(Op const& op, A const& a) { op.accepts(a); };
/// Whether straight-line code is worth its size.
template <class A>
inline constexpr bool has_fixed_shape = std::is_arithmetic_v<A>;

/// block(k, 0) of the elements x(first), x(first + 1), ...
template <int k, class A, class X, class Op>
UPSWEEP_INLINED inline A fixed_block(X const& x, Op const& op, int first = 0) {
  if constexpr (k == 0) {
    return x(first);
  } else {
    A const left = fixed_block<k - 1, A>(x, op, first);
    A const right = fixed_block<k - 1, A>(x, op, first + (1 << (k - 1)));
    return static_cast<A>(op(left, right));
  }
}

/// total op the aligned blocks of the `rest` elements from x(first) on, the largest first.
template <int first, int rest, class A, class X, class Op>
UPSWEEP_INLINED inline A fixed_rest(A const& total, X const& x, Op const& op) {
  if constexpr (rest == 0) {
    return total;
  } else {
    constexpr int k = floor_log2(rest);
    A const next = static_cast<A>(op(total, fixed_block<k, A>(x, op, first)));
    return fixed_rest<first + (1 << k), rest - (1 << k)>(next, x, op);
  }
}

template <int m>
using fixed_size = std::integral_constant<int, m>;

/// f(fixed_size<n>()) of 1 <= n <= group.
template <class F>
UPSWEEP_INLINED inline auto with_fixed_size(std::size_t n, F const& f) {
  switch (n) {
    case 1:
      return f(fixed_size<1>());
    case 2:
      return f(fixed_size<2>());
    case 3:
      return f(fixed_size<3>());
    case 4:
      return f(fixed_size<4>());
    case 5:
      return f(fixed_size<5>());
    case 6:
      return f(fixed_size<6>());
    case 7:
      return f(fixed_size<7>());
    case 8:
      return f(fixed_size<8>());
    case 9:
      return f(fixed_size<9>());
    case 10:
      return f(fixed_size<10>());
    case 11:
      return f(fixed_size<11>());
    case 12:
      return f(fixed_size<12>());
    case 13:
      return f(fixed_size<13>());
    case 14:
      return f(fixed_size<14>());
    case 15:
      return f(fixed_size<15>());
    default:
      return f(fixed_size<static_cast<int>(group)>());
  }
}

/// prefix(n) of the elements x(0), x(1), ..., n of them.
template <class A, int n, class X, class Op>
UPSWEEP_INLINED inline A fixed_prefix(X const& x, Op const& op) {
  constexpr int k = floor_log2(n);
  return fixed_rest<1 << k, n - (1 << k)>(fixed_block<k, A>(x, op), x, op);
}

/// prefix(n) of n >= 1 values, which are overwritten. Before step k, value[i] is the block of 2^k
/// values at each i that begins a complete one.
template <class A, class Op>
A reduce_values(A* value, std::size_t n, Op const& op) {
  for (std::size_t half = 1; 2 * half <= n; half *= 2)
    for (std::size_t i = 0; i + 2 * half <= n; i += 2 * half)
      value[i] = static_cast<A>(op(value[i], value[i + half]));
  std::size_t position = std::size_t{1} << floor_log2(n);
  A total = value[0];
  for (std::size_t size = position / 2; size > 0; size /= 2)
    if ((n & size) != 0) {
      total = static_cast<A>(op(total, value[position]));
      position += size;
    }
  return total;
}

/// `total`, unless there is none yet, and the n < 2^(k + 1) elements of a source from `at` on
/// after it, a block for each binary digit of n: a quarter of the code of a prefix for each n.
template <int k, class A, class Source, class Op>
UPSWEEP_INLINED inline A prefix_by_digits(Source const& in, std::size_t n, std::size_t at, A total,
                                          bool has_total, Op const& op) {
  if ((n >> k & 1) != 0) {
    A const block = fixed_block<k, A>(in.from(at), op);
    total = has_total ? static_cast<A>(op(total, block)) : block;
    has_total = true;
    at += std::size_t{1} << k;
  }
  if constexpr (k > 0)
    return prefix_by_digits<k - 1>(in, n, at, total, has_total, op);
  else
    return total;
}

/// prefix(n) of more than a group of elements: whole groups, then the digits of what is left.
template <class A, class Source, class Op>
A reduce_groups(Source const& in, std::size_t n, Op const& op) {
  A value[most_short / group];
  value[0] = fixed_block<group_log2, A>(in.from(0), op);
  for (std::size_t i = 1; i < n / group; ++i)
    value[i] = fixed_block<group_log2, A>(in.from(i * group), op);
  A total = reduce_values(value, n / group, op);
  return prefix_by_digits<group_log2 - 1>(in, n, n / group * group, total, true, op);
}

/// prefix(n) of the 1 <= n <= most_short elements of a source.
template <class Source, class Op>
UPSWEEP_INLINED inline typename Source::accumulator reduce_short(Source const& in, std::size_t n,
                                                                 Op const& op) {
  using A = typename Source::accumulator;
  if constexpr (tries_plain<Op, A>) {
    return total_by<A>(op, [&](auto const& by) {
      if (n <= group) return prefix_by_digits<group_log2>(in, n, 0, A{}, false, by);
      return reduce_groups<A>(Source(in), n, by);
    });
  } else if constexpr (has_fixed_shape<A>) {
    auto const& combine = without_branches<A>(op);
    if (n <= group) return prefix_by_digits<group_log2>(in, n, 0, A{}, false, combine);
    return reduce_groups<A>(Source(in), n, combine);  // so that `in` need not be in memory
  } else {
    A value[most_short];
    for (std::size_t i = 0; i < n; ++i) value[i] = in(i);
    return reduce_values(value, n, op);
  }
}

/// The blocks that end where a scan stands, and the prefixes at each position, of up to `leaves`
/// leaves.
template <class A, std::size_t leaves>
struct short_scan {
  A block[static_cast<std::size_t>(std::bit_width(leaves))];
  A prefix[leaves + 1];

  /// Appends leaf `end - 1`, and returns prefix(end).
  template <class Op>
  A const& append(std::size_t end, A total, Op const& op) {
    int k = 0;
    for (; (end >> k & 1) == 0; ++k) total = static_cast<A>(op(block[k], total));
    block[k] = total;
    std::size_t const rest = end & (end - 1);
    return prefix[end] = rest == 0 ? total : static_cast<A>(op(prefix[rest], total));
  }
};

/// The block of 2^k elements that ends with `x`.
template <int k, class A, class Op>
UPSWEEP_INLINED inline A ending_block(A const* block, A const& x, Op const& op) {
  if constexpr (k == 0)
    return x;
  else
    return static_cast<A>(op(block[k - 1], ending_block<k - 1>(block, x, op)));
}

/// Element i of a group; k is log2 of the block that ends with it.
template <scan_kind kind, bool begun, int k, class A, class X, class Op, class Emit, class Closed>
UPSWEEP_INLINED inline void scan_next(short_scan<A, group>& s, int i, X const& x, Op const& op,
                                      Emit const& emit, Closed const& closed) {
  int const end = i + 1, rest = end & i;
  A const element = x(i);
  if constexpr (kind == scan_kind::exclusive) {
    if (begun || i > 0)
      emit(i, s.prefix[i]);
    else
      emit.first();
  }
  A const total = ending_block<k>(s.block, element, op);
  s.block[k] = total;
  if constexpr (k == group_log2)
    s.prefix[end] = closed(total);
  else
    s.prefix[end] = begun || rest != 0 ? static_cast<A>(op(s.prefix[rest], total)) : total;
  if constexpr (kind == scan_kind::inclusive) emit(i, s.prefix[end]);
}

/// The first n > 0 elements of a group; prefix[0] is the one before the group, if there are
/// elements. The prefix after a whole group is closed(its total).
template <scan_kind kind, bool begun, class A, class X, class Op, class Emit, class Closed,
          int... i>
UPSWEEP_INLINED inline void scan_fixed(short_scan<A, group>& s, X const& x, std::size_t n,
                                       Op const& op, Emit const& emit, Closed const& closed,
                                       std::integer_sequence<int, i...>) {
  (void)((scan_next<kind, begun, std::countr_zero(i + 1U)>(s, i, x, op, emit, closed),
          n > i + 1U) &&
         ...);
}
template <scan_kind kind, bool begun, class A, class X, class Op, class Emit, class Closed>
UPSWEEP_INLINED inline void scan_fixed(short_scan<A, group>& s, X const& x, std::size_t n,
                                       Op const& op, Emit const& emit, Closed const& closed) {
  scan_fixed<kind, begun>(s, x, n, op, emit, closed, std::make_integer_sequence<int, group>());
}

/// Passes results to the sink of a short scan.
template <class Out, class Op, class A>
struct short_results {
  Out const out;  // of the elements from here on
  Op const& op;
  A const* initial;
  A const* of_nothing;

  UPSWEEP_INLINED void operator()(int i, A const& prefix) const {
    if (initial)
      out(i, static_cast<A>(op(*initial, prefix)));
    else
      out(i, prefix);
  }
  UPSWEEP_INLINED void first() const { out(0, *of_nothing); }
};
template <class Out, class Op, class A>
short_results(Out, Op const&, A const*, A const*) -> short_results<Out, Op, A>;

/// The same by a loop; exact operators, which have the same bits in any order, by a running value.
template <scan_kind kind, class Call, class Emit>
void scan_by_loop(Call const& c, Emit const& emit) {
  using A = typename Call::accumulator;
  constexpr bool exact = is_exact<typename Call::operation, A>;
  auto const x = c.in.from(0);
  std::conditional_t<exact, A, short_scan<A, most_short>> s;
  A prefix = x(0);
  for (std::size_t i = 0; i < c.n; ++i) {
    int const at = static_cast<int>(i);
    A const element = x(at);
    if constexpr (kind == scan_kind::exclusive) {
      if (i > 0)
        emit(at, prefix);
      else
        emit.first();
    }
    if constexpr (exact)
      prefix = i == 0 ? element : static_cast<A>(c.op(prefix, element));
    else
      prefix = s.append(i + 1, element, c.op);
    if constexpr (kind == scan_kind::inclusive) emit(at, prefix);
  }
}

/// The results of a call over 1 <= c.n <= most_short elements; `out` may be the memory of the
/// input.
template <scan_kind kind, class Call, class Sink>
UPSWEEP_INLINED inline void scan_short(Call const& c, Sink const& out) {
  using A = typename Call::accumulator;
  auto const emit_from = [&](std::size_t i) {
    return short_results{out.from(i), c.op, c.initial, c.first};
  };
  if constexpr (has_fixed_shape<A> && !is_exact<typename Call::operation, A>) {
    short_scan<A, group> s;
    if (c.n <= group) {
      scan_fixed<kind, false>(s, c.in.from(0), c.n, c.op, emit_from(0),
                              [](A const& total) { return total; });
      return;
    }
    short_scan<A, most_short / group> groups;
    for (std::size_t g = 0; g * group < c.n; ++g) {
      auto const closed = [&](A const& total) { return groups.append(g + 1, total, c.op); };
      auto const x = c.in.from(g * group);
      auto const emit = emit_from(g * group);
      if (g > 0) s.prefix[0] = groups.prefix[g];
      if (g == 0)
        scan_fixed<kind, false>(s, x, c.n, c.op, emit, closed);
      else
        scan_fixed<kind, true>(s, x, c.n - g * group, c.op, emit, closed);
    }
  } else {
    scan_by_loop<kind>(c, emit_from(0));
  }
}

}  // namespace upsweep::detail
