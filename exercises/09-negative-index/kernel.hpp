/// Kogge–Stone exclusive scan of one block, which loads the element to the left. README.md says
/// what is wrong and what to do.
#pragma once

#include <upsweep/textbook/scan_skeleton.hpp>

#include <upsweep/simt/begin.hpp>

namespace upsweep::exercise {

using namespace textbook;

template <class T, int threads, class Op>
__global__ void shifted_scan(global<const T> in, global<T> out, std::size_t n, Op op) {
  __shared__ shared<T, threads> tile;
  unsigned const t = threadIdx.x;
  std::size_t const i = std::size_t{blockIdx.x} * threads + t;
  T mine = identity_of<T>(op);
  if (i < n) mine = in[i - 1];  // the left neighbour of element i
  tile[t] = mine;
  __syncthreads();  // the tile is loaded
  for (unsigned stride = 1; stride < threads; stride *= 2) {
    T sum{};
    if (t >= stride) sum = op(tile[t - stride], tile[t]);
    __syncthreads();  // every thread has read
    if (t >= stride) tile[t] = sum;
    __syncthreads();  // tile[t] covers the 2·stride elements that end at t, fewer at the start
  }
  if (i < n) out[i] = tile[t];
}

/// scan_by_tiles adds to every tile its exclusive prefix.
template <int threads>
struct shifted_scan_plan {
  static constexpr bool exclusive = true;
  static constexpr std::size_t tile = threads;

  template <class Machine, class T, class Op>
  static void run(Machine& machine, global<const T> in, global<T> out, std::size_t n, Op op) {
    scan_by_tiles<T, tile, exclusive>(
        machine, in, out, n, op,
        [&](global<const T> x, global<T> y, std::size_t count, unsigned tiles) {
          machine.launch({.name = "shifted_scan",
                          .blocks = {tiles},
                          .threads = {threads},
                          .independent_blocks = true},
                         shifted_scan<T, threads, Op>, x, y, count, op);
        });
  }
};

}  // namespace upsweep::exercise
#include <upsweep/simt/end.hpp>
