/// A grid of fixed size strides through the array, so the number of partials does not grow with N,
/// and one more block reduces them.
/// Cost: N + B loads, B + 1 stores with B fixed · 2 launches ·
/// every load of a warp is fully coalesced
/// Source: beyond the sources; Harris 2007 step 7, Harris 2013 on grid-stride loops
/// Page: docs/algorithms/grid_stride.md
///
/// A thread's elements are a whole grid apart: the operator must commute.
#pragma once

#include <upsweep/textbook/reduce/block/shuffle_reduce.hpp>

#include <algorithm>
#include <cstddef>

namespace upsweep::textbook {

template <class T, int threads, class Op>
__global__ void grid_stride(T const* in, T* out, std::size_t n, Op op) {
  std::size_t const stride = gridDim.x * std::size_t{threads};
  std::size_t i = blockIdx.x * std::size_t{threads} + threadIdx.x;
  T sum = i < n ? in[i] : identity_of<T>(op);
  for (i += stride; i < n; i += stride) sum = op(sum, in[i]);
  T const total = block_total<threads>(sum, op);
  if (threadIdx.x == 0) out[blockIdx.x] = total;
}

/// The grid fills a large GPU once (132 multiprocessors hold 1056 blocks of 256 threads). For small
/// n it is smaller: with fewer than four elements per thread the partials cost more than they save.
template <int threads>
struct grid_stride_plan {
  static_assert(is_tree_block<threads>);
  static constexpr bool keeps_order = false;
  static constexpr std::size_t tile = 4 * threads;
  static constexpr unsigned largest_grid = 1056;

  template <class Machine, class T, class Op>
  static void run(Machine& machine, T const* in, T* out, std::size_t n, Op op) {
    unsigned const blocks = std::min(tiles_of(n, tile), largest_grid);
    T* const partials = machine.template allocate<T>(blocks, "partials");
    machine.launch(free_blocks("grid_stride", blocks, threads), grid_stride<T, threads, Op>, in,
                   partials, n, op);
    machine.launch(free_blocks("grid_stride", 1, threads), grid_stride<T, threads, Op>, partials,
                   out, blocks, op);
  }
};

}  // namespace upsweep::textbook
