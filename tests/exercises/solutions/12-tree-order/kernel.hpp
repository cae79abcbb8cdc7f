/// The solution of 12: neighbours are combined first, and the stride doubles.
#pragma once

#include <upsweep/textbook/skeleton.hpp>

#include <upsweep/simt/begin.hpp>

namespace upsweep::exercise {

using namespace textbook;

template <class T, int threads, class Op>
__global__ void ordered_reduce(global<const T> in, global<T> out, std::size_t n, Op op) {
  __shared__ shared<T, threads> tile;
  unsigned const t = threadIdx.x;
  std::size_t const i = blockIdx.x * std::size_t{2 * threads} + 2 * t;
  T const earlier = i < n ? T(in[i]) : identity_of<T>(op);
  T const later = i + 1 < n ? T(in[i + 1]) : identity_of<T>(op);
  tile[t] = op(earlier, later);
  for (unsigned stride = 1; stride < threads; stride *= 2) {
    __syncthreads();  // every element whose index is a multiple of `stride` covers the `stride`
                      // elements that start there
    unsigned const k = 2 * stride * t;
    if (k < threads) tile[k] = op(tile[k], tile[k + stride]);
  }
  if (t == 0) out[blockIdx.x] = tile[0];
}

template <int threads>
struct ordered_reduce_plan {
  static constexpr std::size_t tile = 2 * threads;

  template <class Machine, class T, class Op>
  static void run(Machine& machine, global<const T> in, global<T> out, std::size_t n, Op op) {
    reduce_by_levels<T>(machine, in, out, n, tile,
                        [&](global<const T> from, global<T> to, std::size_t count, unsigned tiles) {
                          machine.launch(free_blocks("ordered_reduce", tiles, threads),
                                         ordered_reduce<T, threads, Op>, from, to, count, op);
                        });
  }
};

}  // namespace upsweep::exercise
#include <upsweep/simt/end.hpp>
