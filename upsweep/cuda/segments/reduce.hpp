/// Reductions of segments, whatever their lengths: each has the bits of the combine tree over its
/// own elements.
/// One read of elements and offsets, one store of each result · 1 launch
/// docs/design/0013-cuda-verbs.md
///
/// A tile has equal numbers of elements and ends of segments in all. Its borders move to the right,
/// to the next chunk of the segment that they are in, so that every chunk lies in one tile. In a
/// tile threads combine items of 32 elements or fewer, warps chunks of 32 items, and threads
/// segments. Of segments that cross borders, tiles publish the totals of chunks, from which the
/// tile that has the end makes the result (levels.hpp).
#pragma once

#include <upsweep/cuda/device/wave.hpp>
#include <upsweep/cuda/segments/levels.hpp>
#include <upsweep/cuda/segments/tile.hpp>

#include <cstddef>
#include <type_traits>

namespace upsweep::device {

/// A wave, or persistent blocks, which draw tiles.
template <bool wave, class Shape, class Input, class Borders, class Results, class A>
__global__ void __launch_bounds__(Shape::threads, Shape::blocks)
    reduce_segments(segment_call call, Input in, Borders borders, Results results,
                    segment_levels<Shape, A> levels, tile_tickets<wave> tickets) {
  using T = typename Input::element;
  using memory = segment_memory<Shape, T, A>;
  using crossing = crossing_chunks<Shape, A, std::remove_cvref_t<decltype(results.op)>>;
  __shared__ memory shared[1];
  __shared__ ticket drawn[1];
  unsigned const lane = threadIdx.x % 32, warp = warp_in_block();
  auto const& op = results.op;
  wait_for_earlier_work();
  std::size_t const n = call.n.size(), count = call.count.size(), work = n + count;
  ticket mine{};  // of a wave it is on its way while the borders are searched for
  if (threadIdx.x == 0) mine = draw_ticket(tickets.workspace);
  unsigned t = tickets.first(mine, drawn[0]), epoch = wave ? 0 : drawn[0].epoch;
  while (std::size_t{t} * Shape::size < work) {
    find_tile<Shape>(borders, n, count, t, shared[0].sides, warp, lane);
    if (wave && threadIdx.x == 0) drawn[0] = mine;
    __syncthreads();  // the borders of the tile and the epoch are known
    if constexpr (wave) epoch = drawn[0].epoch;
    segment_tile<Shape, T, A> tile(shared[0]);
    tile.load(in, borders, n);
    __syncthreads();  // the tile is loaded
    tile.find_items();
    tile.total_items(op);
    __syncthreads();  // the totals of items are complete
    tile.total_chunks(warp, lane, op, [&](unsigned j, std::size_t chunk, A const& total) {
      crossing(levels, epoch, tile.global_begin(j), lane, op).publish(0, chunk, total);
    });
    bool const waits = tile.is_begun();  // then later tiles would wait for the next one too
    if (threadIdx.x == 0 && !waits) drawn[0].tile = tickets.next();
    __syncthreads();  // the totals of chunks are complete
    for (unsigned j = threadIdx.x; j < tile.count(); j += Shape::threads) {
      if (!tile.is_whole(j)) continue;
      if (tile.is_empty(j))
        results.store_empty(tile.number(j));
      else
        results.store(tile.number(j), tile.total_of(j, op));
    }
    if (warp == 0 && waits) {
      crossing(levels, epoch, tile.global_begin(0), lane, op)
          .template look_back<true>(
              tile.before(0) / Shape::chunk, tile.end(0) / Shape::chunk,
              [&](unsigned, A const& chunks) {
                if (!tile.ends_here(0)) return;
                auto total = prefix_of<A, std::remove_cvref_t<decltype(op)>>(chunks, true);
                tile.for_each_rest(0, op, [&](A const& next, unsigned) { total.append(next, op); });
                results.store(tile.number(0), total.value());
              });
      if (lane == 0) drawn[0].tile = tickets.next();
    }
    __syncthreads();  // nobody reads this tile any more, and the next one is drawn
    t = drawn[0].tile;
  }
  if (threadIdx.x == 0) tickets.leave(wave ? mine : ticket{0, epoch});
}

}  // namespace upsweep::device
