/// The heads of runs, found in each tile by comparing its keys: then a call by key is one launch.
///
/// For waves (device/wave.hpp): a tile publishes how many heads it owns and where the last of them
/// is, and reads those totals of all earlier tiles.
#pragma once

#include <upsweep/cuda/device/element_input.hpp>
#include <upsweep/cuda/device/wave.hpp>
#include <upsweep/cuda/runs/heads.hpp>
#include <upsweep/cuda/select/outputs.hpp>

#include <cstddef>

namespace upsweep::device {

/// Of some tiles: the heads that they own, and 1 + the position of the last of them, or 0.
using head_counts = selection_counts<2>;
using join_heads = join_counts<true>;

/// The output of scans, which store no keys.
struct no_keys {};

/// The keys of a call, and what is stored of their runs: the first keys by `Output`, a
/// selection_output, and the number of runs at `count`; scans store neither. `Marks` compares some
/// neighboring keys twice.
template <class KeyIt, class Marks, class Output>
struct run_keys {
  static constexpr bool are_compared = true;
  element_input<KeyIt> keys;
  Marks marks;
  Output out;
  word* count;  ///< or null

  /// Takes the head of run `number`, which is at position i.
  __device__ void take_head(std::size_t number, std::size_t i) const {
    if (number < out.room) out.out[number] = static_cast<typename Output::element>(keys.first[i]);
  }
  __device__ void take_count(std::size_t runs) const {
    if (count != nullptr) count[0] = runs;
  }
};

/// What the warps of a block have found of a tile's heads, and of those before it.
template <class Shape>
struct head_search {
  unsigned own[Shape::warps];       ///< heads
  unsigned own_last[Shape::warps];  ///< 1 + the position of the last
  shared_values<head_counts, Shape::warps> earlier;
};

/// Marks the heads of the tile that begins at `first` of n elements, and counts those that it owns.
/// Called by the whole block, as all of these; there is a barrier between two of them.
template <class Shape, class Keys>
__device__ void mark_heads(tile_heads<Shape>& heads, head_search<Shape>& search, Keys const& from,
                           std::size_t first, std::size_t n, unsigned warp, unsigned lane) {
  using K = typename decltype(from.keys)::element;
  constexpr unsigned item = Shape::item, step = items_of<K> < item ? items_of<K> : item,
                     lanes = item / step, rounds = Shape::most / (Shape::threads * step);
  unsigned own = 0, last = 0;
#pragma unroll 2
  for (unsigned r = 0; r < rounds; ++r) {
    unsigned const at = (r * Shape::threads + threadIdx.x) * step;
    std::size_t const i = first + at;
    unsigned bits = 0;
    if (i < n) {
      K x[step];
      from.keys.template load<step>(i, n, x);
      bits = i == 0 ? 1 : from.marks.of(K(from.keys.first[i - 1]), x[0]);
#pragma unroll
      for (unsigned j = 1; j < step; ++j)
        if (i + j < n) bits |= from.marks.of(x[j - 1], x[j]) << j;
    }
    if (at < Shape::size && bits != 0) {
      own += static_cast<unsigned>(__popc(bits));
      last = at + tile_heads<Shape>::top_bit(bits) + 1;
    }
    bits <<= lane % lanes * step;
#pragma unroll
    for (unsigned k = 1; k < lanes; k *= 2) bits |= simt::shuffle_xor(whole_warp, bits, k);
    if (lane % lanes == 0) heads.bits[at / item] = bits;
  }
  own = sum_of_lanes(own);
  last = greatest_of_lanes(last);
  if (lane == 0) search.own[warp] = own, search.own_last[warp] = last;
}
/// The heads that tile `tile`, which begins at `first`, owns.
template <class Shape>
__device__ head_counts own_heads(head_search<Shape> const& search, std::size_t first) {
  head_counts own{};
#pragma unroll
  for (unsigned w = 0; w < Shape::warps; ++w)
    own =
        join_heads{}(own, {search.own[w], search.own_last[w] > 0 ? first + search.own_last[w] : 0});
  return own;
}
/// Publishes the heads of the tile, and counts those before it.
template <class Shape>
__device__ void look_for_heads(head_search<Shape>& search, tile_totals<head_counts> const& totals,
                               unsigned tile, std::size_t first, unsigned warp, unsigned lane) {
  if (threadIdx.x == 0) totals.publish(tile, own_heads(search, first));
  head_counts const earlier =
      total_of_earlier<Shape::warps>(totals, tile, warp, lane, join_heads{});
  if (lane == 0) search.earlier[warp] = earlier;
}
/// Tells `heads` what is before the tile, and the call how many runs there are.
template <class Shape, class Keys>
__device__ void finish_heads(tile_heads<Shape>& heads, head_search<Shape> const& search,
                             Keys const& keys, std::size_t first, std::size_t n) {
  if (threadIdx.x != 0) return;
  head_counts before{};
#pragma unroll
  for (unsigned w = 0; w < Shape::warps; ++w) {
    head_counts const part = search.earlier[w];
    before = join_heads{}(before, part);
  }
  heads.earlier = before.of[0];
  heads.open = before.of[1];
  if (n - first <= Shape::size) keys.take_count(before.of[0] + own_heads(search, first).of[0]);
}

/// Finds the heads of tile t and those before it, as a selection has left them or by comparing
/// keys. Called by the whole block, which it has wait for them; `mine` and `drawn` are those of
/// tile_tickets::first().
template <class Shape, class Heads, class Input, bool wave>
__device__ void find_heads(tile_heads<Shape>& found, head_search<Shape>& search, Heads const& heads,
                           Input const& in, tile_tickets<wave> const& tickets, ticket const& mine,
                           ticket& drawn, unsigned t, std::size_t n) {
  unsigned const lane = threadIdx.x % 32, warp = warp_in_block();
  std::size_t const first = std::size_t{t} * Shape::size;
  if constexpr (Heads::are_compared) {
    if (threadIdx.x == 32) fetch_to_l2(in, first, Shape::most, n);
    mark_heads(found, search, heads, first, n, warp, lane);
  } else {
    found.load(heads, first, n, warp, lane);
  }
  if (wave && threadIdx.x == 0) drawn = mine;
  __syncthreads();  // the heads of the tile and the epoch are known
  if constexpr (Heads::are_compared) {
    static_assert(wave, "a tile waits for the heads of all earlier ones");
    auto const totals = tickets.workspace.template totals<head_counts>(drawn.epoch);
    look_for_heads(search, totals, t, first, warp, lane);
    __syncthreads();  // each warp has counted its share of the earlier heads
    finish_heads(found, search, heads, first, n);
    __syncthreads();  // the earlier heads are counted
  }
}

}  // namespace upsweep::device
