/// The solution of 03: every thread reaches every barrier, and only the work is in branches.
#pragma once

#include <upsweep/textbook/scan_skeleton.hpp>

#include <upsweep/simt/begin.hpp>

namespace upsweep::exercise {

using namespace textbook;

template <class T, int threads, class Op>
__global__ void branching_scan(global<const T> in, global<T> out, std::size_t n, Op op) {
  __shared__ shared<T, threads> tile;
  unsigned const t = threadIdx.x;
  std::size_t const i = std::size_t{blockIdx.x} * threads + t;
  T mine = identity_of<T>(op);
  if (i < n) mine = in[i];
  tile[t] = mine;
  __syncthreads();  // the tile is loaded
  for (unsigned stride = 1; stride < threads; stride *= 2) {
    T sum{};
    if (t >= stride) sum = op(tile[t - stride], tile[t]);
    __syncthreads();  // every thread has read
    if (t >= stride) tile[t] = sum;
    __syncthreads();  // every thread has written
  }
  if (i < n) out[i] = tile[t];
}

template <int threads>
struct branching_scan_plan {
  static constexpr bool exclusive = false;
  static constexpr std::size_t tile = threads;

  template <class Machine, class T, class Op>
  static void run(Machine& machine, global<const T> in, global<T> out, std::size_t n, Op op) {
    scan_by_tiles<T, tile, exclusive>(
        machine, in, out, n, op,
        [&](global<const T> x, global<T> y, std::size_t count, unsigned tiles) {
          machine.launch({.name = "branching_scan",
                          .blocks = {tiles},
                          .threads = {threads},
                          .independent_blocks = true},
                         branching_scan<T, threads, Op>, x, y, count, op);
        });
  }
};

}  // namespace upsweep::exercise
#include <upsweep/simt/end.hpp>
