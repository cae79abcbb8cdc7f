/// segmented_atomic with more work per thread: `factor` pairs are combined in a register before the
/// block combines.
/// Cost: N - B applications, and one per block in the atomic · 2 factor - 1 + log2 T steps ·
/// blocks, atomics and barriers divided by the factor
/// Source: PMPP 4th ed., ch. 10, fig. 10.15
/// Page: docs/algorithms/coarsened.md
///
/// A thread's elements are T apart, so that a warp's loads stay coalesced: the operator must
/// commute.
#pragma once

#include <upsweep/textbook/reduce/device/segmented_atomic.hpp>

#include <cstddef>

namespace upsweep::textbook {

template <class T, int threads, int factor, class Op>
__global__ void coarsened(T const* in, T* out, std::size_t n, Op op, hardware_operation which) {
  __shared__ T tile[threads];
  unsigned const t = threadIdx.x;
  std::size_t const start = blockIdx.x * std::size_t{2 * factor * threads} + t;
  T sum = start < n ? in[start] : identity_of<T>(op);
  for (unsigned k = 1; k < 2 * factor; ++k) {
    std::size_t const i = start + k * threads;
    sum = op(sum, i < n ? in[i] : identity_of<T>(op));
  }
  tile[t] = sum;
  for (unsigned stride = threads / 2; stride >= 1; stride /= 2) {
    __syncthreads();  // the first 2 * stride elements of the tile cover all of it
    if (t < stride) tile[t] = op(tile[t], tile[t + stride]);
  }
  if (t == 0) combine_atomically<T>(out, tile[0], op, which);
}

/// `which` as in segmented_atomic.
template <int threads>
struct coarsened_plan {
  static constexpr int least_threads = 1;
  static_assert(is_tree_block<threads, least_threads>);
  static constexpr int factor = 4;
  static constexpr bool keeps_order = false;
  static constexpr std::size_t tile = 2 * factor * threads;
  template <class T, class Op>
  static constexpr bool supports = fits_an_atomic<T>;

  template <class Machine, class T, class Op>
  static void run(Machine& machine, T const* in, T* out, std::size_t n, Op op,
                  hardware_operation which = hardware_operation_of<Op>) {
    static_assert(supports<T, Op>,
                  "coarsened: elements must have 4 or 8 bytes for the atomic; use two_pass");
    machine.fill(out, 1, identity_of<T>(op));
    machine.launch({.name = "coarsened", .blocks = {tiles_of(n, tile)}, .threads = {threads}},
                   coarsened<T, threads, factor, Op>, in, out, n, op, which);
  }
};

}  // namespace upsweep::textbook
