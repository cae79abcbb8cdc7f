/// Calls on a few elements: without a plan, and on the fewest by code in the caller, which takes
/// less time than a call of a kernel.
#pragma once

#include <upsweep/call/call.hpp>
#include <upsweep/core/compiler.hpp>
#include <upsweep/generic/segments/short.hpp>
#include <upsweep/host/compiled.hpp>
#include <upsweep/host/restored_products.hpp>
#include <upsweep/host/strategies.hpp>
#include <upsweep/host/threads.hpp>

#include <cstddef>
#include <span>
#include <type_traits>

namespace upsweep::host {

/// Whether a call is not worth a plan.
template <class A>
[[nodiscard]] bool are_few(std::size_t n, int requested) {
  return n <= few && sizeof(A) <= 64 && requested >= 0 && threads::largest_cutoff > few;
}

/// A sum or product of floats whose bits no flag of the caller's compiler changes: it cannot see
/// through a result, so it regroups and fuses nothing.
template <class Op>
struct opaque {
  template <class A>
  UPSWEEP_INLINED A operator()(A earlier, A later) const {
    A result = Op{}(earlier, later);
#if defined(__x86_64__)
    __asm__("" : "+x"(result));
#elif defined(__aarch64__)
    __asm__("" : "+w"(result));
#endif
    return result;
  }
};

/// The total of the 2^k numbers at x. Templates of their own, which compile faster than those for
/// any source, since most programs have such a call.
template <class Op, int k, class T>
UPSWEEP_INLINED inline T opaque_block(T const* x) {
  if constexpr (k == 0) {
    return *x;
  } else {
    T const left = opaque_block<Op, k - 1>(x);
    return opaque<Op>{}(left, opaque_block<Op, k - 1>(x + (1 << (k - 1))));
  }
}
/// `total`, unless there is none yet, and the n < 2^(k + 1) numbers at x after it.
template <class Op, int k, class T>
UPSWEEP_INLINED inline T opaque_prefix(T const* x, std::size_t n, T total, bool has_total) {
  if ((n >> k & 1) != 0) {
    T const block = opaque_block<Op, k>(x);
    total = has_total ? opaque<Op>{}(total, block) : block;
    has_total = true;
    x += 1 << k;
  }
  if constexpr (k > 0)
    return opaque_prefix<Op, k - 1>(x, n, total, has_total);
  else
    return total;
}

/// prefix(n) of a call on at most most_reduced elements. Plain products read the memory, not c.in,
/// which lifts: multiplies marks infinite elements.
template <class Call>
typename Call::accumulator reduce_few(Call const& c) {
  using A = typename Call::accumulator;
  constexpr few_strategy how = few_reduction_strategy<typename Call::source>;
  if constexpr (how == few_strategy::loop) {
    A total = c.in(0);
    for (std::size_t i = 1; i < c.n; ++i) total = c.op(total, c.in(i));
    return total;
  } else if constexpr (how == few_strategy::opaque_shape) {
    using Op = typename Call::operation;
    auto const* const x = std::to_address(c.in.first());
    if constexpr (restores_products<Op, typename Call::source::element>)
      return total_of_product(
          x, c.n, opaque_prefix<detail::plain_multiplies, detail::group_log2>(x, c.n, A{}, false));
    else
      return opaque_prefix<Op, detail::group_log2>(x, c.n, A{}, false);
  } else {
    return detail::prefix_by_digits<detail::group_log2>(c.in, c.n, 0, A{}, false, c.op);
  }
}

/// A scan of at most most_scanned factors by plain products, unless a prefix may be NaN or
/// infinite: then nothing is stored, and the answer is false.
template <scan_kind kind, class Call, class Sink>
UPSWEEP_INLINED inline bool scan_few_products(Call const& c, Sink const& out) {
  using A = typename Call::accumulator;
  using T = typename Sink::element;
  struct nothing {
    void operator()(int, A const&) const {}
    void first() const {}
  };
  detail::short_scan<A, detail::group> s;
  opaque<detail::plain_multiplies> const times;
  auto const* const x = std::to_address(c.in.first());
  auto* const to = std::to_address(out.first());
  detail::scan_fixed<scan_kind::inclusive, false>(
      s, [x](int i) { return static_cast<A>(x[i]); }, c.n, times, nothing{},
      [](A const& total) { return total; });
  if (!is_regular(s.prefix[c.n]) || (c.initial && !is_regular(*c.initial))) return false;
  constexpr std::size_t first = kind == scan_kind::inclusive ? 1 : 0;
  if (first == 0) to[0] = static_cast<T>(detail::finish(c.op, *c.first));
  for (std::size_t i = 1 - first; i < c.n; ++i) {
    A const prefix = s.prefix[i + first];
    to[i] = static_cast<T>(c.initial ? times(*c.initial, prefix) : prefix);
  }
  return true;
}

/// A scan of at most most_scanned elements. By a loop the initial value is applied once, since the
/// operator is exact.
template <scan_kind kind, class Call, class Sink>
void scan_few(Call const& c, Sink const& out) {
  using A = typename Call::accumulator;
  constexpr few_strategy how = few_scan_strategy<typename Call::source, Sink>;
  auto const x = c.in.from(0);
  auto const to = out.from(0);
  int const n = static_cast<int>(c.n);
  if constexpr (how == few_strategy::shape) {
    detail::scan_short<kind>(c, out);
  } else if constexpr (how == few_strategy::opaque_shape) {
    if constexpr (restores_products<typename Call::operation, typename Call::source::element>)
      if (scan_few_products<kind>(c, out)) return;
    opaque<typename Call::operation> const op;
    detail::short_scan<A, detail::group> s;
    detail::scan_fixed<kind, false>(s, x, c.n, op,
                                    detail::short_results{to, op, c.initial, c.first},
                                    [](A const& total) { return total; });
  } else if constexpr (kind == scan_kind::exclusive) {
    A before = *c.first;
    for (int i = 0; i < n; ++i) {
      A const next = c.op(before, x(i));  // before the result, which may replace element i
      to(i, before);
      before = next;
    }
  } else {
    A prefix = c.initial ? c.op(*c.initial, x(0)) : x(0);
    to(0, prefix);
    for (int i = 1; i < n; ++i) to(i, prefix = c.op(prefix, x(i)));
  }
}

}  // namespace upsweep::host
