/// Launches in a wave: one block for each tile, block b for tile b, none of which waits for a
/// ticket before its first load.
///
/// A block waits only for tiles before its own. So the hardware has to start blocks in their order,
/// and a call should have no more of them than can be resident.
#pragma once

#include <upsweep/cuda/device/epoch_words.hpp>
#include <upsweep/cuda/device/warp.hpp>

#include <cstddef>

namespace upsweep::device {

/// How blocks get their tiles, one after another: by tickets, or in a wave each its own and no
/// other. In a wave, too, each block draws one ticket: it tells the epoch, and who is the last to
/// know that.
template <bool wave>
struct tile_tickets {
  static constexpr bool is_wave = wave;
  workspace_words workspace;

  static constexpr unsigned no_tile = ~0U;

  /// The block's first tile; `mine` is the ticket that thread 0 has drawn. Called by the whole
  /// block, which waits for the ticket unless this is a wave.
  __device__ unsigned first(ticket const& mine, ticket& shared) const {
    if constexpr (wave) return blockIdx.x;
    if (threadIdx.x == 0) shared = mine;
    __syncthreads();  // the first tile is drawn
    return shared.tile;
  }
  /// The next one. Called by one thread of the block.
  __device__ unsigned next() const { return wave ? no_tile : draw_ticket(workspace).tile; }
  /// The block takes no more tiles; the last one prepares the next launch. In a wave `mine` is the
  /// block's ticket, otherwise any with the epoch. Called by one thread of the block.
  __device__ void leave(ticket const& mine) const {
    if (wave ? mine.tile + 1 == gridDim.x : is_last_to_leave(workspace))
      begin_next_launch(workspace, mine.epoch);
  }
};

/// The totals of the warp's share of the tiles before `tile`, combined, in each lane; each of the
/// `warps` of a block has every so many groups of 32. Waits until they are published. For operators
/// that are exact and commutative, with A{} as identity.
template <unsigned warps, class A, class Op>
__device__ A total_of_earlier(tile_totals<A> const& totals, unsigned tile, unsigned warp,
                              unsigned lane, Op const& op) {
  constexpr unsigned batch = totals_at_once<A>, step = 32 * warps;
  A total{};
  for (unsigned first = 32 * warp; first < tile; first += batch * step) {
    typename tile_totals<A>::tagged_total found[batch];
    unsigned missing = 0;  // bit j: the j-th total
#pragma unroll
    for (unsigned j = 0; j < batch; ++j) {
      found[j] = totals.tagged(A{});
      if (first + j * step + lane < tile) missing |= 1U << j;
    }
    for (;;) {
#pragma unroll
      for (unsigned j = 0; j < batch; ++j)
        totals.look(first + j * step + lane, missing & 1U << j, found[j]);
      missing = 0;
#pragma unroll
      for (unsigned j = 0; j < batch; ++j)
        if (totals.missing(found[j]) != 0) missing |= 1U << j;
      if (!__any_sync(whole_warp, missing != 0)) break;
      look_again();
    }
#pragma unroll
    for (unsigned j = 0; j < batch; ++j) total = op(total, found[j].value());
  }
#pragma unroll
  for (int k = 1; k < 32; k *= 2) total = op(total, simt::shuffle_xor(whole_warp, total, k));
  return total;
}

}  // namespace upsweep::device
