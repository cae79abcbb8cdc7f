/// The solution of 11: padding with the operator's identity.
#pragma once

#include <upsweep/textbook/skeleton.hpp>

#include <upsweep/simt/begin.hpp>

namespace upsweep::exercise {

using namespace textbook;

template <class T, class Op>
__device__ T total_of_warp(T value, Op op) {
  for (unsigned offset = 1; offset < 32; offset *= 2) {
    T const later = simt::shuffle_down(all_lanes, value, offset);
    value = op(value, later);
  }
  return value;
}

template <class T, int threads, class Op>
__global__ void filled_reduce(global<const T> in, global<T> out, std::size_t n, Op op) {
  __shared__ shared<T, threads / 32> totals;
  unsigned const t = threadIdx.x;
  std::size_t const i = std::size_t{blockIdx.x} * threads + t;
  T value = identity_of<T>(op);  // what threads beyond n contribute
  if (i < n) value = in[i];
  value = total_of_warp(value, op);
  if (t % 32 == 0) totals[t / 32] = value;
  __syncthreads();  // totals[w] is the total of warp w
  if (t < 32) {
    value = identity_of<T>(op);
    if (t < threads / 32) value = totals[t];
    value = total_of_warp(value, op);
    if (t == 0) out[blockIdx.x] = value;
  }
}

template <int threads>
struct filled_reduce_plan {
  static constexpr std::size_t tile = threads;

  template <class Machine, class T, class Op>
  static void run(Machine& machine, global<const T> in, global<T> out, std::size_t n, Op op) {
    reduce_by_levels<T>(machine, in, out, n, tile,
                        [&](global<const T> from, global<T> to, std::size_t count, unsigned tiles) {
                          machine.launch(free_blocks("filled_reduce", tiles, threads),
                                         filled_reduce<T, threads, Op>, from, to, count, op);
                        });
  }
};

}  // namespace upsweep::exercise
#include <upsweep/simt/end.hpp>
