/// The scan of a few million elements in one wave: every tile has its own block, and all warps of
/// the block look back.
/// 2n element accesses · 1 launch · the bits of the combine tree
/// docs/design/0004-cuda.md
///
/// Only totals are published, and each tile reads all earlier ones itself, so the latency is one
/// publication and one read. All blocks must be resident at once; the caller ensures that.
#pragma once

#include <upsweep/cuda/device/epoch_words.hpp>
#include <upsweep/cuda/device/prefix_table.hpp>
#include <upsweep/cuda/device/tile.hpp>

#include <cstddef>

namespace upsweep::device {

/// With `tickets` a block draws its tile from the workspace, and the order in which blocks start
/// does not matter. Without, block b takes tile b, which saves the wait for the ticket before the
/// first load but relies on all blocks being resident.
template <scan_kind kind, bool tickets, class Shape, class Source, class Sink>
__global__ void __launch_bounds__(Shape::threads, Shape::blocks)
    scan_wave(__grid_constant__ Source const in, Sink out,
              scan_start<typename Source::accumulator> start, workspace_words workspace) {
  using A = typename Source::accumulator;
  using Op = combine_of<typename Source::operation>;
  constexpr unsigned warps = Shape::warps;
  __shared__ shared_values<A, warps> totals;
  __shared__ shared_values<A, 32> groups;
  __shared__ shared_values<A, 5> before_tile;
  __shared__ shared_values<A, 5> after_tile;
  __shared__ ticket drawn[1];
  unsigned const lane = threadIdx.x % 32, warp = warp_in_block();
  Op const op = raised(in.op, 0), of_chunks = raised(op, Shape::chunk_level),
           of_tiles = raised(op, Shape::level);
  unsigned tile = blockIdx.x;
  wait_for_earlier_work();
  if constexpr (tickets) {
    if (threadIdx.x == 0) drawn[0] = draw_ticket(workspace);
    __syncthreads();  // the block knows its tile
    ticket const mine = drawn[0];
    tile = mine.tile;
  }

  warp_chunk<Shape, Source> chunk(
      std::size_t{tile} * Shape::size + warp * std::size_t{Shape::chunk}, lane);
  chunk.load(in);
  if (!tickets && threadIdx.x == 0)
    drawn[0] = this_launch(workspace);  // while the loads are in flight
  A const total = chunk.up(in, op);
  if (lane == 0) totals[warp] = total;
  __syncthreads();  // totals[w] is the total of chunk w, and the epoch is known
  ticket const mine = drawn[0];
  A const one = totals[lane % warps];
  siblings<A, Shape::warp_levels> beside;
  A const own = butterfly<Shape::warp_levels>(one, beside, of_chunks);
  tile_totals<A> const tiles = workspace.totals<A>(mine.epoch);
  if (threadIdx.x == 0 && gridDim.x > 1) tiles.publish(tile, own);

  prefix_table<A> const table{groups, before_tile, after_tile};
  read_table<warps>(tile, own, tiles, table, warp, lane, of_tiles);
  __syncthreads();  // the table is complete
  if (tile + 1 == gridDim.x && threadIdx.x == 0) begin_next_launch(workspace, mine.epoch);
  prefix_of<A, Op> before, after;
  prefixes_from(table, tile, before, after, start, lane, of_tiles);
  prefix_of<A, Op> chunk_before = before;
  bool const there = before.there();
  beside.append_to(chunk_before, lane % warps, of_chunks);
  prefix_of<A, Op> const end =
      warp + 1 == warps ? after : chunk_before.from_lane((warp + 1) % warps, there);
  chunk.template down<kind>(in, out, chunk_before.from_lane(warp, there), end, start, op);
}

}  // namespace upsweep::device
