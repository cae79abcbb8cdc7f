/// Reductions of segments, whatever their lengths: each has the bits of the combine tree over its
/// own elements.
/// One read of elements and offsets, one store of each result · 1 or 2 launches
/// docs/design/0004-cuda.md
///
/// A tile has equal numbers of elements and ends of segments in all. Its borders move to the right,
/// to the next chunk of the segment that they are in, so that every chunk lies in one tile. In a
/// tile threads combine items of 32 elements or fewer, warps chunks of 32 items, and threads
/// segments. Of segments that cross borders, tiles store the totals of chunks, from which the
/// second launch makes the results (finish.hpp).
#pragma once

#include <upsweep/cuda/segments/tile.hpp>

namespace upsweep::device {

/// Persistent blocks.
template <class Shape, class Input, class Borders, class Results, class A>
__global__ void __launch_bounds__(Shape::threads, Shape::blocks)
    reduce_segments(segment_call call, Input in, Borders borders, Results results,
                    segment_scratch<Shape, A> scratch) {
  using T = typename Input::element;
  using memory = segment_memory<Shape, T, A>;
  __shared__ memory shared[1];
  unsigned const lane = threadIdx.x % 32, warp = warp_in_block();
  auto const& op = results.op;
  wait_for_earlier_work();
  std::size_t const n = call.n.size(), count = call.count.size(), work = n + count;
  for (std::size_t t = blockIdx.x; t * Shape::size < work; t += gridDim.x) {
    find_tile<Shape>(borders, n, count, t, shared[0].sides, warp, lane);
    __syncthreads();  // the borders of the tile are known
    segment_tile<Shape, T, A> tile(shared[0]);
    tile.load(in, borders, n);
    __syncthreads();  // the tile is loaded
    tile.find_items();
    tile.total_items(op);
    __syncthreads();  // the totals of items are complete
    tile.total_chunks(warp, lane, op, [&](unsigned j, std::size_t chunk, A const& total) {
      std::size_t const place = tile.global_begin(j) / Shape::chunk + chunk;
      scratch.chunks().publish(static_cast<unsigned>(place), total);
    });
    __syncthreads();  // the totals of chunks are complete
    for (unsigned j = threadIdx.x; j < tile.count(); j += Shape::threads) {
      std::size_t const k = tile.number(j);
      bool const is_empty = tile.is_empty(j);  // here, if the segment is not whole
      if (tile.is_whole(j)) {
        if (is_empty)
          results.store_empty(k);
        else
          results.store(k, tile.total_of(j, op));
      } else if (!is_empty && tile.ends_here(j)) {
        tile.for_each_rest(j, op, [&](A const& total, unsigned digit) {
          scratch.rest().publish(static_cast<unsigned>(t * Shape::chunk_log2 + digit), total);
        });
      }
    }
    if (threadIdx.x == 0) {
      bool const ended =
          tile.count() > 0 && tile.before(0) > 0 && !tile.is_empty(0) && tile.ends_here(0);
      scratch.ended().publish(static_cast<unsigned>(t), ended ? tile.number(0) + 1 : 0);
    }
    __syncthreads();  // nobody reads this tile any more
  }
}

}  // namespace upsweep::device
