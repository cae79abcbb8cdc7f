/// The strategy of a call, by the types of its elements, its operator and its results: this is the
/// only place that decides it. docs/design/0002-cpu.md has it as a table, which
/// tests/conformance/plans.cpp compares.
#pragma once

#include <upsweep/call/call.hpp>
#include <upsweep/generic/segments/short.hpp>
#include <upsweep/host/array_scans.hpp>
#include <upsweep/host/block_kernels.hpp>
#include <upsweep/host/compiled.hpp>
#include <upsweep/host/plan.hpp>
#include <upsweep/host/recurrence_kernels.hpp>
#include <upsweep/host/register_levels.hpp>
#include <upsweep/host/scan_levels.hpp>

#include <cstddef>
#include <type_traits>

namespace upsweep::host {

/// Accumulators above this size are combined on the heap, because a recursion would hold dozens of
/// them on the stack.
template <class A>
inline constexpr bool large_accumulator = sizeof(A) > 256;

/// True when the operator of `Source` has an absorb() of its own.
template <class Source>
inline constexpr bool absorbs =
    detail::has_absorb<typename Source::operation, typename Source::accumulator,
                       typename Source::transformed>;

/// True for numbers, which kernels can convert.
template <class X>
inline constexpr bool is_number = detail::is_integer<X> || detail::is_float<X>;

/// The strategy of reductions of `Source`.
template <class Source>
inline constexpr strategy reduction_strategy = [] {
  using enum strategy;
  using A = typename Source::accumulator;
  if constexpr (is_compiled_source<Source>) {
    return has_wide_accumulator<typename Source::operation> ? pairs : compiled;
  } else if constexpr (has_block_kernel<Source>) {
    using Op = typename Source::operation;
    if (large_accumulator<A>) return objects;
    // Kernels read the elements themselves where these are plain memory.
    constexpr bool is_sum = dynamic::is_in<Op, dynamic::types<plus, multiplies>>;
    if (is_sum && !Source::plain && std::is_floating_point_v<A> && fits_registers<A>)
      return registers;
    return is_recurrence<Op> ? recurrence : has_wide_accumulator<Op> ? pairs : kernels;
  } else {
    if constexpr (requires { typename Source::transformed; })
      if (is_exact<typename Source::operation, A> && absorbs<Source>) return running;
    if (large_accumulator<A>) return objects;
    // Levels in memory gain nothing for more bytes.
    constexpr bool fits_levels = std::is_trivially_copyable_v<A> &&
                                 std::is_trivially_default_constructible_v<A> && sizeof(A) <= 16;
    return fits_registers<A> ? registers : fits_levels ? levels : nodes;
  }
}();

/// The strategy of scans of `Source` by `Op` into `Sink`.
template <class Source, class Sink, class Op = typename Source::operation>
inline constexpr strategy scan_strategy = [] {
  using enum strategy;
  using A = typename Source::accumulator;
  if constexpr (is_compiled_scan<Source, Sink>) {
    return compiled;
  } else {
    if constexpr (requires { typename Source::transformed; }) {
      using Own = typename Source::operation;
      using X = typename Source::transformed;
      if (has_wide_accumulator<Own> && is_number<X>) return pairs;
      if constexpr (is_recurrence<Own>)
        if (is_number<X> && requires(Sink const& out, typename recurrence_numbers<Own>::type y) {
              out.store(std::size_t{}, y);
            })
          return recurrence;
      if (!is_exact<Op, A>) {
        if (scans_arrays<Source>) return kernels;
      } else if (absorbs<Source> || std::is_move_assignable_v<A> ||
                 std::is_nothrow_move_constructible_v<A>) {
        return running;  // it stays valid if the operator throws
      }
    }
    constexpr bool is_trivial = std::is_trivially_copy_constructible_v<A> &&
                                std::is_trivially_move_constructible_v<A> &&
                                std::is_trivially_destructible_v<A>;
    if (large_accumulator<A> || !is_trivial) return objects;
    return fits_registers<A> ? registers : scan_levels<A, Op>::fits ? levels : nodes;
  }
}();

#if defined(__x86_64__) || defined(__aarch64__)
inline constexpr bool has_opaque = true;
#else
inline constexpr bool has_opaque = false;
#endif

/// The strategy of reductions of the fewest elements of `Source`.
template <class Source>
inline constexpr few_strategy few_reduction_strategy = [] {
  using enum few_strategy;
  using A = typename Source::accumulator;
  if constexpr (is_compiled_source<Source>) {
    using T = typename Source::element;
    using Op = typename Source::operation;
    if (std::is_integral_v<T> && is_exact<Op, A>) return loop;
    bool const rounds = std::is_same_v<T, float> || std::is_same_v<T, double>;
    return has_opaque && rounds && dynamic::is_in<Op, dynamic::arithmetic_operators> ? opaque_shape
                                                                                     : nothing;
  } else if constexpr (requires(Source const& in) {
                         typename Source::operation;
                         in.from(std::size_t{});
                       }) {
    using Op = typename Source::operation;
    return detail::reduces_short<Op, A> && detail::has_fixed_shape<A> &&
                   !detail::continues<Op, A> && !has_block_kernel<Source> &&
                   !has_compiled_reduce<Op, A>
               ? shape
               : nothing;
  } else {
    return nothing;
  }
}();
/// The strategy of scans of the fewest elements of `Source` into `Sink`.
template <class Source, class Sink>
inline constexpr few_strategy few_scan_strategy = [] {
  using enum few_strategy;
  constexpr few_strategy how = few_reduction_strategy<Source>;
  if constexpr (how == loop || how == opaque_shape)
    return is_compiled_scan<Source, Sink> ? how : nothing;
  else
    return requires(Sink const& out) { out.from(std::size_t{}); } ? how : nothing;
}();

/// Calls on so many elements are not worth a plan: they run on the calling thread, in one tile.
inline constexpr std::size_t few = 64;
/// The most elements of calls by the strategies for the fewest; 0 without one.
template <class Source>
inline constexpr std::size_t most_reduced =
    few_reduction_strategy<Source> == few_strategy::nothing ? 0 : detail::group;
/// Longer scans by an operator without kernels would allocate.
template <class Source, class Sink>
inline constexpr std::size_t most_scanned =
    few_scan_strategy<Source, Sink> == few_strategy::nothing ? 0
    : few_scan_strategy<Source, Sink> == few_strategy::shape ? few
                                                             : detail::group;

}  // namespace upsweep::host
