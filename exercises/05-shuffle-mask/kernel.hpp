/// A reduction by shuffles: every warp reduces its own elements, then the first warp the totals.
/// README.md says what is wrong.
#pragma once

#include <upsweep/textbook/skeleton.hpp>

#include <upsweep/simt/begin.hpp>

namespace upsweep::exercise {

using namespace textbook;

template <class T, int threads, class Op>
__global__ void warp_totals_reduce(global<const T> in, global<T> out, std::size_t n, Op op) {
  constexpr unsigned warps = threads / 32;
  __shared__ shared<T, warps> totals;
  unsigned const t = threadIdx.x;
  std::size_t const i = std::size_t{blockIdx.x} * threads + t;
  T value = identity_of<T>(op);
  if (i < n) value = in[i];
  for (unsigned offset = 1; offset < 32; offset *= 2) {
    T const later = simt::shuffle_down(all_lanes, value, offset);
    value = op(value, later);
  }
  if (t % 32 == 0) totals[t / 32] = value;
  __syncthreads();  // totals[w] is the total of warp w
  if (t < warps) {  // there are only `warps` totals
    value = totals[t];
    for (unsigned offset = 1; offset < warps; offset *= 2) {
      T const later = simt::shuffle_down(all_lanes, value, offset);
      value = op(value, later);
    }
    if (t == 0) out[blockIdx.x] = value;
  }
}

template <int threads>
struct warp_totals_reduce_plan {
  static constexpr std::size_t tile = threads;

  template <class Machine, class T, class Op>
  static void run(Machine& machine, global<const T> in, global<T> out, std::size_t n, Op op) {
    reduce_by_levels<T>(machine, in, out, n, tile,
                        [&](global<const T> from, global<T> to, std::size_t count, unsigned tiles) {
                          machine.launch(free_blocks("warp_totals_reduce", tiles, threads),
                                         warp_totals_reduce<T, threads, Op>, from, to, count, op);
                        });
  }
};

}  // namespace upsweep::exercise
#include <upsweep/simt/end.hpp>
