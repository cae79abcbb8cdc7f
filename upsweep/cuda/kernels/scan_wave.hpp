/// The scan of a few million elements in one wave: every tile has a block of its own, and all of its warps look back.
/// 2n element accesses · 1 launch · the bits of the combine tree
/// docs/design/0004-cuda.md
///
/// Only totals are published and each tile reads all earlier ones itself, so the latency is one publication and one read. All
/// blocks have to be resident at once; the caller sees to that.
#pragma once

#include <upsweep/cuda/device/stamped.hpp>
#include <upsweep/cuda/device/tile.hpp>

#include <upsweep/simt/begin.hpp>

namespace upsweep::device {

using simt::shared;

/// One less than 32 groups of 32: so that also the prefix behind the last tile is one of the 1024 prefixes.
inline constexpr std::size_t most_wave_tiles = 1023;

/// What the warps of one block find out together about the tiles before it.
template <class A>
struct wave_board {
  shared_values<A, 32>& groups;      ///< [g]: the total of tiles [32g, 32g + 32)
  shared_values<A, 5>& before_tile;  ///< the siblings of this tile in its group of 32
  shared_values<A, 5>& after_tile;   ///< those of the next one, unless it begins a new group
};

/// Puts what stands around `tile` in its group, whose totals are given, on the board.
template <class A, class Op>
__device__ void place_tile(A const& in_group, unsigned tile, wave_board<A> const& board, unsigned lane, Op const& op) {
  siblings<A> beside;
  (void)butterfly<5>(in_group, beside, lane, op);
#pragma unroll
  for (unsigned k = 0; k < 5; ++k) {
    if (lane == tile % 32) board.before_tile[k] = beside.total[k];
    if (lane == tile % 32 + 1) board.after_tile[k] = beside.total[k];
  }
}

/// Reads the totals of the groups first, first + step … that there are before and around `tile`, whose own total is `own`, `count`
/// of them together, and puts what they amount to on the board.
template <unsigned count, class A, class Op>
__device__ void read_groups(unsigned first, unsigned step, unsigned tile, A const& own, tile_totals<A> const& tiles,
                            wave_board<A> const& board, unsigned lane, Op const& op) {
  typename tile_totals<A>::stamped_total found[count];
  unsigned missing = 0;
#pragma unroll
  for (unsigned j = 0; j < count; ++j) {
    found[j] = tiles.stamped(own);
    if ((first + j * step) * 32 + lane < tile) missing |= 1U << j;
  }
  do {
    unsigned const wanted = missing;
#pragma unroll
    for (unsigned j = 0; j < count; ++j) tiles.look((first + j * step) * 32 + lane, wanted & 1U << j, found[j]);
    missing = 0;
#pragma unroll
    for (unsigned j = 0; j < count; ++j)
      if (tiles.missing(found[j]) != 0) missing |= 1U << j;
    if (missing != 0) look_again();
  } while (__any_sync(whole_warp, missing != 0));
  A group[count];
#pragma unroll
  for (unsigned j = 0; j < count; ++j) {
    group[j] = found[j].value();
    if (first + j * step == tile / 32) place_tile(group[j], tile, board, lane, op);
  }
  A const total = each_row_total(group, lane, op);
  if (lane < count) board.groups[first + mirrored<count>(lane) * step] = total;
}

/// The prefixes in front of and behind `tile`, from a complete board, in every lane.
template <class A, class Op>
__device__ void prefixes_from(wave_board<A> const& board, unsigned tile, prefix_of<A, Op>& before, prefix_of<A, Op>& after,
                              scan_start<A> const& start, unsigned lane, Op const& op) {
  unsigned const group = tile / 32;
  A const total = board.groups[lane < group ? lane : group];
  siblings<A> beside;
  (void)butterfly<5>(total, beside, lane, op);
  prefix_of<A, Op> at_group(start.has_before ? start.before : total, start.has_before);
  beside.append_to(at_group, lane, op);
  before = at_group.from_lane(group, start.has_before);
  after = tile % 32 == 31 ? at_group.from_lane(group + 1, start.has_before) : before;
  append_siblings(before, board.before_tile, tile % 32, op);
  if (tile % 32 != 31) append_siblings(after, board.after_tile, tile % 32 + 1, op);
}

/// With `tickets` a block learns its tile from the workspace and the order in which blocks start does not matter; without, block b
/// takes tile b, which saves the wait for the ticket before the first load and relies on all blocks being resident.
template <scan_kind kind, bool tickets, class Shape, class Source, class Sink>
__global__ void __launch_bounds__(Shape::threads, Shape::blocks)
    scan_wave(Source in, Sink out, scan_start<typename Source::accumulator> start, workspace_words workspace) {
  using A = typename Source::accumulator;
  using Op = typename Source::operation;
  constexpr unsigned warps = Shape::warps;
  __shared__ shared_values<A, warps> totals;
  __shared__ shared_values<A, 32> groups;
  __shared__ shared_values<A, 5> before_tile;
  __shared__ shared_values<A, 5> after_tile;
  __shared__ shared<ticket, 1> drawn;
  unsigned const lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  Op const op = in.op;
  unsigned tile = blockIdx.x;
  if constexpr (tickets) {
    if (threadIdx.x == 0) drawn[0] = draw_ticket(workspace);
    __syncthreads();  // the block knows its tile
    ticket const mine = drawn[0];
    tile = mine.tile;
  }

  warp_chunk<Shape, Source> chunk(std::size_t{tile} * Shape::size + warp * std::size_t{Shape::chunk}, lane);
  chunk.load(in);
  if (!tickets && threadIdx.x == 0) drawn[0] = this_launch(workspace);  // while the elements are under way
  A const total = chunk.up(in, op);
  if (lane == 0) totals[warp] = total;
  __syncthreads();  // totals[w] is the total of chunk w, and the stamp is there
  ticket const mine = drawn[0];
  A const one = totals[lane % warps];
  siblings<A, Shape::warp_levels> beside;
  A const own = butterfly<Shape::warp_levels>(one, beside, lane, op);
  tile_totals<A> const tiles = workspace.totals<A>(mine.stamp);
  if (threadIdx.x == 0 && gridDim.x > 1) tiles.publish(tile, own);

  wave_board<A> const board{groups, before_tile, after_tile};
  constexpr unsigned at_once = words_of<A> <= 2 && warps <= 16 ? 2 : 1;
  for (unsigned g = warp; g <= tile / 32; g += warps * at_once) read_groups<at_once>(g, warps, tile, own, tiles, board, lane, op);
  __syncthreads();  // the board is complete
  if (tile + 1 == gridDim.x && threadIdx.x == 0) begin_next_launch(workspace, mine.stamp);
  prefix_of<A, Op> before, after;
  prefixes_from(board, tile, before, after, start, lane, op);
  prefix_of<A, Op> chunk_before = before;
  bool const there = before.there();
  beside.append_to(chunk_before, lane % warps, op);
  prefix_of<A, Op> const end = warp + 1 == warps ? after : chunk_before.from_lane((warp + 1) % warps, there);
  chunk.template down<kind>(in, out, chunk_before.from_lane(warp, there), end, start, op);
}

}  // namespace upsweep::device
#include <upsweep/simt/end.hpp>
