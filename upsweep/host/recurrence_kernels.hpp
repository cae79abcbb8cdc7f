/// Totals of blocks by recurrences, by the vector kernels.
#pragma once

#include <upsweep/call/call.hpp>
#include <upsweep/core/combine_tree.hpp>
#include <upsweep/host/block_kernels.hpp>
#include <upsweep/host/convert.hpp>
#include <upsweep/host/simd/loops.hpp>

#include <cstddef>
#include <type_traits>

namespace upsweep {

template <std::size_t order, class T>
class recurrence;

namespace host {

template <class Op>
struct recurrence_numbers {
  static constexpr std::size_t order = 0;
};
template <std::size_t k, class T>
  requires(k <= simd::most_recurrence_order &&
           (std::is_same_v<T, float> || std::is_same_v<T, double>))
struct recurrence_numbers<recurrence<k, T>> {
  using type = T;
  static constexpr std::size_t order = k;
};
/// True for the recurrences that have kernels.
template <class Op>
inline constexpr bool is_recurrence = recurrence_numbers<Op>::order > 0;

/// x * weight, where kernels multiply while they read; `as_is` is null, or the first element, which
/// is not multiplied.
template <class T>
struct weighted {
  T weight;
  T const* as_is;
  T operator()(T const& x) const { return &x == as_is ? x : x * weight; }
};

/// Kernels multiply zeros by the powers for all lengths up to a block, so these must be finite.
template <class Op>
bool recurrence_has_blocks(Op const& op) {
  return op.finite_powers() > static_cast<std::size_t>(detail::floor_log2(simd::recurrence_block));
}

/// Elements of other types are converted, as the operator's lift does.
template <std::size_t order, class T, class X>
  requires(is_recurrence<recurrence<order, T>> && (detail::is_integer<X> || detail::is_float<X>))
struct block_kernel<recurrence<order, T>, X> {
  using Op = recurrence<order, T>;
  using A = typename Op::state;
  using element = fixed_width_t<X>;
  static constexpr bool exists = true, uses_index = false;
  static constexpr int largest_log2 = detail::floor_log2(simd::recurrence_block);

  static A total(Op const& op, element const* x, std::size_t n, std::size_t) {
    if (n < simd::least_recurrence_block || !recurrence_has_blocks(op)) return by_halves(op, x, n);
    if constexpr (std::is_same_v<element, T>) {
      alignas(64) T node[order * simd::recurrence_block];
      A sum{.y = {}, .length = n};
      simd::recurrence_kernel_of<T>(order).up({op.powers(), n, node}, x, sum.y);
      return sum;
    } else {
      T converted[simd::recurrence_block];
      convert(converted, x, n);
      return block_kernel<Op, T>::total(op, converted, n, 0);
    }
  }

 private:
  static A by_halves(Op const& op, element const* x, std::size_t n) {
    if (n == 1) return op.lift(x[0]);
    A const earlier = by_halves(op, x, n / 2);
    return op(earlier, by_halves(op, x + n / 2, n / 2));
  }
};

}  // namespace host
}  // namespace upsweep
