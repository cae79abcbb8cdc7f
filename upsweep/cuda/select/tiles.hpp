/// select and its relatives of any elements, in one launch: persistent blocks, tiles by ticket,
/// tree look-back.
/// One read of each element, one store of each that is taken · 1 launch
/// docs/design/0013-cuda-verbs.md
///
/// For iterators and memory that the ring cannot copy. In place is as in the ring.
#pragma once

#include <upsweep/cuda/device/lookback.hpp>
#include <upsweep/cuda/select/outputs.hpp>
#include <upsweep/cuda/select/tile.hpp>

#include <cstddef>

namespace upsweep::device {

template <class Shape, class Input, class Marks, class... Outputs>
__global__ void __launch_bounds__(Shape::threads, Shape::blocks)
    select_tiles(selection_call call, Marks marks, Input in, workspace_words workspace,
                 Outputs... outputs) {
  using chunk_of = select_chunk<Shape, Input, Marks, Outputs...>;
  using counts = typename chunk_of::counts;
  using join = typename chunk_of::join;
  __shared__ typename chunk_of::memory shared[1];
  __shared__ shared_values<counts, lookback<counts, join>::memory_size> lookback_memory;
  __shared__ shared_values<counts, 1> before_tile;
  __shared__ ticket drawn[1];
  unsigned const lane = threadIdx.x % 32, warp = warp_in_block();

  wait_for_earlier_work();
  std::size_t const n = call.size(), tiles = (n + Shape::size - 1) / Shape::size;
  if (n == 0) {
    if (blockIdx.x == 0 && threadIdx.x == 0) store_totals<Marks, Outputs...>(call, 0, counts{});
    return;
  }
  if (threadIdx.x == 0) drawn[0] = draw_ticket(workspace);
  __syncthreads();  // the block knows its tile
  ticket mine = drawn[0];
  lookback<counts, join> earlier(workspace.totals<counts>(mine.epoch), lane, counts{}, true,
                                 lookback_memory);
  while (mine.tile < tiles) {
    std::size_t const tile = std::size_t{mine.tile} * Shape::size;
    chunk_of chunk(shared[0], tile + warp * std::size_t{Shape::chunk}, n, warp, lane);
    chunk.mark(in, marks);
    __syncthreads();  // the counts of all chunks are stored
    ticket next{};
    if (warp == 0) {
      counts const own = chunk.counts_of_tile(tile);
      if (lane == 0) {
        if (call.in_place) __threadfence();
        earlier.publish(mine.tile, own);
      }
      auto const around = earlier.around(mine.tile, own, join{});
      // Not before: a tile that waits in a block delays all later ones.
      if (lane == 0) {
        next = draw_ticket(workspace);
        before_tile[0] = around.before.value();
        if (mine.tile + 1 == tiles) {
          store_totals<Marks, Outputs...>(call, n, around.after.value());
          (store_last_length(outputs, n, around.after.value()), ...);
        }
      }
      if (call.in_place) __threadfence();  // every lane has read some of the counts
    }
    auto const ranks = chunk.compress();
    __syncthreads();  // the parts are complete, and the counts of the tiles before are known
    chunk.store(ranks, before_tile[0], outputs...);
    if (threadIdx.x == 0) drawn[0] = next;
    __syncthreads();  // the next ticket is known, and this tile has been stored
    mine = drawn[0];
  }
  if (threadIdx.x == 0) leave(workspace, mine.epoch);
}

}  // namespace upsweep::device
