/// The quadratic scan: every thread sums its own prefix from the input, and no thread shares
/// anything.
/// Cost: n(n - 1) / 2 applications · n - 1 steps · n(n + 1) / 2 loads, n stores · no barrier
/// Source: lecture notes on reduction and scan; the first parallel scan that most people write
/// Page: docs/algorithms/quadratic.md
#pragma once

#include <upsweep/textbook/scan_skeleton.hpp>

#include <cstddef>

namespace upsweep::textbook {

template <class T, int threads, class Op>
__global__ void quadratic(T const* in, T* out, std::size_t n, Op op) {
  std::size_t const first = std::size_t{blockIdx.x} * threads;
  std::size_t const i = first + threadIdx.x;
  if (i >= n) return;
  T sum = in[first];
  for (std::size_t j = first + 1; j <= i; ++j) {
    T const later = in[j];
    sum = op(sum, later);
  }
  out[i] = sum;
}

template <int threads>
struct quadratic_plan {
  static constexpr int least_threads = 1;
  static constexpr bool exclusive = false;
  static constexpr std::size_t tile = threads;

  template <class Machine, class T, class Op>
  static void run(Machine& machine, T const* in, T* out, std::size_t n, Op op) {
    scan_by_blocks<tile, exclusive>(machine, in, out, n, op, "quadratic", threads,
                                    quadratic<T, threads, Op>);
  }
};

}  // namespace upsweep::textbook
