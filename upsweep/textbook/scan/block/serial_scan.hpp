/// The serial scan: one thread walks through the array with an accumulator.
/// Cost: N - 1 applications · N - 1 steps · 2N element accesses · 1 of 32 lanes works
/// Source: Blelloch 1990, algorithm 1; every textbook's definition
/// Page: docs/algorithms/serial_scan.md
#pragma once

#include <upsweep/textbook/scan_skeleton.hpp>

#include <cstddef>

namespace upsweep::textbook {

template <class T, bool exclusive, class Op>
__global__ void serial_scan(T const* in, T* out, std::size_t n, Op op) {
  T carry = in[0];
  out[0] = exclusive ? identity_of<T>(op) : carry;
  for (std::size_t i = 1; i < n; ++i) {
    T const mine = in[i];
    T const sum = op(carry, mine);
    out[i] = exclusive ? carry : sum;
    carry = sum;
  }
}

/// `threads` is ignored: one thread does all the work.
template <int threads, bool exclusive_form = false>
struct serial_scan_plan {
  static constexpr int least_threads = 1;
  static constexpr bool exclusive = exclusive_form;

  template <class Machine, class T, class Op>
  static void run(Machine& machine, T const* in, T* out, std::size_t n, Op op) {
    if (n == 0) return;
    machine.launch(
        {.name = "serial_scan", .blocks = {1}, .threads = {1}, .independent_blocks = true},
        serial_scan<T, exclusive, Op>, in, out, n, op);
  }
};

}  // namespace upsweep::textbook
