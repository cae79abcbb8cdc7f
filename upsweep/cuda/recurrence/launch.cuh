/// Scans and reductions by linear recurrences: the kernels of all other operators, which get the
/// powers as an argument. Levels that overflow are refused before a launch, as on the CPU.
#pragma once

#include <upsweep/cuda/arguments.cuh>
#include <upsweep/cuda/recurrence/powers.hpp>
#include <upsweep/cuda/reduce/launch.cuh>
#include <upsweep/cuda/scan/launch.cuh>

#include <bit>
#include <cstring>
#include <type_traits>

namespace upsweep::device {

/// Throws what the operator throws when its right operand has `length` elements, if it does.
template <std::size_t order, class T>
void expect_finite(recurrence<order, T> const& op, std::size_t length) {
  (void)op(op.lift(T{}), {.y = {}, .length = length});
}
template <std::size_t order, class T>
[[nodiscard]] recurrence_values<order, T> values_of(recurrence_state<order, T> const* state) {
  recurrence_values<order, T> values{};
  if (state != nullptr) std::memcpy(&values, state->y, sizeof values);
  return values;
}
/// Throws what the CPU throws for n elements after `before`, or after nothing if it is
/// null: the largest right operand is half of the largest block, or that block.
template <std::size_t order, class T>
void expect_finite_tree(recurrence<order, T> const& op, std::size_t n,
                        recurrence_state<order, T> const* before) {
  std::size_t const largest = std::bit_floor(n);
  expect_finite(op, before != nullptr ? largest : largest / 2);
}

template <scan_kind kind, class Source, class Sink, std::size_t order, class T>
void scan_recurrence_on(gpu const& on, Source const& in, Sink const& out, std::size_t n,
                        recurrence<order, T> const& op, recurrence_state<order, T> const* initial,
                        recurrence_state<order, T> const* first) {
  using F = std::remove_cvref_t<decltype(in.function())>;
  using powers = recurrence_powers<order, T>;
  auto const* const before = detail::prefix_before(op, initial);
  expect_finite_tree(op, n, before);
  powers const table(op);
  auto const before_values = values_of(before), first_result = values_of(first);
  scan_on<kind>(on,
                source<typename Source::iterator, F, powers, Source::reversed>(
                    in.first(), n, in.function(), table, in.base()),
                sink<typename Sink::iterator, powers, Sink::reversed>(out.first(), n, table), n,
                table, before != nullptr ? &before_values : nullptr, &first_result);
}

template <class Source, class R, std::size_t order, class T>
void reduce_recurrence_into_on(gpu const& on, Source const& in, std::size_t n,
                               recurrence<order, T> const& op, R* out,
                               recurrence_state<order, T> const* initial) {
  using A = recurrence_values<order, T>;
  auto const* const before = detail::prefix_before(op, initial);
  expect_finite_tree(op, n, before);
  enqueue_reduce(on, in, n, recurrence_powers<order, T>(op),
                 recurrence_result<R, A>{out, values_of(before), before != nullptr});
}

/// prefix(n) after `before`, which may be null.
template <class Source, class Op, class A>
A reduce_after_on(gpu const& on, Source const& in, std::size_t n, Op const& op, A const* before) {
  using values = decltype(values_of(before));
  auto* const slot = static_cast<values*>(returned_value(on));
  reduce_recurrence_into_on(on, in, n, op, slot, before);
  A total{.y = {}, .length = n};
  if (on.plans_to != nullptr) return total;
  wait_for(on, "finish the reduction");
  std::memcpy(total.y, slot, sizeof total.y);
  return total;
}

}  // namespace upsweep::device
