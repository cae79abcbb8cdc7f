/// What each file of this folder instantiates.
#pragma once

#include <upsweep/cuda/instances.hpp>
#include <upsweep/cuda/launch.cuh>

namespace upsweep::device {

template <class Op, class T>
accumulator_t<Op, T> reduce_compiled(cuda const& on, T const* in, std::size_t n, bool reversed) {
  as_is const f;
  Op const op;
  if (reversed) return reduce_on(on, source<T const*, as_is, Op, true>(in, n, f, op), n, op);
  return reduce_on(on, source<T const*, as_is, Op, false>(in, n, f, op), n, op);
}

template <scan_kind kind, class Op, class T, class A>
void scan_compiled(cuda const& on, T const* in, T* out, std::size_t n, bool reversed, A const* initial, A const* first) {
  as_is const f;
  Op const op;
  A const* const before = nullptr;
  if (reversed)
    scan_on<kind>(on, source<T const*, as_is, Op, true>(in, n, f, op), sink<T*, Op, true>(out, n, op), n, op, initial, first,
                  before);
  else
    scan_on<kind>(on, source<T const*, as_is, Op, false>(in, n, f, op), sink<T*, Op, false>(out, n, op), n, op, initial, first,
                  before);
}

#define UPSWEEP_CUDA_INSTANCE(Op, T)                                                                                  \
  static_assert(is_compiled_pair<T, Op>);                                                                             \
  template accumulator_t<Op, T> reduce_compiled<Op, T>(cuda const&, T const*, std::size_t, bool);                     \
  template void scan_compiled<scan_kind::inclusive, Op, T>(cuda const&, T const*, T*, std::size_t, bool,              \
                                                           accumulator_t<Op, T> const*, accumulator_t<Op, T> const*); \
  template void scan_compiled<scan_kind::exclusive, Op, T>(cuda const&, T const*, T*, std::size_t, bool,              \
                                                           accumulator_t<Op, T> const*, accumulator_t<Op, T> const*);

}  // namespace upsweep::device
