/// select and its relatives of any elements, in one launch: persistent blocks, tiles by ticket,
/// tree look-back.
/// One read of each element, one store of each that is taken · 1 launch
/// docs/design/0004-cuda.md
///
/// For small arrays, and for iterators and memory that the ring cannot copy. In place is as in the
/// ring.
#pragma once

#include <upsweep/cuda/device/lookback.hpp>
#include <upsweep/cuda/device/tile.hpp>
#include <upsweep/cuda/select/call.hpp>
#include <upsweep/cuda/select/marks.hpp>
#include <upsweep/cuda/select/outputs.hpp>
#include <upsweep/cuda/select/ranks.hpp>

#include <cstddef>
#include <cstdint>

namespace upsweep::device {

/// The shared memory of a block, for the outputs that the call has.
template <class Shape, class T, unsigned numbers, bool has_values, bool has_positions>
struct select_tile_memory {
  struct chunk_state {
    unsigned of[numbers];  ///< counts of the sets; of runs also 1 + the place of the last head
  };
  static constexpr unsigned value_count = has_values ? Shape::size : 1,
                            position_count = has_positions ? Shape::size : 1;
  alignas(16) unsigned char values[value_count * sizeof(T)];
  std::uint16_t positions[position_count];
  alignas(16) chunk_state chunks[Shape::warps];
};

/// One warp's chunk of a tile.
template <class Shape, class Input, class Marks, class... Outputs>
class select_chunk {
  using T = typename Input::element;
  using traits = select_traits<Marks, Outputs...>;
  using counts = typename traits::counts;
  using join = typename traits::join;
  using memory =
      select_tile_memory<Shape, T, traits::numbers, traits::has_values, traits::has_positions>;
  static constexpr unsigned rows = Shape::rows, items = Shape::items, sets = Marks::sets;
  using ranks = lane_ranks<sets, rows, items>;

 public:
  __device__ select_chunk(memory& shared, std::size_t begin, std::size_t n, unsigned warp,
                          unsigned lane)
      : shared_(shared), begin_(begin), n_(n), warp_(warp), lane_(lane) {}

  /// Loads and marks the elements, and stores their counts for the block.
  __device__ void mark(Input const& in, Marks const& marks) {
    if constexpr (!Marks::has_flags || traits::has_values)
#pragma unroll
      for (unsigned r = 0; r < rows; ++r) in.template load<items>(position(r), n_, x_[r]);
#pragma unroll
    for (unsigned r = 0; r < rows; ++r)
#pragma unroll
      for (unsigned j = 0; j < items; ++j) {
        std::size_t const i = position(r) + j;
        if (i >= n_) continue;
        if constexpr (Marks::has_flags)
          bits_.add(r, j, static_cast<bool>(marks.flags[i]) ? 1 : 0);
        else if constexpr (Marks::needs_earlier)
          bits_.add(r, j,
                    i == 0  ? 1
                    : j > 0 ? marks.of(x_[r][j - (j > 0)], x_[r][j])
                            : marks.of(T(in.first[i - 1]), x_[r][j]));
        else
          bits_.add(r, j, marks.of(x_[r][j]));
      }
    auto& mine = shared_.chunks[warp_];
#pragma unroll
    for (unsigned s = 0; s < sets; ++s) {
      unsigned const count = sum_of_lanes(bits_.count(s));
      if (lane_ == 0) mine.of[s] = count;
    }
    if constexpr (traits::has_last) {
      unsigned const last = greatest_of_lanes(bits_.last(lane_));
      if (lane_ == 0) mine.of[sets] = last;
    }
  }

  /// Compresses the elements and their places into shared memory, waits for the block, and stores
  /// what the outputs take. `in_front` is what the tiles in front have.
  __device__ void store(boxed<counts> const& in_front, Outputs const&... outputs) const {
    std::size_t const left = begin_ < n_ ? n_ - begin_ : 0, tile = begin_ - first_of_chunk();
    unsigned const count = left < Shape::chunk ? static_cast<unsigned>(left) : Shape::chunk;
    ranks ranked;
    if constexpr (traits::has_values || traits::has_positions) ranked = ranks(bits_, count, lane_);
    if constexpr (traits::has_values)
      ranked.template store<traits::takes_rest, false>(
          values(), bits_, count, lane_, [&](unsigned r, unsigned j) { return x_[r][j]; });
    if constexpr (traits::has_positions)
      ranked.template store<false, false>(
          places(), bits_, count, lane_,
          [&](unsigned r, unsigned j) { return (r * 32 + lane_) * items + j; });
    __syncthreads();  // the parts are complete, and the counts of the tiles in front are known
    counts before = in_front;
    for (unsigned w = 0; w < warp_; ++w) before = join{}(before, counts_of(w, tile));
    std::size_t at[3];
    at[sets] = begin_;
#pragma unroll
    for (unsigned s = 0; s < sets; ++s) {
      at[s] = before.of[s];
      at[sets] -= at[s];
    }
    (store_part(outputs, ranked, before, at), ...);
  }

  /// The counts of warp w's chunk as numbers of the whole input; `tile` is where the tile begins.
  __device__ counts counts_of(unsigned w, std::size_t tile) const {
    counts c;
    auto const& chunk = shared_.chunks[w];
#pragma unroll
    for (unsigned s = 0; s < sets; ++s) c.of[s] = chunk.of[s];
    if constexpr (traits::has_last)
      c.of[sets] = chunk.of[sets] == 0 ? 0 : tile + w * std::size_t{Shape::chunk} + chunk.of[sets];
    return c;
  }

 private:
  __device__ std::size_t position(unsigned r) const {
    return begin_ + (r * 32 + lane_) * std::size_t{items};
  }
  __device__ T* values() const { return reinterpret_cast<T*>(shared_.values) + first_of_chunk(); }
  __device__ std::uint16_t* places() const { return shared_.positions + first_of_chunk(); }
  __device__ unsigned first_of_chunk() const { return warp_ * Shape::chunk; }

  template <class Output>
  __device__ void store_part(Output const& output, ranks const& ranked, counts const& before,
                             std::size_t const (&at)[3]) const {
    if constexpr (Output::what == taken::heads) {
      if (begin_ < n_) store_heads(output, bits_, begin_, before, lane_);
      return;
    }
    constexpr unsigned part = Output::part;
    unsigned const begin = ranked.begin(part), count = ranked.part[part];
    if constexpr (Output::what == taken::values)
      copy_out(output, values() + begin, count, at[part], lane_);
    else if constexpr (Output::what == taken::lengths)
      store_lengths(output, places() + begin, count, at[0], begin_, before.of[sets], lane_);
    else if constexpr (Output::what == taken::positions)
      store_positions(output, places() + begin, count, at[part], begin_, lane_);
  }

  memory& shared_;
  std::size_t begin_, n_;
  unsigned warp_, lane_;
  T x_[rows][items];
  lane_marks<sets, rows, items> bits_;
};

template <class Shape, class Input, class Marks, class... Outputs>
__global__ void __launch_bounds__(Shape::threads, Shape::blocks)
    select_tiles(selection_call call, Marks marks, Input in, workspace_words workspace,
                 Outputs... outputs) {
  using T = typename Input::element;
  using traits = select_traits<Marks, Outputs...>;
  using counts = typename traits::counts;
  using join = typename traits::join;
  using memory =
      select_tile_memory<Shape, T, traits::numbers, traits::has_values, traits::has_positions>;
  __shared__ memory shared[1];
  __shared__ shared_values<counts, lookback<counts, join>::memory_size> lookback_memory;
  __shared__ shared_values<counts, 1> in_front;
  __shared__ ticket drawn[1];
  unsigned const lane = threadIdx.x % 32, warp = warp_in_block();

  wait_for_earlier_work();
  std::size_t const n = call.size(), tiles = (n + Shape::size - 1) / Shape::size;
  if (threadIdx.x == 0) {
    drawn[0] = draw_ticket(workspace);
    if (n == 0 && blockIdx.x == 0) store_totals<Marks, Outputs...>(call, 0, counts{});
  }
  __syncthreads();  // the block knows its tile
  ticket mine = drawn[0];
  lookback<counts, join> earlier(workspace.totals<counts>(mine.epoch), lane, counts{}, true,
                                 lookback_memory);
  while (mine.tile < tiles) {
    std::size_t const tile = std::size_t{mine.tile} * Shape::size;
    select_chunk<Shape, Input, Marks, Outputs...> chunk(
        shared[0], tile + warp * std::size_t{Shape::chunk}, n, warp, lane);
    chunk.mark(in, marks);
    __syncthreads();  // the counts of all chunks are stored
    ticket next{};
    if (warp == 0) {
      counts own = chunk.counts_of(0, tile);
      for (unsigned w = 1; w < Shape::warps; ++w) own = join{}(own, chunk.counts_of(w, tile));
      if (lane == 0) {
        if (call.in_place) __threadfence();
        earlier.publish(mine.tile, own);
      }
      auto const around = earlier.around(mine.tile, own, join{});
      // Not before: a tile that waits in a block delays all later ones.
      if (lane == 0) {
        next = draw_ticket(workspace);
        in_front[0] = around.before.value();
        if (mine.tile + 1 == tiles) {
          store_totals<Marks, Outputs...>(call, n, around.after.value());
          (store_last_length(outputs, n, around.after.value()), ...);
        }
      }
      if (call.in_place) __threadfence();  // every lane has read some of the counts
    }
    chunk.store(in_front[0], outputs...);
    if (threadIdx.x == 0) drawn[0] = next;
    __syncthreads();  // the next ticket is known, and this tile has been stored
    mine = drawn[0];
  }
  if (threadIdx.x == 0) leave(workspace, mine.epoch);
}

}  // namespace upsweep::device
