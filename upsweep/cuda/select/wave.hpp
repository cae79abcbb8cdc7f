/// select and its relatives of few elements, in a wave.
/// One read of each element, one store of each that is taken · 1 launch
/// docs/design/0013-cuda-verbs.md
///
/// A block reads the counts of all earlier tiles itself, with all of its warps. In place a tile's
/// counts are published when its elements have been read, as in the ring.
#pragma once

#include <upsweep/cuda/device/wave.hpp>
#include <upsweep/cuda/select/outputs.hpp>
#include <upsweep/cuda/select/tile.hpp>

#include <cstddef>

namespace upsweep::device {

template <class Shape, class Input, class Marks, class... Outputs>
__global__ void __launch_bounds__(Shape::threads, Shape::blocks)
    select_wave(selection_call call, Marks marks, Input in, workspace_words workspace,
                Outputs... outputs) {
  using chunk_of = select_chunk<Shape, Input, Marks, Outputs...>;
  using counts = typename chunk_of::counts;
  using join = typename chunk_of::join;
  __shared__ typename chunk_of::memory shared[1];
  __shared__ shared_values<counts, Shape::warps> before_warp;  // by the warp that read them
  __shared__ unsigned epoch[1];
  unsigned const lane = threadIdx.x % 32, warp = warp_in_block(), t = blockIdx.x;
  wait_for_earlier_work();
  std::size_t const n = call.size(), tiles = (n + Shape::size - 1) / Shape::size;
  tile_tickets<true> const tickets{workspace};
  ticket drawn{};  // is on its way while the elements are loaded
  if (threadIdx.x == 0 && gridDim.x > 1) drawn = draw_ticket(workspace);
  if (t < tiles) {
    std::size_t const tile = std::size_t{t} * Shape::size;
    chunk_of chunk(shared[0], tile + warp * std::size_t{Shape::chunk}, n, warp, lane);
    chunk.mark(in, marks);
    if (threadIdx.x == 0) epoch[0] = drawn.epoch;
    __syncthreads();  // the counts of all chunks and the epoch are stored
    counts const own = chunk.counts_of_tile(tile);
    tile_totals<counts> const totals = workspace.totals<counts>(epoch[0]);
    if (threadIdx.x == 0 && t + 1 < tiles) {
      if (call.in_place) __threadfence();
      totals.publish(t, own);
    }
    auto const ranks = chunk.compress();
    counts before = total_of_earlier<Shape::warps>(totals, t, warp, lane, join{});
    if (call.in_place) __threadfence();  // every lane has read some of the counts
    if (lane == 0) before_warp[warp] = before;
    __syncthreads();  // the parts are complete, and the counts of the tiles before are known
    before = {};
    for (unsigned w = 0; w < Shape::warps; ++w) {
      counts const part = before_warp[w];
      before = join{}(before, part);
    }
    chunk.store(ranks, before, outputs...);
    if (threadIdx.x == 0 && t + 1 == tiles) {
      counts const all = join{}(before, own);
      store_totals<Marks, Outputs...>(call, n, all);
      (store_last_length(outputs, n, all), ...);
    }
  } else if (threadIdx.x == 0 && t == 0) {
    store_totals<Marks, Outputs...>(call, 0, counts{});
  }
  if (threadIdx.x == 0 && gridDim.x > 1) tickets.leave(drawn);
}

}  // namespace upsweep::device
