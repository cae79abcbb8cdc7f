/// The solution of 01: a barrier between reading and writing.
#pragma once

#include <upsweep/textbook/scan_skeleton.hpp>

#include <upsweep/simt/begin.hpp>

namespace upsweep::exercise {

using namespace textbook;

template <class T, int threads, class Op>
__global__ void in_place_scan(global<const T> in, global<T> out, std::size_t n, Op op) {
  __shared__ shared<T, threads> tile;
  unsigned const t = threadIdx.x;
  std::size_t const i = std::size_t{blockIdx.x} * threads + t;
  T mine = identity_of<T>(op);
  if (i < n) mine = in[i];
  tile[t] = mine;
  for (unsigned stride = 1; stride < threads; stride *= 2) {
    __syncthreads();  // every thread has done the previous step
    T sum{};
    if (t >= stride) sum = op(tile[t - stride], tile[t]);
    __syncthreads();  // every thread has read
    if (t >= stride) tile[t] = sum;
  }
  if (i < n) out[i] = tile[t];
}

template <int threads>
struct in_place_scan_plan {
  static constexpr bool exclusive = false;
  static constexpr std::size_t tile = threads;

  template <class Machine, class T, class Op>
  static void run(Machine& machine, global<const T> in, global<T> out, std::size_t n, Op op) {
    scan_by_tiles<T, tile, exclusive>(
        machine, in, out, n, op,
        [&](global<const T> x, global<T> y, std::size_t count, unsigned tiles) {
          machine.launch({.name = "in_place_scan",
                          .blocks = {tiles},
                          .threads = {threads},
                          .independent_blocks = true},
                         in_place_scan<T, threads, Op>, x, y, count, op);
        });
  }
};

}  // namespace upsweep::exercise
#include <upsweep/simt/end.hpp>
