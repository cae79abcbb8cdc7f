/// The heads of runs, found in each tile by comparing its keys: then a call by key is one launch.
///
/// Tiles add up how many heads they own and where the last one is, each with those of the tiles
/// before (a decoupled look-back, in which a block looks at as many tiles as it has threads). These
/// sums do not depend on their grouping.
#pragma once

#include <upsweep/cuda/device/elements.hpp>
#include <upsweep/cuda/device/epoch_words.hpp>
#include <upsweep/cuda/device/warp.hpp>
#include <upsweep/cuda/runs/heads.hpp>
#include <upsweep/cuda/select/marks.hpp>

#include <cstddef>

namespace upsweep::device {

/// Of some tiles: how many heads they own, and 1 + the position of the last of them, or 0.
struct head_total {
  std::size_t count, last;
};

/// The keys of a call, and what is stored of their runs: the first keys by `Output`, a
/// selection_output, and the number of runs at `count`; scans store neither.
template <class KeyIt, class Marks, class Output>
struct run_keys {
  static constexpr bool takes_keys = true;
  element_input<KeyIt> keys;
  Marks marks;  ///< compares some neighbouring keys twice
  Output out;
  word* count;   ///< or null
  word* totals;  ///< in scratch memory: of each tile, and then of all up to each
  std::size_t tiles;

  [[nodiscard]] static constexpr std::size_t needed(std::size_t tiles) {
    return 2 * tiles * words_of<head_total>;
  }
  __device__ tile_totals<head_total> of_tiles(unsigned epoch) const { return {totals, epoch}; }
  __device__ tile_totals<head_total> up_to_tiles(unsigned epoch) const {
    return {totals + tiles * words_of<head_total>, epoch};
  }
  /// Of no elements there are no runs. Called by one thread of each block.
  __device__ void begin(std::size_t n) const {
    if (n == 0 && blockIdx.x == 0 && count != nullptr) count[0] = 0;
  }
  /// Takes the head of run `number`, which is at position i.
  __device__ void take_head(std::size_t number, std::size_t i) const {
    if (number < out.room) out.out[number] = static_cast<typename Output::element>(keys.first[i]);
  }
};

/// What a block shares to find the heads of a tile.
template <class Shape>
struct head_search {
  struct part {
    std::size_t count, last;
    bool is_complete;
  };
  unsigned counts[Shape::warps], lasts[Shape::warps];
  part earlier[Shape::warps];
};

/// Marks the heads of the tile that begins at `first` of n elements, and finds those in front of
/// it. Called by the whole block, which may read `heads` after its next barrier.
template <class Shape, class Keys>
class marked_tile {
  static constexpr unsigned item = Shape::item, windows = Shape::windows;

 public:
  __device__ marked_tile(tile_heads<Shape>& heads, head_search<Shape>& shared, Keys const& from,
                         std::size_t first, std::size_t n, unsigned warp, unsigned lane)
      : heads_(heads),
        shared_(shared),
        from_(from),
        first_(first),
        n_(n),
        warp_(warp),
        lane_(lane) {}

  /// Compares the keys of the tile's windows.
  __device__ void compare() const {
    using K = typename decltype(from_.keys)::element;
    constexpr unsigned step = items_of<K> < item ? items_of<K> : item, lanes = item / step,
                       rounds = Shape::most / (Shape::threads * step);
#pragma unroll 2
    for (unsigned r = 0; r < rounds; ++r) {
      unsigned const at = (r * Shape::threads + threadIdx.x) * step;
      std::size_t const i = first_ + at;
      unsigned bits = 0;
      if (i < n_) {
        K x[step];
        from_.keys.template load<step>(i, n_, x);
        bits = i == 0 ? 1 : from_.marks.of(K(from_.keys.first[i - 1]), x[0]);
#pragma unroll
        for (unsigned j = 1; j < step; ++j)
          if (i + j < n_) bits |= from_.marks.of(x[j - 1], x[j]) << j;
      }
      bits <<= lane_ % lanes * step;
#pragma unroll
      for (unsigned k = 1; k < lanes; k *= 2) bits |= simt::shuffle_xor(whole_warp, bits, k);
      if (lane_ % lanes == 0) heads_.bits[at / item] = bits;
    }
  }
  /// Publishes the tile's total, and finds what is in front of it.
  __device__ void look_back(unsigned tile, unsigned epoch) const {
    __syncthreads();  // all windows are marked
    head_total const own = total();
    auto const of_tiles = from_.of_tiles(epoch), up_to = from_.up_to_tiles(epoch);
    if (threadIdx.x == 0 && tile > 0) of_tiles.publish(tile, own);
    head_total before{0, 0};
    for (unsigned end = tile; end > 0; end = end > Shape::threads ? end - Shape::threads : 0) {
      search(end, of_tiles, up_to);
      __syncthreads();  // each warp has looked at its tiles
      bool is_complete = false;
#pragma unroll
      for (unsigned w = 0; w < Shape::warps; ++w) {
        auto const& part = shared_.earlier[w];
        if (is_complete) continue;
        before.count += part.count;
        if (before.last == 0) before.last = part.last;
        is_complete = part.is_complete;
      }
      __syncthreads();  // the parts may be replaced
      if (is_complete) break;
    }
    if (threadIdx.x != 0) return;
    up_to.publish(tile, {before.count + own.count, own.last > 0 ? own.last : before.last});
    heads_.earlier = before.count;
    heads_.open = before.last;
    if (from_.count != nullptr && n_ - first_ <= Shape::size)
      from_.count[0] = before.count + own.count;
  }

 private:
  /// Of the tile's own windows.
  __device__ head_total total() const {
    unsigned const window = threadIdx.x;
    unsigned const bits = window < Shape::size / item ? heads_.bits[window] : 0;
    unsigned const count = sum_of_lanes(static_cast<unsigned>(__popc(bits))),
                   last = greatest_of_lanes(
                       bits != 0 ? window * item + tile_heads<Shape>::top_bit(bits) + 1 : 0);
    if (lane_ == 0) {
      shared_.counts[warp_] = count;
      shared_.lasts[warp_] = last;
    }
    __syncthreads();  // each warp has counted its windows
    head_total own{0, 0};
#pragma unroll
    for (unsigned w = 0; w < Shape::warps; ++w) {
      own.count += shared_.counts[w];
      if (shared_.lasts[w] > 0) own.last = first_ + shared_.lasts[w];
    }
    return own;
  }
  /// The total of the warp's 32 of the tiles before `end`, or of the last of them and all before
  /// it, as soon as that is known of one.
  __device__ void search(unsigned end, tile_totals<head_total> const& of_tiles,
                         tile_totals<head_total> const& up_to) const {
    unsigned const back = 32 * warp_ + lane_, tile = end - 1 - back;
    bool const wanted = back < end;
    auto one = of_tiles.tagged({0, 0}), all = one;
    unsigned no_one = wanted ? 1 : 0, not_all = no_one, nearest = 32;
    for (;;) {
      of_tiles.look(tile, no_one, one);
      up_to.look(tile, not_all, all);
      no_one = wanted ? of_tiles.missing(one) : 0;
      not_all = wanted ? up_to.missing(all) : 0;
      unsigned const complete = __ballot_sync(whole_warp, wanted && not_all == 0),
                     missing = __ballot_sync(whole_warp, no_one != 0 && not_all != 0);
      nearest = complete != 0 ? static_cast<unsigned>(__ffs(static_cast<int>(complete))) - 1 : 32;
      if ((missing & (nearest < 32 ? (1U << nearest) - 1 : ~0U)) == 0) break;
      look_again();
    }
    head_total const mine = lane_ < nearest ? one.value() : all.value();
    unsigned const counted =
        sum_of_lanes(wanted && lane_ < nearest ? static_cast<unsigned>(mine.count) : 0);
    unsigned const with_head =
        __ballot_sync(whole_warp, wanted && lane_ <= nearest && mine.last > 0);
    if (lane_ == 0) shared_.earlier[warp_] = {counted, 0, nearest < 32};
    __syncwarp();  // before the lanes below add to it
    if (lane_ == nearest) shared_.earlier[warp_].count += mine.count;
    if (with_head != 0 && lane_ == static_cast<unsigned>(__ffs(static_cast<int>(with_head))) - 1)
      shared_.earlier[warp_].last = mine.last;
  }

  tile_heads<Shape>& heads_;
  head_search<Shape>& shared_;
  Keys const& from_;
  std::size_t first_, n_;
  unsigned warp_, lane_;
};

/// Finds the heads of a tile and those in front of it, as a selection has left them or by comparing
/// keys. Called by the whole block, which may read them after its next barrier.
template <class Shape>
__device__ void find_heads(tile_heads<Shape>& found, head_search<Shape>&, run_heads const& heads,
                           ticket const&, std::size_t first, std::size_t n, unsigned warp,
                           unsigned lane) {
  found.load(heads, first, n, warp, lane);
}
template <class Shape, class KeyIt, class Marks, class Output>
__device__ void find_heads(tile_heads<Shape>& found, head_search<Shape>& shared,
                           run_keys<KeyIt, Marks, Output> const& keys, ticket const& mine,
                           std::size_t first, std::size_t n, unsigned warp, unsigned lane) {
  marked_tile tile(found, shared, keys, first, n, warp, lane);
  tile.compare();
  tile.look_back(mine.tile, mine.epoch);
}

}  // namespace upsweep::device
