/// One thread adds up all elements in a loop: the baseline of every other reduction.
/// Cost: N - 1 applications · N - 1 steps · N loads, 1 store
/// Source: PMPP 4th ed., ch. 10, fig. 10.1-10.2
/// Page: docs/algorithms/serial_reduce.md
#pragma once

#include <upsweep/textbook/skeleton.hpp>

#include <cstddef>

namespace upsweep::textbook {

template <class T, class Op>
__global__ void serial_reduce(T const* in, T* out, std::size_t n, Op op) {
  if (n == 0) {
    out[0] = identity_of<T>(op);
    return;
  }
  T sum = in[0];
  for (std::size_t i = 1; i < n; ++i) sum = op(sum, in[i]);
  out[0] = sum;
}

/// One launch of one thread; `threads` is ignored.
template <int threads>
struct serial_reduce_plan {
  static constexpr int least_threads = 1;
  static constexpr bool keeps_order = true;

  template <class Machine, class T, class Op>
  static void run(Machine& machine, T const* in, T* out, std::size_t n, Op op) {
    machine.launch(free_blocks("serial_reduce", 1, 1), serial_reduce<T, Op>, in, out, n, op);
  }
};

}  // namespace upsweep::textbook
