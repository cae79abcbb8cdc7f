/// The scan of any number of elements through any iterators, in one launch: persistent blocks,
/// tiles by ticket, tree look-back.
/// 2n element accesses · 1 launch · the bits of the combine tree
/// docs/design/0004-cuda.md
#pragma once

#include <upsweep/cuda/device/lookback.hpp>
#include <upsweep/cuda/device/tile.hpp>

#include <cstddef>

namespace upsweep::device {

template <scan_kind kind, class Shape, class Source, class Sink>
__global__ void __launch_bounds__(Shape::threads, Shape::blocks)
    scan_tiles(__grid_constant__ Source const in, Sink out, std::size_t n,
               scan_start<typename Source::accumulator> start, workspace_words workspace) {
  using A = typename Source::accumulator;
  using Op = combine_of<typename Source::operation>;
  __shared__ shared_values<A, Shape::warps> totals;
  __shared__ shared_values<A, Shape::warps + 1> bases;
  __shared__ shared_values<A, lookback<A, Op>::memory_size> lookback_memory;
  __shared__ ticket drawn[1];
  unsigned const lane = threadIdx.x % 32, warp = warp_in_block();
  std::size_t const tiles = (n + Shape::size - 1) / Shape::size;
  Op const op = raised(in.op, 0), of_chunks = raised(op, Shape::chunk_level),
           of_tiles = raised(op, Shape::level);

  wait_for_earlier_work();
  if (threadIdx.x == 0) drawn[0] = draw_ticket(workspace);
  __syncthreads();  // the block knows its tile
  ticket mine = drawn[0];
  lookback<A, Op> earlier(workspace.totals<A>(mine.epoch), lane, start.left(), start.has_before,
                          lookback_memory);
  while (mine.tile < tiles) {
    warp_chunk<Shape, Source> chunk(
        std::size_t{mine.tile} * Shape::size + warp * std::size_t{Shape::chunk}, lane);
    chunk.load(in);
    if constexpr (requires { in.fetch_ahead(std::size_t{}, Shape::size); })
      if (threadIdx.x == 0)  // about the tile that this block will draw after the next wait
        in.fetch_ahead((std::size_t{mine.tile} + gridDim.x) * Shape::size, Shape::size);
    A const total = chunk.up(in, op);
    if (lane == 0) totals[warp] = total;
    __syncthreads();  // totals[w] is the total of chunk w
    ticket next{};
    if (warp == 0) {
      siblings<A, Shape::warp_levels> beside;
      A const one = totals[lane % Shape::warps];
      A const own = butterfly<Shape::warp_levels>(one, beside, of_chunks);
      if (lane == 0) earlier.publish(mine.tile, own);
      auto [before, after] = earlier.around(mine.tile, own, of_tiles);
      // Not before: a tile that waits in a block delays all later ones.
      if (lane == 0) next = draw_ticket(workspace);
      beside.append_to(before, lane, of_chunks);
      if (lane < Shape::warps) bases[lane] = before.value();
      if (lane == 0) bases[Shape::warps] = after.value();
    }
    __syncthreads();  // bases[w] is the exclusive prefix of chunk w
    A const base = bases[warp], end = bases[warp + 1];
    bool const there = mine.tile > 0 || warp > 0 || start.has_before;
    chunk.template down<kind>(in, out, prefix_of<A, Op>(base, there), prefix_of<A, Op>(end, true),
                              start, op);
    if (threadIdx.x == 0) drawn[0] = next;
    __syncthreads();  // the next ticket is known; the totals and bases of this tile have been read
    mine = drawn[0];
  }
  if (threadIdx.x == 0) leave(workspace, mine.epoch);
}

}  // namespace upsweep::device
