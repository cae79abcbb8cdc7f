/// Each block writes a partial, and a second launch, a single block of the same kernel, reduces the
/// partials.
/// Cost: N + B loads, B + 1 stores · 2 launches ·
/// items - 1 applications per thread, then those of shuffle_reduce
/// Source: beyond the sources; Harris 2007 reduces level by level
/// Page: docs/algorithms/two_pass.md
///
/// A thread's elements are consecutive, which keeps the order. The cost: a warp's load touches
/// `items` times as many lines, and the L1 cache has to serve the rest of each line to the loads
/// that follow.
#pragma once

#include <upsweep/textbook/reduce/block/shuffle_reduce.hpp>

#include <cstddef>

namespace upsweep::textbook {

/// The total of the `items` consecutive elements from `first` on, as far as they are below n.
template <class T, class Op>
__device__ T run_total(T const* in, std::size_t first, std::size_t items, std::size_t n, Op op) {
  T sum = first < n ? in[first] : identity_of<T>(op);
  for (std::size_t i = first + 1; i < first + items && i < n; ++i) sum = op(sum, in[i]);
  return sum;
}

template <class T, int threads, class Op>
__global__ void two_pass(T const* in, T* out, std::size_t n, std::size_t items, Op op) {
  std::size_t const first = (blockIdx.x * std::size_t{threads} + threadIdx.x) * items;
  T const total = block_total<threads>(run_total<T>(in, first, items, n, op), op);
  if (threadIdx.x == 0) out[blockIdx.x] = total;
}

template <int threads>
struct two_pass_plan {
  static_assert(is_tree_block<threads>);
  static constexpr bool keeps_order = true;
  static constexpr std::size_t items = 4;
  static constexpr std::size_t tile = items * threads;

  template <class Machine, class T, class Op>
  static void run(Machine& machine, T const* in, T* out, std::size_t n, Op op) {
    unsigned const blocks = tiles_of(n, tile);
    T* const partials = machine.template allocate<T>(blocks, "partials");
    machine.launch(free_blocks("two_pass", blocks, threads), two_pass<T, threads, Op>, in, partials,
                   n, items, op);
    unsigned const share = tiles_of(blocks, threads);
    machine.launch(free_blocks("two_pass", 1, threads), two_pass<T, threads, Op>, partials, out,
                   blocks, share, op);
  }
};

}  // namespace upsweep::textbook
