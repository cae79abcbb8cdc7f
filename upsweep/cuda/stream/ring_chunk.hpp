/// A chunk of a stream in scan_ring, which begins and ends at tile boundaries.
///
/// The carry has the totals of the tiles before it, and the ticket after the last tile is for the
/// new carry.
/// docs/design/0004-cuda.md
#pragma once

#include <upsweep/cuda/scan/scan_ring.hpp>
#include <upsweep/cuda/stream/chunk.hpp>

#include <cstddef>

namespace upsweep::device {

/// What scan_ring calls for the next chunk of a stream.
template <class Shape, class A, class Op>
struct stream_chunk {
  static constexpr bool continues = true;
  using seen = chunk_value<Op, A>;
  using lookback_of_tiles = chunk_lookback<Shape, A, Op>;

  chunk_start<A> before;
  new_carry<A, Op> next;

  /// Called by the look-back warp of the ring. Only a scan needs the prefixes of tiles.
  template <class Ring>
  __device__ void look_back(Ring const& ring) const {
    using barrier = typename Ring::Barrier;
    typename lookback_of_tiles::operation const op{ring.op_};
    barrier(ring.memory_.summed).wait(0);
    ticket const first = ring.memory_.drawn[0];
    lookback_of_tiles earlier(before, ring.workspace_, first.epoch, ring.lane_,
                              ring.memory_.lookback_memory, op);
    if (first.tile <= ring.tiles_) earlier.begin();
    ring_position stage;
    for (unsigned k = 0;; ++k, stage.advance(ring.plan_.stages)) {
      unsigned const q = k % Ring::slots;
      barrier(ring.memory_.summed + q).wait(k / Ring::slots % 2);
      ticket const mine = ring.memory_.drawn[q];
      if (mine.tile > ring.tiles_) return;
      if (mine.tile == 0) earlier.publish_carry();
      if (mine.tile == ring.tiles_) {
        seen const in_group =
            earlier.template reach<!Ring::stores>(mine.tile, neutral<decltype(op), seen>());
        earlier.split(mine.tile, ring.n_, siblings<seen, 0>{}, in_group, next);
        (void)earlier.around(mine.tile, in_group);
        __syncwarp();  // all digits for blocks of tiles are stored
        return earlier.complete(ring.n_, next);
      }
      if constexpr (Ring::stores) {
        A const own = ring.memory_.nodes[q * 2 * Ring::chunks + 1];
        seen const in_group = earlier.reach(mine.tile, something<seen>(own));
        auto const around = earlier.around(mine.tile, in_group);
        if (ring.lane_ == 0) {
          ring.memory_.prefixes[2 * q] = value_of(around.before.value());
          ring.memory_.prefixes[2 * q + 1] = value_of(around.after.value());
        }
        ring.arrive_for_all(ring.memory_.prefixed + q);
      } else {
        ring.arrive_for_all(ring.memory_.empty + stage.index);
      }
    }
  }

  __device__ void publish(workspace_words const& workspace, ticket const& t, A const& total) const {
    lookback_of_tiles::totals(workspace, t.epoch, before.position)
        .publish(lookback_of_tiles::number(before.position) + t.tile, something<seen>(total));
  }
};

}  // namespace upsweep::device
