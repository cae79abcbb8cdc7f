/// select, partition and unique of many elements in contiguous memory, in one launch: persistent
/// blocks of specialized warps, which pass tiles through a ring of stages in shared memory.
/// One read of each element, one store of each that is taken · 1 launch
/// docs/design/0013-cuda-verbs.md
///
/// Each block has a warp that fetches tiles, a warp group that marks them and publishes how many
/// elements of each set they have, a warp that looks back, and a warp group that compresses each
/// chunk in its stage and then stores it. The progress argument is that of scan_ring.
///
/// By flags, the first group also starts the copies of the elements: only those of vectors that
/// have a flag, so what is not selected need not be read.
///
/// In place: a tile is stored when the counts of all earlier ones are known, so when they have been
/// read, and no element moves after its own position.
#pragma once

#include <upsweep/cuda/select/chunk.hpp>

#include <cstddef>

namespace upsweep::device {

template <class Shape, class T, class Marks, class... Outputs>
class select_warp {
  using layout = select_layout<Shape, T, Marks, Outputs...>;
  using counts = typename layout::counts;
  using join = typename layout::join;
  using traits = typename layout::traits;
  using lane_bits = typename layout::marks;
  using staged = staged_chunk<Shape, T, Marks, Outputs...>;
  using Barrier = arrival_barrier;
  static constexpr unsigned chunks = layout::chunks, slots = layout::slots, sets = Marks::sets;

 public:
  __device__ select_warp(selection_call const& call, Marks const& marks, T const* in, std::size_t n,
                         unsigned run_log2,
                         select_memory<Shape, T, Marks, Outputs...> const& memory,
                         workspace_words const& workspace, ring_plan const& plan)
      : call_(call),
        marks_(marks),
        in_(in),
        n_(n),
        run_log2_(run_log2),
        run_(1U << run_log2),
        tiles_(static_cast<unsigned>((n + layout::size * run_ - 1) / (layout::size * run_))),
        memory_(memory),
        workspace_(workspace),
        plan_(plan) {}

  /// Called by one thread, before the block synchronizes.
  __device__ void make_barriers() const {
    for (unsigned s = 0; s < plan_.stages; ++s) {
      Barrier(memory_.full + s).init(arrivals_of_copy());
      Barrier(memory_.empty + s).init(chunks);
      Barrier(memory_.landed + s).init(32 * chunks);
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
    ticket mine{};
    for (unsigned k = 0;; ++k, stage.advance(plan_.stages)) {
      Barrier(memory_.empty + stage.index).wait(stage.parity);
      if (k >= plan_.copies) {
        full(landed).wait(landed.parity);
        landed.advance(plan_.stages);
      }
      if (k % run_ == 0) {
        if (lane_ == 0) {
          mine = draw_ticket(workspace_);
          memory_.drawn[slot_of(k)] = mine;
        }
        mine = simt::shuffle(whole_warp, mine, 0);
      }
      std::size_t const begin = begin_of(mine, k);
      unsigned const count = count_from(begin);
      if constexpr (Marks::has_flags) {
        copy_in(memory_.flags(stage.index), marks_.flags + begin, count, full(stage), lane_,
                plan_.evict_first);
      } else {
        unsigned const earlier = Marks::needs_earlier && begin > 0 && count > 0 ? items_of<T> : 0;
        copy_in(memory_.elements(stage.index) - earlier, in_ + begin - earlier, count + earlier,
                full(stage), lane_, plan_.evict_first);
      }
      if (mine.tile < tiles_) continue;
      if (lane_ == 0) leave(workspace_, mine.epoch);
      return;
    }
  }

  /// One of the warps that mark tiles: chunk `chunk` of each.
  __device__ void mark(unsigned chunk) const {
    ring_position stage;
    for (unsigned k = 0;; ++k, stage.advance(plan_.stages)) {
      unsigned const q = slot_of(k), h = k % slots;
      full(stage).wait(stage.parity);
      ticket const mine = memory_.drawn[q];
      bool const joins = (k >> run_log2_) % chunks == chunk;
      if (mine.tile >= tiles_) {
        if (joins) arrive_for_all(memory_.summed + q);
        return;
      }
      lane_bits const bits = piece(stage, chunk, mine, k).mark(marks_, in_);
      if constexpr (Marks::has_flags) landed(stage).arrive_when_copied();
#pragma unroll
      for (unsigned s = 0; s < sets; ++s) {
        unsigned const taken = sum_of_lanes(bits.count(s));
        if (lane_ == 0) chunk_count(s, h, chunk) = taken;
      }
      if constexpr (traits::has_last) {
        unsigned const last = greatest_of_lanes(bits.last(lane_)),
                       first = k % run_ * layout::size + chunk * layout::chunk;
        if (lane_ == 0) chunk_count(sets, h, chunk) = last > 0 ? first + last : 0;
      }
      if ((k + 1) % run_ != 0) continue;
      group_.sync();  // the marks and counts of all chunks are stored
      if (!joins) continue;
      if (Marks::has_flags && call_.in_place)
        for (unsigned j = k + 1 - run_; j <= k; ++j)
          landed({j % plan_.stages, j / plan_.stages % 2}).wait(j / plan_.stages % 2);
      join_chunks(q, h, mine);
    }
  }

  /// The look-back warp.
  __device__ void look_back(Outputs const&... outputs) const {
    Barrier(memory_.summed).wait(0);
    ticket const first = memory_.drawn[0];
    lookback<counts, join> earlier(workspace_.totals<counts>(first.epoch), lane_, counts{}, true,
                                   memory_.lookback_memory);
    for (unsigned k = 0;; ++k) {
      unsigned const q = k % slots;
      Barrier(memory_.summed + q).wait(k / slots % 2);
      ticket const mine = memory_.drawn[q];
      if (mine.tile >= tiles_) return;
      counts const own = memory_.totals[q];
      auto const around = earlier.around(mine.tile, own, join{});
      if (lane_ == 0) {
        memory_.before[q] = around.before.value();
        if (mine.tile + 1 == tiles_) {
          store_totals<Marks, Outputs...>(call_, n_, around.after.value());
          (store_last_length(outputs, n_, around.after.value()), ...);
        }
      }
      if (call_.in_place) __threadfence();  // every lane has read some of the counts
      arrive_for_all(memory_.prefixed + q);
    }
  }

  /// One of the warps that store: chunk `chunk` of each tile.
  __device__ void store(unsigned chunk, Outputs const&... outputs) const {
    ring_position stage;
    for (unsigned k = 0;; ++k, stage.advance(plan_.stages)) {
      unsigned const q = slot_of(k), h = k % slots, round = (k >> run_log2_) / slots % 2;
      full(stage).wait(stage.parity);
      Barrier(memory_.summed + q).wait(round);
      ticket const mine = memory_.drawn[q];
      if (mine.tile >= tiles_) return;
      if constexpr (Marks::has_flags) landed(stage).wait(stage.parity);
      staged const own = piece(stage, chunk, mine, k);
      lane_bits const bits = own.marked();
      auto const ranked = own.ranked(bits);
      if constexpr (traits::has_values) own.compress(bits, ranked);
      counts const in_tile = sum_of_chunks(h - k % run_, k % run_ * chunks + chunk, mine);
      Barrier(memory_.prefixed + q).wait(round);
      counts const before_tile = memory_.before[q];
      own.store(bits, ranked, join{}(before_tile, in_tile), outputs...);
      arrive_for_all(memory_.empty + stage.index);
    }
  }

 private:
  /// The slot of the k-th piece, which is that of its tile, and where the piece begins.
  __device__ unsigned slot_of(unsigned k) const { return (k >> run_log2_) % slots; }
  __device__ std::size_t begin_of(ticket const& mine, unsigned k) const {
    return (std::size_t{mine.tile} * run_ + k % run_) * layout::size;
  }
  /// What the first `count` chunks of a tile have together, whose first piece is in slot `h`.
  __device__ counts sum_of_chunks(unsigned h, unsigned count, ticket const& mine) const {
    counts sum;
#pragma unroll
    for (unsigned s = 0; s < sets; ++s)
      sum.of[s] = sum_of_lanes(lane_ < count ? chunk_count(s, h, lane_) : 0);
    if constexpr (traits::has_last) {
      unsigned const last = greatest_of_lanes(lane_ < count ? chunk_count(sets, h, lane_) : 0);
      sum.of[sets] = last > 0 ? begin_of(mine, 0) + last : 0;
    }
    return sum;
  }
  __device__ unsigned& chunk_count(unsigned number, unsigned h, unsigned chunk) const {
    return memory_.chunk_counts[(number * slots + h) * chunks + chunk];
  }
  __device__ unsigned count_from(std::size_t begin) const {
    std::size_t const left = begin < n_ ? n_ - begin : 0;
    return left < layout::size ? static_cast<unsigned>(left) : layout::size;
  }
  __device__ Barrier full(ring_position const& stage) const {
    return Barrier(memory_.full + stage.index);
  }
  __device__ Barrier landed(ring_position const& stage) const {
    return Barrier(memory_.landed + stage.index);
  }
  /// Chunk `chunk` of the k-th piece.
  __device__ staged piece(ring_position const& stage, unsigned chunk, ticket const& mine,
                          unsigned k) const {
    return {memory_, stage.index, chunk, begin_of(mine, k), n_, lane_};
  }
  __device__ void arrive_for_all(word* at) const {
    __syncwarp();  // one lane may now arrive for the warp
    if (lane_ == 0) Barrier(at).arrive();
  }
  /// Publishes the counts of a tile.
  __device__ void join_chunks(unsigned q, unsigned h, ticket const& mine) const {
    counts const total = sum_of_chunks(h + 1 - run_, run_ * chunks, mine);
    if (lane_ == 0) {
      if (call_.in_place) __threadfence();
      workspace_.totals<counts>(mine.epoch).publish(mine.tile, total);
      memory_.totals[q] = total;
    }
    arrive_for_all(memory_.summed + q);
  }

  selection_call const& call_;
  Marks const& marks_;
  T const* in_;
  std::size_t n_;
  unsigned run_log2_, run_;  // pieces of a tile
  unsigned tiles_;
  select_memory<Shape, T, Marks, Outputs...> const& memory_;
  workspace_words workspace_;
  ring_plan plan_;
  unsigned lane_ = threadIdx.x % 32;
  warp_group_barrier<1, chunks> group_{memory_.group};
};

template <class Shape, class T, class Marks, class... Outputs>
__global__ void __launch_bounds__(select_layout<Shape, T, Marks, Outputs...>::threads, 1)
    select_ring(selection_call call, Marks marks, T const* in, unsigned run_log2,
                workspace_words workspace, ring_plan plan, Outputs... outputs) {
  using layout = select_layout<Shape, T, Marks, Outputs...>;
  constexpr unsigned slots = layout::slots, chunks = layout::chunks;
  __shared__ unsigned chunk_counts[slots * layout::traits::numbers * chunks];
  __shared__ shared_values<typename layout::counts, slots> totals;
  __shared__ shared_values<typename layout::counts, slots> before;
  __shared__ shared_values<typename layout::counts,
                           lookback<typename layout::counts, typename layout::join>::memory_size>
      lookback_memory;
  __shared__ ticket drawn[slots];
  __shared__ word full[layout::most_stages];
  __shared__ word empty[layout::most_stages];
  __shared__ word landed[layout::most_stages];
  __shared__ word summed[slots];
  __shared__ word prefixed[slots];
  __shared__ unsigned group[1];
  auto* const stages = simt::dynamic_shared<unsigned char>();
  select_memory<Shape, T, Marks, Outputs...> const memory{
      stages, drawn, chunk_counts, totals, before,   lookback_memory,
      full,   empty, landed,       summed, prefixed, group};
  wait_for_earlier_work();
  std::size_t const n = call.size();
  select_warp<Shape, T, Marks, Outputs...> const self(call, marks, in, n, run_log2, memory,
                                                      workspace, plan);
  if (threadIdx.x == 0) {
    self.make_barriers();
    if (n == 0 && blockIdx.x == 0)
      store_totals<Marks, Outputs...>(call, 0, typename layout::counts{});
  }
  __syncthreads();  // barriers are initialized; from here on the warps synchronize only by them
  unsigned const warp = warp_in_block();
  if (warp == 0)
    self.fetch();
  else if (warp == 1)
    self.look_back(outputs...);
  else if (warp < 2 + chunks)
    self.mark(warp - 2);
  else
    self.store(warp - 2 - chunks, outputs...);
}

}  // namespace upsweep::device
