/// select, partition and unique of many elements in contiguous memory, in one launch: persistent
/// blocks of specialised warps, which pass tiles through a ring of stages in shared memory.
/// One read of each element, one store of each that is taken · 1 launch
/// docs/design/0004-cuda.md
///
/// Each block has a warp that fetches tiles, a warp group that marks them and publishes how many
/// elements of each set they have, a warp that looks back, and a warp group that compresses each
/// chunk in its stage and then stores it. The progress argument is that of scan_ring.
///
/// In place: a tile is stored when the counts of all earlier ones are known, so when they have been
/// read, and no element moves behind its own place.
#pragma once

#include <upsweep/cuda/select/layout.hpp>

#include <cstddef>
#include <cstdint>
#include <cstring>

namespace upsweep::device {

template <class Shape, class T, class Marks, class... Outputs>
class select_warp {
  using layout = select_layout<Shape, T, Marks, Outputs...>;
  using counts = typename layout::counts;
  using join = typename layout::join;
  using traits = typename layout::traits;
  using lane_bits = typename layout::marks;
  using Barrier = arrival_barrier;
  static constexpr unsigned chunks = layout::chunks, slots = layout::slots, sets = Marks::sets;
  static constexpr unsigned rows = layout::rows, items = layout::items;
  using vector = vector_of<T, items>;
  using ranks = lane_ranks<sets, rows, items>;

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

  /// Called by one thread, before the block synchronises.
  __device__ void make_barriers() const {
    for (unsigned s = 0; s < plan_.stages; ++s) {
      Barrier(memory_.full + s).init(arrivals_of_copy() * (Marks::has_flags ? 2 : 1));
      Barrier(memory_.empty + s).init(chunks);
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
      if constexpr (Marks::has_flags)
        copy_in(flags_of(stage.index), marks_.flags + begin, count, full(stage), lane_,
                plan_.evict_first);
      unsigned const extra = begin > 0 && count > 0 ? layout::halo : 0;
      copy_in(elements_of(stage.index) - extra, in_ + begin - extra, count + extra, full(stage),
              lane_, plan_.evict_first);
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
      std::size_t const begin = begin_of(mine, k);
      unsigned const count = count_from(begin);
      lane_bits bits;
      if (count == layout::size)
        mark_chunk<true>(bits, chunk, stage.index, begin, count);
      else
        mark_chunk<false>(bits, chunk, stage.index, begin, count);
      memory_.marks[(h * chunks + chunk) * 32 + lane_] = bits;
#pragma unroll
      for (unsigned s = 0; s < sets; ++s) {
        unsigned const taken = sum_of_lanes(bits.count(s));
        if (lane_ == 0) chunk_count(s, h, chunk) = taken;
      }
      if constexpr (traits::has_lengths) {
        unsigned const last = greatest_of_lanes(bits.last(lane_));
        if (lane_ == 0) chunk_count(sets, h, chunk) = last > 0 ? chunk * layout::chunk + last : 0;
      }
      if ((k + 1) % run_ != 0) continue;
      group_.sync();  // the marks and counts of all chunks are stored
      if (joins) join_chunks(q, h, mine);
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
      std::size_t const begin = begin_of(mine, k) + chunk * std::size_t{layout::chunk};
      T* const elements = elements_of(stage.index) + chunk * layout::chunk;
      unsigned const count = begin < n_ ? at_most_chunk(n_ - begin) : 0;
      lane_bits const bits = memory_.marks[(h * chunks + chunk) * 32 + lane_];
      ranks const ranked(bits, count, lane_);
      if constexpr (traits::has_values) {
        if (count == layout::chunk)
          compress<true>(elements, count, bits, ranked);
        else
          compress<false>(elements, count, bits, ranked);
      }
      counts const in_tile =
          sum_of_chunks(h - k % run_, k % run_ * chunks + chunk, begin_of(mine, k));
      Barrier(memory_.prefixed + q).wait(round);
      counts const in_front = memory_.before[q], before = join{}(in_front, in_tile);
      std::size_t at[3];
      at[sets] = begin;
#pragma unroll
      for (unsigned s = 0; s < sets; ++s) {
        at[s] = before.of[s];
        at[sets] -= at[s];
      }
      (store_values(outputs, elements, ranked, at), ...);
      if constexpr (traits::has_positions) {
        __syncwarp();  // the values have been read; their places follow in the same memory
        auto* const places = reinterpret_cast<std::uint16_t*>(elements);
        ranked.template for_each_place<false, false>(
            bits, count, lane_, [&](unsigned to, unsigned r, unsigned j) {
              places[to] = static_cast<std::uint16_t>((r * 32 + lane_) * items + j);
            });
        __syncwarp();  // the places are complete
        (store_places(outputs, places, ranked, at, begin, before), ...);
      }
      hand_back_to_copies();
      arrive_for_all(memory_.empty + stage.index);
    }
  }

 private:
  /// The slot of the k-th piece, which is that of its tile, and where the piece begins.
  __device__ unsigned slot_of(unsigned k) const { return (k >> run_log2_) % slots; }
  __device__ std::size_t begin_of(ticket const& mine, unsigned k) const {
    return (std::size_t{mine.tile} * run_ + k % run_) * layout::size;
  }
  /// What `count` chunks from those of piece `h` on have together; of runs their piece begins at
  /// `begin`.
  __device__ counts sum_of_chunks(unsigned h, unsigned count, std::size_t begin) const {
    counts sum;
#pragma unroll
    for (unsigned s = 0; s < sets; ++s)
      sum.of[s] = sum_of_lanes(lane_ < count ? chunk_count(s, h, lane_) : 0);
    if constexpr (traits::has_lengths) {
      unsigned const last = greatest_of_lanes(lane_ < count ? chunk_count(sets, h, lane_) : 0);
      sum.of[sets] = last > 0 ? begin + last : 0;
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
  __device__ static unsigned at_most_chunk(std::size_t left) {
    return left < layout::chunk ? static_cast<unsigned>(left) : layout::chunk;
  }
  __device__ Barrier full(ring_position const& stage) const {
    return Barrier(memory_.full + stage.index);
  }
  __device__ void arrive_for_all(word* at) const {
    __syncwarp();  // one lane may now arrive for the warp
    if (lane_ == 0) Barrier(at).arrive();
  }
  __device__ T* elements_of(unsigned stage) const {
    return reinterpret_cast<T*>(memory_.stages + stage * layout::stage_bytes) + layout::halo;
  }
  __device__ auto* flags_of(unsigned stage) const {
    return reinterpret_cast<typename Marks::flag*>(memory_.stages + stage * layout::stage_bytes +
                                                   layout::size * sizeof(T));
  }
  /// The lane's elements of row r, of the `count` at x; `whole` says that all of them exist.
  template <bool whole>
  __device__ void load(T const* x, unsigned count, unsigned r, T (&row)[items]) const {
    unsigned const at = (r * 32 + lane_) * items;
    if (whole || at + items <= count) {
      vector const piece = simt::pointer_cast<vector const>(x)[r * 32 + lane_];
      std::memcpy(static_cast<void*>(row), &piece, sizeof piece);
    } else {
#pragma unroll
      for (unsigned j = 0; j < items; ++j)
        if (at + j < count) row[j] = x[at + j];
    }
  }

  /// `whole`: all elements of the tile exist, so their loads need no test.
  template <bool whole>
  __device__ void mark_chunk(lane_bits& bits, unsigned chunk, unsigned stage, std::size_t begin,
                             unsigned count) const {
    T const* const elements = elements_of(stage);
#pragma unroll
    for (unsigned r = 0; r < rows; ++r) {
      unsigned const at = chunk * layout::chunk + (r * 32 + lane_) * items;
      if (!whole && at >= count) continue;
      T x[items];
      if constexpr (!Marks::has_flags) load<whole>(elements, count, chunk * rows + r, x);
      bool const is_first = Marks::needs_earlier && begin == 0 && at == 0;
#pragma unroll
      for (unsigned j = 0; j < items; ++j) {
        if (!whole && at + j >= count) continue;
        if constexpr (Marks::has_flags)
          bits.add(r, j, static_cast<bool>(flags_of(stage)[at + j]) ? 1 : 0);
        else if constexpr (Marks::needs_earlier)
          bits.add(r, j,
                   j > 0      ? marks_.of(x[j - 1 + (j == 0)], x[j])
                   : is_first ? 1
                              : marks_.of(elements[static_cast<int>(at) - 1], x[j]));
        else
          bits.add(r, j, marks_.of(x[j]));
      }
    }
  }

  /// Publishes the counts of a tile.
  __device__ void join_chunks(unsigned q, unsigned h, ticket const& mine) const {
    counts const total =
        sum_of_chunks(h + 1 - run_, run_ * chunks, std::size_t{mine.tile} * run_ * layout::size);
    if (lane_ == 0) {
      if (call_.in_place) __threadfence();
      workspace_.totals<counts>(mine.epoch).publish(mine.tile, total);
      memory_.totals[q] = total;
    }
    arrive_for_all(memory_.summed + q);
  }

  /// Moves the elements of a chunk within its stage: those of each part, one part after another.
  template <bool whole>
  __device__ void compress(T* elements, unsigned count, lane_bits const& bits,
                           ranks const& ranked) const {
    T x[rows][items];
#pragma unroll
    for (unsigned r = 0; r < rows; ++r) load<whole>(elements, count, r, x[r]);
    __syncwarp();  // every lane has read its elements
    ranked.template for_each_place<traits::takes_rest, whole>(
        bits, count, lane_, [&](unsigned to, unsigned r, unsigned j) { elements[to] = x[r][j]; });
    __syncwarp();  // the parts are complete
  }

  template <class Output>
  __device__ void store_values(Output const& output, T const* elements, ranks const& ranked,
                               std::size_t const (&at)[3]) const {
    if constexpr (Output::what == taken::values)
      copy_out(output, elements + ranked.begin(Output::part), ranked.part[Output::part],
               at[Output::part], lane_);
  }
  template <class Output>
  __device__ void store_places(Output const& output, std::uint16_t const* places,
                               ranks const& ranked, std::size_t const (&at)[3], std::size_t begin,
                               counts const& before) const {
    if constexpr (Output::what == taken::lengths)
      store_lengths(output, places, ranked.part[0], at[0], begin, before.of[sets], lane_);
    else if constexpr (Output::what == taken::positions)
      store_positions(output, places, ranked.part[0], at[0], begin, lane_);
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
  __shared__ word summed[slots];
  __shared__ word prefixed[slots];
  __shared__ unsigned group[1];
  auto* const stages = simt::dynamic_shared<unsigned char>();
  using marks_type = boxed<typename layout::marks>;
  auto* const bits = reinterpret_cast<marks_type*>(stages + plan.stages * layout::stage_bytes);
  select_memory<Shape, T, Marks, Outputs...> const memory{
      stages,          drawn, bits,  chunk_counts, totals,   before,
      lookback_memory, full,  empty, summed,       prefixed, group};
  wait_for_earlier_work();
  std::size_t const n = call.size();
  select_warp<Shape, T, Marks, Outputs...> const self(call, marks, in, n, run_log2, memory,
                                                      workspace, plan);
  if (threadIdx.x == 0) {
    self.make_barriers();
    if (n == 0 && blockIdx.x == 0)
      store_totals<Marks, Outputs...>(call, 0, typename layout::counts{});
  }
  __syncthreads();  // barriers are initialised; from here on the warps synchronise only by them
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
