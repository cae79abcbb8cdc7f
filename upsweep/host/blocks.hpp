/// The total of an aligned block of elements, by the fastest way that its operator allows.
#pragma once

#include <upsweep/call.hpp>
#include <upsweep/core/combine_tree.hpp>
#include <upsweep/host/compiled.hpp>

#include <cstddef>
#include <optional>
#include <type_traits>
#include <utility>

namespace upsweep::host {

/// from(j) is source(i + j), at the cost of an indexed load if the source has from().
template <class Source>
[[nodiscard]] auto elements_from(Source const& in, std::size_t i) {
  if constexpr (requires { in.from(i); })
    return in.from(i);
  else
    return [&in, i](int j) { return in(i + static_cast<std::size_t>(j)); };
}
/// The same of a sink: from(j, a) is sink(i + j, a).
template <class Sink>
[[nodiscard]] auto results_from(Sink const& out, std::size_t i) {
  if constexpr (requires { out.from(i); })
    return out.from(i);
  else
    return [&out, i](int j, auto const& a) { out(i + static_cast<std::size_t>(j), a); };
}

/// True for exact operators that combine an element into their accumulator in place: they run from
/// left to right instead of along the tree.
template <class Source>
inline constexpr bool folds = [] {
  if constexpr (requires { typename Source::transformed; })
    return is_exact<typename Source::operation, typename Source::accumulator> &&
           detail::has_absorb<typename Source::operation, typename Source::accumulator,
                              typename Source::transformed>;
  else
    return false;
}();

/// The total of the 2^K elements x(first), x(first + 1), ..., completely unrolled.
template <int K, int first = 0, class Elements, class Op>
[[gnu::always_inline]] inline auto small_block(Elements const& x, Op const& op) {
  if constexpr (K == 0) {
    return x(first);
  } else {
    // Before the later half, so that the first exception in input order is the one that propagates.
    auto earlier = small_block<K - 1, first>(x, op);
    auto later = small_block<K - 1, first + (1 << (K - 1))>(x, op);
    return static_cast<decltype(earlier)>(op(std::as_const(earlier), std::as_const(later)));
  }
}

/// Accumulators above this size are combined on the heap, because a recursion would hold dozens of
/// them on the stack.
template <class A>
inline constexpr bool large_accumulator = sizeof(A) > 256;

/// The total of the aligned block of 2^k elements at `position`, by a binary counter: the stack
/// holds one total for each binary digit of the number of elements so far.
template <class Source, class Op>
typename Source::accumulator large_block_total(Source const& in, std::size_t position, int k,
                                               Op const& op) {
  using A = typename Source::accumulator;
  detail::value_stack<A> totals(static_cast<std::size_t>(k) + 1);
  for (std::size_t i = 0; i < std::size_t{1} << k; ++i) {
    std::optional<A> total(std::in_place, in(position + i));
    for (std::size_t digits = i; digits & 1u; digits >>= 1) {
      total.emplace(op(totals.top(), std::as_const(*total)));
      totals.pop();
    }
    totals.push(*std::move(total));
  }
  return totals.top();
}

/// Calls step(i, j) with i + j each of [0, n): i counts blocks of 64, whose steps are independent
/// of each other. A loop of this constant length is what g++ vectorises at -O2 too.
template <class Step>
[[gnu::always_inline]] inline void by_64(std::size_t n, Step const& at) {
  constexpr int block = 64;
  std::size_t i = 0;
  for (; i + block <= n; i += block) {
    auto const step = at(i);
    UPSWEEP_INDEPENDENT_STEPS
    for (int j = 0; j < block; ++j) step(j);
  }
  if (i == n) return;
  auto const step = at(i);
  for (int j = 0; j < static_cast<int>(n - i); ++j) step(j);
}

/// The accumulators of the n elements at `position`, to `to`.
template <class T, class Source>
void fill(T* __restrict to, Source const& in, std::size_t position, std::size_t n) {
  by_64(n, [&](std::size_t i) {
    return
        [x = elements_from(in, position + i), to = to + i](int j) { to[j] = static_cast<T>(x(j)); };
  });
}

/// log2 of the elements that buffered_total takes: at least more than small_block, at most 8 KiB of
/// doubles.
inline constexpr int least_buffered = 5, most_buffered = 10;

/// block_total of a source that is not plain memory, by a compiled kernel over a buffer in L1. Not
/// inlined, so that the recursion around it does not hold a buffer a level.
template <class Source>
[[gnu::noinline]] typename Source::accumulator buffered_total(Source const& in,
                                                              std::size_t position, int k) {
  using T = buffered_t<Source>;
  alignas(64) T buffer[std::size_t{1} << most_buffered];
  std::size_t const n = std::size_t{1} << k;
  if constexpr (std::is_same_v<T, fixed_width_t<typename Source::accumulator>>)
    fill(buffer, in, position, n);
  else
    for (std::size_t j = 0; j < n; ++j) buffer[j] = static_cast<T>(in.value(position + j));
  compiled_reduce<typename Source::operation, T> const& reduce =
      compiled<typename Source::operation>::verbs;
  return static_cast<typename Source::accumulator>(reduce.total(buffer, n, mode::reproducible));
}

/// The total of the aligned block of 2^k elements at `position`.
template <class Source, class Op>
typename Source::accumulator block_total(Source const& in, std::size_t position, int k,
                                         Op const& op) {
  if constexpr (is_compiled_source<Source>) {
    return typename Source::accumulator(compiled_reduce_of<Source>().total(
        fixed_pointer(in, position), std::size_t{1} << k, mode::reproducible));
  } else if constexpr (folds<Source>) {
    auto total = in(position);
    in.absorb_into(total, position + 1, position + (std::size_t{1} << k));
    return total;
  } else if constexpr (large_accumulator<typename Source::accumulator>) {
    return large_block_total(in, position, k, op);
  } else {
    if constexpr (!std::is_void_v<buffered_t<Source>>)
      if (k >= least_buffered && k <= most_buffered) return buffered_total(in, position, k);
    switch (k) {
      case 0:
        return small_block<0>(elements_from(in, position), op);
      case 1:
        return small_block<1>(elements_from(in, position), op);
      case 2:
        return small_block<2>(elements_from(in, position), op);
      case 3:
        return small_block<3>(elements_from(in, position), op);
      case 4:
        return small_block<4>(elements_from(in, position), op);
      default:
        break;
    }
    std::size_t const half = std::size_t{1} << (k - 1);
    auto const earlier = block_total(in, position, k - 1, op);
    return op(earlier, block_total(in, position + half, k - 1, op));
  }
}

}  // namespace upsweep::host
