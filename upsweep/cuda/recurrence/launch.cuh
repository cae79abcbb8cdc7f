/// Scans and reductions by linear recurrences: the kernels of all other operators, which get the
/// powers as an argument. Levels that overflow are refused before a launch, as on the processor.
#pragma once

#include <upsweep/cuda/arguments.cuh>
#include <upsweep/cuda/recurrence/powers.hpp>
#include <upsweep/cuda/reduce/launch.cuh>
#include <upsweep/cuda/scan/launch.cuh>

#include <bit>
#include <cstring>

namespace upsweep::device {

/// Throws what the operator throws when its right operand has `length` elements, if it does.
template <std::size_t order, class T>
void expect_finite(recurrence<order, T> const& op, std::size_t length) {
  (void)op(op.lift(T{}), {.y = {}, .length = length});
}
/// The same for the tree over n elements: its largest right operand is half of its largest block.
template <std::size_t order, class T>
void expect_finite_tree(recurrence<order, T> const& op, std::size_t n) {
  expect_finite(op, std::bit_floor(n) / 2);
}

template <std::size_t order, class T>
[[nodiscard]] recurrence_values<order, T> values_of(recurrence_state<order, T> const* state) {
  recurrence_values<order, T> values{};
  if (state != nullptr) std::memcpy(&values, state->y, sizeof values);
  return values;
}
/// An identity in front of the elements changes no result.
template <std::size_t order, class T>
[[nodiscard]] bool is_in_front(recurrence_state<order, T> const* initial) {
  return initial != nullptr && initial->length != 0;
}

/// The scan behind an initial value. A result takes a product for each bit of its position, which
/// outweighs what other kernels gain, so one is compiled.
template <scan_kind kind, class From, class To, class A>
void scan_behind_on(gpu const& on, From const& from, To const& to, std::size_t n,
                    scan_start<A> const& start) {
  using T = typename From::element;
  constexpr unsigned row = row_for(scan_rows_for<T, A>(), cuda_algorithm::scan_tiles, any_size);
  cuda_device const device = cuda_device::current();
  cuda_plan const plan = pick_scan<From, typename To::element>(n, false, false, device);
  auto const scratch = cuda_workspace::take(on.workspace, on.stream, plan.workspace_bytes);
  launch_scan<row, kind>(plan, on, device, from, to, n, start, words_of_lease(scratch));
}

template <scan_kind kind, class Source, class Sink, std::size_t order, class T>
void scan_recurrence_on(gpu const& on, Source const& in, Sink const& out, std::size_t n,
                        recurrence<order, T> const& op, recurrence_state<order, T> const* initial,
                        recurrence_state<order, T> const* first) {
  using A = recurrence_values<order, T>;
  using F = std::remove_cvref_t<decltype(in.function())>;
  A const before = values_of(initial), first_result = values_of(first);
  expect_finite_tree(op, n);
  if (is_in_front(initial)) {
    using powers = recurrence_powers<order, T, true>;
    check_accumulator<A>();
    expect_finite(op, std::bit_floor(kind == scan_kind::inclusive ? n : n - 1));
    scan_behind_on<kind>(on, kernel_source(in, n, powers(op)), kernel_sink(out, n, powers(op)), n,
                         scan_start<A>{before, first_result, true});
  } else {
    using powers = recurrence_powers<order, T>;
    powers const table(op);
    scan_on<kind>(on,
                  source<typename Source::iterator, F, powers, Source::reversed>(
                      in.first(), n, in.function(), table, in.base()),
                  sink<typename Sink::iterator, powers, Sink::reversed>(out.first(), n, table), n,
                  table, static_cast<A const*>(nullptr), &first_result);
  }
}

template <class Source, class R, std::size_t order, class T>
void reduce_recurrence_into_on(gpu const& on, Source const& in, std::size_t n,
                               recurrence<order, T> const& op, R* out,
                               recurrence_state<order, T> const* initial) {
  expect_finite_tree(op, n);
  recurrence_state<order, T> advanced{.y = {}, .length = n};
  if (is_in_front(initial)) advanced = op(*initial, advanced);
  enqueue_reduce(on, in, n, recurrence_powers<order, T>(op),
                 newest_of_total<R, order, T>{out, values_of(&advanced), is_in_front(initial)});
}

template <class Source, std::size_t order, class T>
recurrence_state<order, T> reduce_recurrence_on(gpu const& on, Source const& in, std::size_t n,
                                                recurrence<order, T> const& op) {
  using A = recurrence_values<order, T>;
  expect_finite_tree(op, n);
  auto* const slot = static_cast<A*>(host_slot::of_this_thread());
  enqueue_reduce(on, in, n, recurrence_powers<order, T>(op),
                 accumulator_result<A, combine_of<recurrence_powers<order, T>>>{slot});
  check_cuda(cudaStreamSynchronize(on.stream), "finish the reduction");
  recurrence_state<order, T> total{.y = {}, .length = n};
  std::memcpy(total.y, slot, sizeof total.y);
  return total;
}

}  // namespace upsweep::device
