/// One launch leaves one partial per block, and the host reduces the partials.
/// Cost: shuffle_reduce on the device, B - 1 applications on the host ·
/// N loads, B stores, B values over the bus · 1 launch
/// Source: CUDA laboratory report: 1024 threads, 2 items per thread, zero padding
/// Page: docs/algorithms/partials_on_host.md
///
/// The report pads with zeros, which is right for sums only: the kernel pads with the operator's
/// identity.
#pragma once

#include <upsweep/textbook/reduce/block/shuffle_reduce.hpp>

#include <array>
#include <cstddef>
#include <span>
#include <vector>

namespace upsweep::textbook {

template <class T, int threads, class Op>
__global__ void partials_on_host(T const* in, T* partials, std::size_t n, Op op) {
  T const total = block_total<threads>(pair_total<threads, T>(in, n, op), op);
  if (threadIdx.x == 0) partials[blockIdx.x] = total;
}

template <int threads>
struct partials_on_host_plan {
  static_assert(is_tree_block<threads>);
  static constexpr bool keeps_order = true;
  static constexpr std::size_t tile = 2 * threads;

  template <class Machine, class T, class Op>
  static void run(Machine& machine, T const* in, T* out, std::size_t n, Op op) {
    unsigned const blocks = tiles_of(n, tile);
    T* const partials = machine.template allocate<T>(blocks, "partials");
    machine.launch(free_blocks("partials_on_host", blocks, threads),
                   partials_on_host<T, threads, Op>, in, partials, n, op);
    std::vector<T> const values = machine.to_host(partials, blocks);
    std::array<T, 1> total{values[0]};
    for (std::size_t b = 1; b < blocks; ++b) total[0] = op(total[0], values[b]);
    machine.to_device(out, std::span<T const>(total));
  }
};

}  // namespace upsweep::textbook
