/// What the blocks of scan_ring consist of: the stages and places of their shared memory, and whose
/// tiles are before them.
#pragma once

#include <upsweep/cuda/device/chunk.hpp>
#include <upsweep/cuda/device/pipeline.hpp>
#include <upsweep/cuda/device/tile.hpp>

#include <cstddef>

#include <upsweep/simt/begin.hpp>

namespace upsweep::device {

using simt::shared_pointer;

/// How many tiles a block has in its stages, and how many of those copies may be under way; from
/// ring_layout::plan().
struct ring_plan {
  unsigned stages, copies;
  bool evict_first = false;  ///< elements leave the cache before anything else does
};

/// The warps and the shared memory of a ring. `Source` must be contiguous memory, aligned to 16
/// bytes.
template <class Shape, class Source>
struct ring_layout {
  using A = typename Source::accumulator;
  using element = typename Source::element;
  static constexpr unsigned chunks = Shape::warps;
  static constexpr unsigned threads = 32 * (2 + 2 * chunks);
  static constexpr std::size_t stage_bytes = Shape::size * sizeof(element);

  /// Places for the numbers, totals and prefixes of tiles. They live longer than the stage: a warp
  /// that scans gives its stage back before it needs the prefix, and then holds one tile more. Tile
  /// k takes the place of tile k - places, in a stage that tile k - stages has left; for that each
  /// warp of the scan has read it and so is done with tile k - stages - 1. Hence places > stages.
  static constexpr unsigned places = 8, most_stages = places - 1;

  /// A chunk is scanned in `parts` parts of so many rows, each held in registers at once: the
  /// elements, five siblings and two totals for each row, and what one row needs while it is worked
  /// on, of the 96 registers that a warp of this block may have. The first part is ready before the
  /// prefix is there.
  static constexpr unsigned part_rows = [] {
    constexpr unsigned row_words =
        static_cast<unsigned>((Shape::items * sizeof(element) + 3) / 4) + 7 * words_of<A>;
    constexpr unsigned item_words = 4 * Shape::items * words_of<A>;
    unsigned rows = Shape::rows;
    while (rows > 1 && rows * row_words + item_words > 104) rows /= 2;
    return rows;
  }();
  static constexpr unsigned parts = Shape::rows / part_rows;

  /// Whether results take the places of elements on their way out, so that a chunk is scanned with
  /// one butterfly and few registers. Two parts are as fast by rows, and faster if the operator is
  /// long.
  template <class Sink>
  static constexpr bool in_place =
      Sink::plain && sizeof(typename Sink::element) == sizeof(element) && parts != 2;

  /// Bytes beside the stages, with what rounding each array up to 128 bytes may add.
  static constexpr std::size_t fixed_bytes =
      (places * (2 * chunks + chunks * parts + 2) +
       lookback<A, typename Source::operation>::memory_size) *
          sizeof(A) +
      places * 5 * sizeof(word) + 1024;

  /// The ring for a block that may have `available` bytes of shared memory (227 KiB on sm_90, 163
  /// KiB on sm_80). With fewer than two stages nothing overlaps: take scan_tiles.
  [[nodiscard]] static constexpr ring_plan plan(std::size_t available, unsigned copies = 3,
                                                std::size_t fixed = fixed_bytes) {
    std::size_t const fit = available > fixed ? (available - fixed) / stage_bytes : 0;
    unsigned const stages = fit < most_stages ? static_cast<unsigned>(fit) : most_stages;
    return {stages, copies < stages ? copies : stages};
  }
  /// Dynamic shared memory of the launch.
  [[nodiscard]] static constexpr std::size_t shared_bytes(ring_plan const& plan) {
    return plan.stages * stage_bytes;
  }

  static_assert(Source::plain,
                "the ring copies contiguous memory: other iterators take scan_tiles");
  static_assert(stage_bytes % 16 == 0, "copies move multiples of 16 bytes");
};

/// What a block shares. Stages are taken in turn, and so are the places of the small arrays; all
/// its barriers are indexed like what they guard.
template <class A, class Element, class Seen>
struct ring_memory {
  shared_pointer<Element> stages;  ///< the elements of tiles
  shared_pointer<ticket> drawn;    ///< the numbers of tiles
  shared_pointer<boxed<A>> nodes;  ///< the tree over the chunks of a tile as a heap: [1] its total,
                                   ///< [chunks + c] that of chunk c, between them the left halves
  shared_pointer<boxed<A>> part_totals;  ///< the parts of the chunks, if there are several
  shared_pointer<boxed<A>> prefixes;     ///< what stands in front of a tile, and what behind it
  shared_pointer<boxed<Seen>> lookback_memory;
  shared_pointer<word> full, empty;  ///< of stages: the tile has landed; both squads have read it
  shared_pointer<word> summed, placed;  ///< of places: the nodes are there; the prefixes are there
  shared_pointer<unsigned> squad;
};

/// What tests and benchmarks exchange: how warps wait for each other, and how a tile learns what
/// stands left of it.
struct ring_parts {
  using barrier = arrival_barrier;
  template <class A, class Op>
  using lookback_of = lookback<A, Op>;
};

/// Where a call stands: over a whole array, whose tile 0 is the first, behind what scan_start says.
template <class A, class Op, class Parts>
struct whole_array {
  static constexpr bool continues = false;
  using seen = A;  ///< what look-backs combine
  using lookback_of_tiles = typename Parts::template lookback_of<A, Op>;

  __device__ void publish(workspace_words const& workspace, ticket const& t, A const& total) const {
    workspace.totals<A>(t.stamp).publish(t.tile, total);
  }
};
/// Over the next chunk of a stream, which has whole tiles only.
template <class Shape, class A, class Op>
struct stream_chunk {
  static constexpr bool continues = true;
  using seen = chunk_value<Op, A>;
  using lookback_of_tiles = chunk_lookback<Shape, A, Op>;

  chunk_start<A> before;
  new_carry<A, Op> next;

  __device__ void publish(workspace_words const& workspace, ticket const& t, A const& total) const {
    lookback_of_tiles::totals(workspace, t.stamp, before.position)
        .publish(lookback_of_tiles::number(before.position) + t.tile, something<seen>(total));
  }
};

}  // namespace upsweep::device
#include <upsweep/simt/end.hpp>
