/// The scan of many elements in contiguous memory, in one launch: persistent blocks of specialized
/// warps, which pass tiles through a ring of stages in shared memory.
/// 2n element accesses · 1 launch · the bits of the combine tree
/// docs/design/0004-cuda.md
///
/// Each block has a warp that fetches tiles, a warp group that reduces them and publishes their
/// totals, a warp that looks back, and a warp group that scans and stores. Only the look-back warp
/// waits for other blocks, so totals are published as soon as their data have arrived.
///
/// Progress: a ticket is drawn only when its stage is free and earlier copies have completed. From
/// then on the tile's copy, its reduction and the publication of its total wait neither for another
/// block nor for the look-back warp. So the total of every tile with a ticket gets published, no
/// matter how many blocks are resident, and a look-back waits only for such totals.
///
/// A chunk of a stream is scanned, or only reduced, in the same way (stream/scan_chunk.hpp).
///
/// In place (the output is the input): a tile's results overwrite its own elements, which nothing
/// else reads. Both warp groups read the stage, and a result is stored only after the barrier that
/// signals that the whole tile is in its stage.
#pragma once

#include <upsweep/cuda/scan/staged_tile.hpp>
#include <upsweep/cuda/scan/stages.hpp>

#include <cstddef>

namespace upsweep::device {

/// One warp of the kernel. The four roles are its four functions; each returns at the first ticket
/// beyond the last tile. The large ones are inlined by force: nvcc made a call of one for order 4
/// of a recurrence, and then this object and the operator's table were read through pointers.
template <scan_kind kind, class Shape, class Source, class Sink, class Parts, class Call>
class ring_warp {
  using Barrier = typename Parts::barrier;
  using layout = ring_layout<Shape, Source>;
  using A = typename Source::accumulator;
  using Op = combine_of<typename Source::operation>;
  using element = typename Source::element;
  using prefix = prefix_of<A, Op>;
  using seen = typename Call::seen;
  static constexpr unsigned chunks = layout::chunks, parts = layout::parts, slots = layout::slots;
  static constexpr bool stores = Sink::stores;

 public:
  __device__ ring_warp(Call const& call, Source const& in, std::size_t n,
                       ring_memory<A, element, seen> const& memory,
                       workspace_words const& workspace, ring_plan const& plan)
      : call_(call),
        in_(in),
        op_(raised(in.op, 0)),
        n_(n),
        tiles_(static_cast<unsigned>((n + Shape::size - 1) / Shape::size)),
        memory_(memory),
        workspace_(workspace),
        plan_(plan) {}

  /// Called by one thread, before the block synchronizes.
  __device__ void make_barriers() const {
    for (unsigned s = 0; s < plan_.stages; ++s) {
      Barrier(memory_.full + s).init(arrivals_of_copy());
      // Both warp groups read a stage. Without a scan, the look-back warp arrives instead of the
      // second group, so that it cannot be late.
      Barrier(memory_.empty + s).init(chunks + (stores ? chunks : 1));
    }
    for (unsigned q = 0; q < slots; ++q) {
      Barrier(memory_.summed + q).init(1);
      Barrier(memory_.prefixed + q).init(1);
    }
    group_.init();
    show_barriers_to_copies();
  }

  /// The warp that fetches tiles.
  __device__ void fetch() const {
    ring_position stage{0, 1};  // a stage is empty before its first round
    ring_position landed;
    for (unsigned k = 0;; ++k, stage.advance(plan_.stages)) {
      Barrier(memory_.empty + stage.index).wait(stage.parity);
      // More copies in flight are no faster, and polls of totals wait for them.
      if (k >= plan_.copies) {
        Barrier(memory_.full + landed.index).wait(landed.parity);
        landed.advance(plan_.stages);
      }
      ticket mine{};
      if (lane_ == 0) {
        // Not before: a tile that waits in a block delays all later ones.
        mine = draw_ticket(workspace_);
        memory_.drawn[k % slots] = mine;
      }
      mine = simt::shuffle(whole_warp, mine, 0);
      staged_tile<Source, false> const tile = staged<false>(mine, stage.index);
      copy_in<element>(memory_.stages + stage.index * Shape::size, in_.first + tile.begin,
                       tile.count, full(stage), lane_, plan_.evict_first);
      if (tile.count > 0) continue;
      if (lane_ == 0) leave(workspace_, mine.epoch);
      return;
    }
  }

  /// One of the warps that reduce tiles: chunk `chunk` of each.
  __forceinline__ __device__ void add_up(unsigned chunk) const {
    ring_position stage;
    for (unsigned k = 0;; ++k, stage.advance(plan_.stages)) {
      unsigned const q = k % slots;
      full(stage).wait(stage.parity);  // drawn[q] is valid, and the tile is in its stage
      ticket const mine = memory_.drawn[q];
      bool const joins = k % chunks == chunk;  // in turn, so that one slow warp delays few tiles
      if (mine.tile >= tiles_) {
        if (joins) arrive_for_all(memory_.summed + q);
        return;
      }
      A const total = is_whole(mine) ? chunk_total(chunk, q, staged<true>(mine, stage.index))
                                     : chunk_total(chunk, q, staged<false>(mine, stage.index));
      if (lane_ == 0) memory_.nodes[q * 2 * chunks + chunks + chunk] = total;
      group_.sync();  // the totals of all chunks are stored
      if (joins) join_chunks(q, mine);
      arrive_for_all(memory_.empty + stage.index);
    }
  }

  /// The look-back warp. It waits for `summed` and never for `full`: it may be so late that the
  /// parity of a stage is the same again.
  __device__ void look_back(A const& before, bool there) const {
    Barrier(memory_.summed).wait(0);
    ticket const first = memory_.drawn[0];
    typename Call::lookback_of_tiles earlier(workspace_.totals<A>(first.epoch), lane_, before,
                                             there, memory_.lookback_memory);
    for (unsigned k = 0;; ++k) {
      unsigned const q = k % slots;
      Barrier(memory_.summed + q).wait(k / slots % 2);
      ticket const mine = memory_.drawn[q];
      if (mine.tile >= tiles_) return;
      A const own = memory_.nodes[q * 2 * chunks + 1];
      auto const around = earlier.around(mine.tile, own, raised(op_, Shape::level));
      if (lane_ == 0) {
        memory_.prefixes[2 * q] = around.before.value();
        memory_.prefixes[2 * q + 1] = around.after.value();
      }
      arrive_for_all(memory_.prefixed + q);
    }
  }

  /// One of the warps that scan: chunk `chunk` of each tile.
  __forceinline__ __device__ void scan(unsigned chunk, Sink const& out,
                                       scan_start<A> const& start) const {
    ring_position stage;
    for (unsigned k = 0;; ++k, stage.advance(plan_.stages)) {
      unsigned const q = k % slots;
      full(stage).wait(stage.parity);
      ticket const mine = memory_.drawn[q];
      if (mine.tile >= tiles_) return;
      if (is_whole(mine) && out.vectors) {
        if constexpr (layout::template in_place<Sink>)
          scan_in_place(chunk, k, mine, stage.index, staged<true>(mine, stage.index), out, start);
        else
          scan_tile(chunk, k, mine, stage.index, staged<true>(mine, stage.index),
                    whole_sink<Sink>{out}, start);
      } else
        scan_tile(chunk, k, mine, stage.index, staged<false>(mine, stage.index), out, start);
    }
  }

 private:
  friend Call;  // a chunk of a stream has its own look-back

  __device__ bool is_whole(ticket const& t) const {
    return t.tile < static_cast<unsigned>(n_ / Shape::size);
  }
  __device__ Barrier full(ring_position const& stage) const {
    return Barrier(memory_.full + stage.index);
  }
  __device__ void arrive_for_all(word* at) const {
    __syncwarp();  // one lane may now arrive for the warp
    if (lane_ == 0) Barrier(at).arrive();
  }
  template <bool whole>
  __device__ staged_tile<Source, whole> staged(ticket const& t, unsigned stage) const {
    std::size_t const begin = std::size_t{t.tile} * Shape::size, left = begin < n_ ? n_ - begin : 0;
    return {in_, memory_.stages + stage * Shape::size, begin,
            left < Shape::size ? static_cast<unsigned>(left) : Shape::size};
  }

  template <class Tile>
  __device__ A chunk_total(unsigned chunk, unsigned q, Tile const& tile) const {
    return blocked_chunk<Shape, Tile>(tile, tile.begin + chunk * std::size_t{Shape::chunk}, lane_)
        .template up<parts>(op_, memory_.part_totals + (q * chunks + chunk) * parts);
  }

  /// Scans the k-th tile of the block. Results overwrite the elements in the stage and are stored
  /// from there.
  template <class Tile>
  __device__ void scan_in_place(unsigned chunk, unsigned k, ticket const& mine, unsigned stage,
                                Tile const& tile, Sink const& out,
                                scan_start<A> const& start) const {
    unsigned const q = k % slots;
    blocked_chunk<Shape, Tile> whole(tile, tile.begin + chunk * std::size_t{Shape::chunk}, lane_);
    (void)whole.up(op_);
    Barrier(memory_.prefixed + q).wait(k / slots % 2);
    prefix const front = tile_front(q, mine.tile > 0 || start.has_before);
    whole.template down<kind>(out, prefix_before(chunk, q, front), prefix_after(chunk, q, front),
                              start, op_);
    hand_back_to_copies();
    arrive_for_all(memory_.empty + stage);
  }

  /// Scans the k-th tile of the block. Its stage is released as soon as the last part has been
  /// read.
  template <class Tile, class Out>
  __device__ void scan_tile(unsigned chunk, unsigned k, ticket const& mine, unsigned stage,
                            Tile const& tile, Out const& out, scan_start<A> const& start) const {
    using part_shape = tile_shape<1, layout::part_rows, Shape::items>;
    using part = warp_chunk<part_shape, Tile>;
    unsigned const q = k % slots;
    std::size_t const begin = tile.begin + chunk * std::size_t{Shape::chunk};
    part first(begin, lane_);
    first.load(tile);
    if constexpr (parts == 1) arrive_for_all(memory_.empty + stage);
    (void)first.up(tile, op_);
    Barrier(memory_.prefixed + q).wait(k / slots % 2);
    prefix before[parts + 1];
    prefix_parts(before, q, chunk, mine.tile > 0 || start.has_before);
    first.template down<kind>(tile, out, before[0], before[1], start, op_);
#pragma unroll
    for (unsigned p = 1; p < parts; ++p) {
      part next(begin + p * std::size_t{part_shape::chunk}, lane_);
      next.load(tile);
      if (p + 1 == parts) arrive_for_all(memory_.empty + stage);
      (void)next.up(tile, op_);
      next.template down<kind>(tile, out, before[p], before[p + 1], start, op_);
    }
  }

  /// Publishes the total of a tile, then stores the left children of the tree over its chunks.
  __device__ void join_chunks(unsigned q, ticket const& mine) const {
    auto const nodes = memory_.nodes + q * 2 * chunks;
    A const one = nodes[chunks + lane_ % chunks];
    siblings<A, Shape::warp_levels> beside;
    A const total = butterfly<Shape::warp_levels>(one, beside, raised(op_, Shape::chunk_level));
    if (lane_ == 0) {
      call_.publish(workspace_, mine, total);
      if constexpr (chunks > 1) nodes[1] = total;
    }
#pragma unroll
    for (unsigned k = 1; k < Shape::warp_levels; ++k)
      if (lane_ < chunks && lane_ % (2u << k) == 1u << k)
        nodes[(chunks >> k) + (lane_ >> k) - 1] = beside.total[k];
    arrive_for_all(memory_.summed + q);
  }

  /// The exclusive prefix of each part of the chunk, and the inclusive prefix of the last part.
  __device__ void prefix_parts(prefix* before, unsigned q, unsigned chunk, bool there) const {
    prefix const front = tile_front(q, there);
    before[0] = prefix_before(chunk, q, front);
    before[parts] = prefix_after(chunk, q, front);
    if constexpr (parts > 1) {
      thread_tree<A, parts> totals;
#pragma unroll
      for (unsigned p = 0; p < parts; ++p)
        totals.value(p) = memory_.part_totals[(q * chunks + chunk) * parts + p];
      Op const of_parts = raised(op_, Shape::chunk_level - level_of<parts>);
      totals.up(of_parts);
      totals.down(before, of_parts);
    }
  }
  __device__ prefix tile_front(unsigned q, bool there) const {
    A const front = memory_.prefixes[2 * q];
    return prefix(front, there);
  }
  __device__ prefix prefix_after(unsigned chunk, unsigned q, prefix const& front) const {
    if (chunk + 1 < chunks) return prefix_before(chunk + 1, q, front);
    A const back = memory_.prefixes[2 * q + 1];
    return prefix(back, true);
  }
  __device__ prefix prefix_before(unsigned chunk, unsigned q, prefix p) const {
#pragma unroll
    for (unsigned k = Shape::warp_levels; k-- > 0;) {
      if ((chunk >> k & 1) == 0) continue;
      A const left = memory_.nodes[q * 2 * chunks + ((chunks + chunk) >> k) - 1];
      p.append(left, raised(op_, Shape::chunk_level + k));
    }
    return p;
  }

  Call const& call_;
  Source const& in_;
  Op const op_;
  std::size_t n_;
  unsigned tiles_;
  ring_memory<A, element, seen> const& memory_;
  workspace_words workspace_;
  ring_plan plan_;
  unsigned lane_ = threadIdx.x % 32;
  warp_group_barrier<1, chunks> group_{memory_.group};
};

template <scan_kind kind, class Shape, class Source, class Sink, class Parts = ring_parts,
          class Call = whole_array<typename Source::accumulator,
                                   combine_of<typename Source::operation>, Parts>>
__global__ void __launch_bounds__(ring_layout<Shape, Source>::threads, 1)
    scan_ring(__grid_constant__ Source const in, Sink out, std::size_t n,
              scan_start<typename Source::accumulator> start, workspace_words workspace,
              ring_plan plan, Call call) {
  using layout = ring_layout<Shape, Source>;
  using A = typename Source::accumulator;
  using seen = typename Call::seen;
  using element = typename Source::element;
  constexpr int slots = layout::slots, most_stages = layout::most_stages;
  constexpr unsigned chunks = layout::chunks;
  __shared__ shared_values<A, layout::slots * 2 * chunks> nodes;
  __shared__ shared_values<A, layout::slots * chunks * layout::parts> part_totals;
  __shared__ shared_values<A, layout::slots * 2> prefixes;
  __shared__ shared_values<seen, lookback<seen, typename Source::operation>::memory_size>
      lookback_memory;
  __shared__ ticket drawn[slots];
  __shared__ word full[most_stages];
  __shared__ word empty[most_stages];
  __shared__ word summed[slots];
  __shared__ word prefixed[slots];
  __shared__ unsigned group[1];
  ring_memory<A, element, seen> const memory{simt::dynamic_shared<element>(),
                                             drawn,
                                             nodes,
                                             part_totals,
                                             prefixes,
                                             lookback_memory,
                                             full,
                                             empty,
                                             summed,
                                             prefixed,
                                             group};
  ring_warp<kind, Shape, Source, Sink, Parts, Call> const self(call, in, n, memory, workspace,
                                                               plan);
  if (threadIdx.x == 0) self.make_barriers();
  wait_for_earlier_work();
  __syncthreads();  // barriers are initialized; from here on the warps synchronize only by them
  unsigned const warp = warp_in_block();
  if (warp == 0) {
    self.fetch();
  } else if (warp == 1) {
    if constexpr (Call::continues)
      call.look_back(self);
    else
      self.look_back(start.left(), start.has_before);
  } else if (warp < 2 + chunks) {
    self.add_up(warp - 2);
  } else if constexpr (Sink::stores) {
    self.scan(warp - 2 - chunks, out, start);
  }
}

}  // namespace upsweep::device
