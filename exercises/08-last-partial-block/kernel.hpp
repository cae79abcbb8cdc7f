/// A reduction whose blocks each write one total, which the host adds up. README.md says what is
/// wrong and what to do.
#pragma once

#include <upsweep/textbook/reduce/block/shuffle_reduce.hpp>

#include <span>
#include <vector>

#include <upsweep/simt/begin.hpp>

namespace upsweep::exercise {

using namespace textbook;

template <class T, int threads, class Op>
__global__ void totals_of_blocks(global<const T> in, global<T> totals, std::size_t, Op op) {
  std::size_t const i = std::size_t{blockIdx.x} * threads + threadIdx.x;
  T const mine = in[i];
  T const total = block_total<threads>(mine, op);
  if (threadIdx.x == 0) totals[blockIdx.x] = total;
}

template <int threads>
struct totals_of_blocks_plan {
  static constexpr std::size_t tile = threads;

  template <class Machine, class T, class Op>
  static void run(Machine& machine, global<const T> in, global<T> out, std::size_t n, Op op) {
    unsigned const blocks = static_cast<unsigned>(n / threads);
    T result = identity_of<T>(op);
    if (blocks > 0) {
      auto const totals = machine.template allocate<T>(blocks, "totals");
      machine.launch(free_blocks("totals_of_blocks", blocks, threads),
                     totals_of_blocks<T, threads, Op>, in, totals, n, op);
      for (T const total : machine.to_host(totals, blocks)) result = op(result, total);
    }
    machine.to_device(out, std::span<T const>(&result, 1));
  }
};

}  // namespace upsweep::exercise
#include <upsweep/simt/end.hpp>
