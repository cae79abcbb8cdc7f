/// The solution of 13: Blelloch's scan with one unused element after every 32.
#pragma once

#include <upsweep/textbook/scan_skeleton.hpp>

#include <upsweep/simt/begin.hpp>

namespace upsweep::exercise {

using namespace textbook;

/// One unused element after every 32.
__device__ constexpr unsigned padded(unsigned i) {
  return i + i / 32;
}

template <class T, int threads, class Op>
__global__ void conflicting_scan(global<const T> in, global<T> out, std::size_t n, Op op) {
  constexpr unsigned size = 2 * threads;
  __shared__ shared<T, 2 * threads + 2 * threads / 32> tile;
  unsigned const t = threadIdx.x;
  std::size_t const i = std::size_t{blockIdx.x} * size + t;
  T const identity = identity_of<T>(op);
  T low = identity, high = identity;
  if (i < n) low = in[i];
  if (i + threads < n) high = in[i + threads];
  tile[padded(t)] = low;
  tile[padded(t + threads)] = high;
  for (unsigned stride = 1; stride < size; stride *= 2) {
    __syncthreads();  // the last element of every aligned block of `stride` elements holds the
                      // block's total
    unsigned const left = (2 * t + 1) * stride - 1, right = left + stride;
    if (right < size) tile[padded(right)] = op(tile[padded(left)], tile[padded(right)]);
  }
  if (t == 0) tile[padded(size - 1)] = identity;  // thread 0 wrote the total: no barrier needed
  for (unsigned stride = threads; stride > 0; stride /= 2) {
    __syncthreads();  // the last element of every aligned block of 2·stride elements holds
                      // the block's exclusive prefix
    unsigned const left = (2 * t + 1) * stride - 1, right = left + stride;
    if (right < size) {
      T const total = tile[padded(left)];
      tile[padded(left)] = tile[padded(right)];
      tile[padded(right)] = op(tile[padded(right)], total);  // the prefix is the earlier operand
    }
  }
  __syncthreads();  // every element holds its exclusive prefix
  if (i < n) out[i] = tile[padded(t)];
  if (i + threads < n) out[i + threads] = tile[padded(t + threads)];
}

template <int threads>
struct conflicting_scan_plan {
  static constexpr bool exclusive = true;
  static constexpr std::size_t tile = 2 * threads;

  template <class Machine, class T, class Op>
  static void run(Machine& machine, global<const T> in, global<T> out, std::size_t n, Op op) {
    scan_by_tiles<T, tile, exclusive>(
        machine, in, out, n, op,
        [&](global<const T> x, global<T> y, std::size_t count, unsigned tiles) {
          machine.launch({.name = "conflicting_scan",
                          .blocks = {tiles},
                          .threads = {threads},
                          .independent_blocks = true},
                         conflicting_scan<T, threads, Op>, x, y, count, op);
        });
  }
};

}  // namespace upsweep::exercise
#include <upsweep/simt/end.hpp>
