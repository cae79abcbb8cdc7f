/// What a warp does with its chunk of a tile of a selection, whose elements are in registers: it
/// marks and counts them, compresses them in shared memory, and stores them.
#pragma once

#include <upsweep/cuda/device/tile.hpp>
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
    unsigned of[numbers];  ///< counts of the sets; of runs also 1 + the position of the last head
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
  static constexpr unsigned rows = Shape::rows, items = Shape::items, sets = Marks::sets;

 public:
  using counts = typename traits::counts;
  using join = typename traits::join;
  using memory =
      select_tile_memory<Shape, T, traits::numbers, traits::has_values, traits::has_positions>;
  using ranks = lane_ranks<sets, rows, items>;

  __device__ select_chunk(memory& shared, std::size_t begin, std::size_t n, unsigned warp,
                          unsigned lane)
      : shared_(shared), begin_(begin), n_(n), warp_(warp), lane_(lane) {}

  /// Loads and marks the elements, and stores their counts for the block.
  __device__ void mark(Input const& in, Marks const& marks) {
    if constexpr (!Marks::has_flags || traits::has_values)
#pragma unroll
      for (unsigned r = 0; r < rows; ++r) in.template load<items>(position(r), n_, x_[r]);
    if constexpr (Marks::has_flags) {
      mark_by_flags(marks);
    } else {
#pragma unroll
      for (unsigned r = 0; r < rows; ++r)
#pragma unroll
        for (unsigned j = 0; j < items; ++j) {
          std::size_t const i = position(r) + j;
          if (i >= n_) continue;
          if constexpr (Marks::needs_earlier)
            bits_.add(r, j,
                      i == 0  ? 1
                      : j > 0 ? marks.of(x_[r][j - (j > 0)], x_[r][j])
                              : marks.of(T(in.first[i - 1]), x_[r][j]));
          else
            bits_.add(r, j, marks.of(x_[r][j]));
        }
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

  /// Compresses the elements and their positions into shared memory. Returns their ranks.
  __device__ ranks compress() const {
    std::size_t const left = begin_ < n_ ? n_ - begin_ : 0;
    unsigned const count = left < Shape::chunk ? static_cast<unsigned>(left) : Shape::chunk;
    ranks ranked{};
    if constexpr (traits::has_values || traits::has_positions) ranked = ranks(bits_, count, lane_);
    if constexpr (traits::has_values)
      ranked.template store<traits::takes_rest, false>(
          values(), bits_, count, lane_, [&](unsigned r, unsigned j) { return x_[r][j]; });
    if constexpr (traits::has_positions)
      ranked.template store<false, false>(
          places(), bits_, count, lane_,
          [&](unsigned r, unsigned j) { return (r * 32 + lane_) * items + j; });
    return ranked;
  }
  /// Stores what the outputs take of the compressed elements. `before` is what the tiles before
  /// have.
  __device__ void store(ranks const& ranked, counts before, Outputs const&... outputs) const {
    std::size_t const tile = begin_ - first_of_chunk();
    for (unsigned w = 0; w < warp_; ++w) before = join{}(before, counts_of(w, tile));
    part_places<sets> const at(before, begin_);
    (store_part(outputs, ranked, before, at), ...);
  }

  /// The counts of the tile that begins at `tile`.
  __device__ counts counts_of_tile(std::size_t tile) const {
    counts own = counts_of(0, tile);
    for (unsigned w = 1; w < Shape::warps; ++w) own = join{}(own, counts_of(w, tile));
    return own;
  }

 private:
  __device__ void mark_by_flags(Marks const& marks) {
    element_input<decltype(marks.flags)> const from{marks.flags, marks.vectors};
    typename Marks::flag flags[rows][items];
#pragma unroll
    for (unsigned r = 0; r < rows; ++r) from.template load<items>(position(r), n_, flags[r]);
#pragma unroll
    for (unsigned r = 0; r < rows; ++r)
#pragma unroll
      for (unsigned j = 0; j < items; ++j)
        if (position(r) + j < n_) bits_.add(r, j, static_cast<bool>(flags[r][j]) ? 1 : 0);
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
  __device__ std::size_t position(unsigned r) const {
    return begin_ + (r * 32 + lane_) * std::size_t{items};
  }
  __device__ T* values() const { return reinterpret_cast<T*>(shared_.values) + first_of_chunk(); }
  __device__ std::uint16_t* places() const { return shared_.positions + first_of_chunk(); }
  __device__ unsigned first_of_chunk() const { return warp_ * Shape::chunk; }

  template <class Output>
  __device__ void store_part(Output const& output, ranks const& ranked, counts const& before,
                             part_places<sets> const& at) const {
    if constexpr (Output::what == taken::heads) {
      if (begin_ < n_) store_heads(output, bits_, begin_, before, lane_);
      return;
    }
    constexpr unsigned part = Output::part;
    unsigned const begin = ranked.begin(part), count = ranked.part[part];
    if constexpr (Output::what == taken::values)
      copy_out(output, values() + begin, count, at.of[part], lane_);
    else if constexpr (Output::what == taken::lengths)
      store_lengths(output, places() + begin, count, at.of[0], begin_, before.of[sets], lane_);
    else if constexpr (Output::what == taken::positions)
      store_positions(output, places() + begin, count, at.of[part], begin_, lane_);
  }

  memory& shared_;
  std::size_t begin_, n_;
  unsigned warp_, lane_;
  T x_[rows][items];
  lane_marks<sets, rows, items> bits_;
};

}  // namespace upsweep::device
