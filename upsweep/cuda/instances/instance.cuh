/// What each file of this folder instantiates.
#pragma once

#include <upsweep/cuda/instances.hpp>
#include <upsweep/cuda/launch.cuh>

namespace upsweep::device {

/// The kernels serve both reductions: one for the host has neither an initial value nor anything to
/// finish.
template <class Op, class T, class A>
void reduce_into_compiled(cuda const& on, T const* in, std::size_t n, bool reversed, A* out,
                          A const* initial) {
  static_assert(std::is_same_v<A, accumulator_t<Op, T>> && std::is_same_v<A, result_t<Op, T>>);
  as_is const f;
  Op const op;
  if (n == 0) return store_value(on, out, initial != nullptr ? *initial : identity_of<A>(op));
  finished_result<A, A, Op> const result{out, initial != nullptr ? *initial : A{},
                                         initial != nullptr};
  if (reversed)
    enqueue_reduce(on, source<T const*, as_is, Op, true>(in, n, f, op), n, op, result);
  else
    enqueue_reduce(on, source<T const*, as_is, Op, false>(in, n, f, op), n, op, result);
}

template <class Op, class T>
accumulator_t<Op, T> reduce_compiled(cuda const& on, T const* in, std::size_t n, bool reversed) {
  using A = accumulator_t<Op, T>;
  static_assert(sizeof(A) <= host_slot::size);
  auto* const slot = static_cast<A*>(host_slot::of_this_thread());
  reduce_into_compiled<Op>(on, in, n, reversed, slot, static_cast<A const*>(nullptr));
  check_cuda(cudaStreamSynchronize(on.stream), "finish the reduction");
  return *slot;
}

template <scan_kind kind, class Op, class T, class A>
void scan_compiled(cuda const& on, T const* in, T* out, std::size_t n, bool reversed,
                   A const* initial, A const* first) {
  as_is const f;
  Op const op;
  if (reversed)
    scan_on<kind>(on, source<T const*, as_is, Op, true>(in, n, f, op),
                  sink<T*, Op, true>(out, n, op), n, op, initial, first);
  else
    scan_on<kind>(on, source<T const*, as_is, Op, false>(in, n, f, op),
                  sink<T*, Op, false>(out, n, op), n, op, initial, first);
}

#define UPSWEEP_CUDA_INSTANCE(Op, T)                                                               \
  static_assert(is_compiled_pair<T, Op>);                                                          \
  template accumulator_t<Op, T> reduce_compiled<Op, T>(cuda const&, T const*, std::size_t, bool);  \
  template void reduce_into_compiled<Op, T>(cuda const&, T const*, std::size_t, bool,              \
                                            accumulator_t<Op, T>*, accumulator_t<Op, T> const*);   \
  template void scan_compiled<scan_kind::inclusive, Op, T>(cuda const&, T const*, T*, std::size_t, \
                                                           bool, accumulator_t<Op, T> const*,      \
                                                           accumulator_t<Op, T> const*);           \
  template void scan_compiled<scan_kind::exclusive, Op, T>(cuda const&, T const*, T*, std::size_t, \
                                                           bool, accumulator_t<Op, T> const*,      \
                                                           accumulator_t<Op, T> const*);

}  // namespace upsweep::device
