/// Scans by exact_sum: each result is the exact prefix of the elements, rounded once.
/// 3n accesses · 3 launches · correctly rounded
/// Kulisch's long accumulator; docs/design/0004-cuda.md
///
/// A warp sums each tile. Exact sums are integers, so a table has their 32-bit digits, and an
/// ordinary scan of its 64-bit integers gives the digits of all prefixes. Then each warp scans its
/// tile: a lane adds up its elements, takes the sum before them, and walks over them again.
#pragma once

#include <upsweep/cuda/device/elements.hpp>
#include <upsweep/cuda/device/epoch_words.hpp>
#include <upsweep/cuda/device/warp.hpp>
#include <upsweep/ops/exact_sum.hpp>

#include <cstddef>
#include <cstdint>

namespace upsweep::device {

inline constexpr unsigned exact_scan_warps = 4,  ///< of a block
    exact_lane_items = 16;                       ///< consecutive elements of a lane
inline constexpr std::size_t exact_row = 32 * exact_lane_items;

/// sum = the sum of from[i] · 2^(64 i) units, low <= i < high, without words that only repeat the
/// sign, but for one that later carries need, or are zeros at the low end. Few words are in use,
/// and only these are written: states are in local memory, which the cache could not hold
/// otherwise.
template <class T>
__device__ void assign_trimmed(detail::superaccumulator<T>& sum, std::uint64_t const* from, int low,
                               int high, unsigned notes) {
  while (high > low + 1 && from[high - 1] == from[high - 2] && from[high - 1] + 1 <= 1) --high;
  while (high > low + 1 && from[low] == 0) ++low;
  if (low < high)
    sum.assign_words(from, low, high, notes);
  else
    sum.assign_words(from, detail::superaccumulator<T>::words, 0, notes);
}

/// The sums of tiles by line: their 32-bit digits, and whether they have values of each kind. The
/// sums modulo 2^64 of the entries before each one, line after line, are the prefixes: where a
/// line begins is subtracted.
template <class T>
struct exact_table {
  using state = detail::superaccumulator<T>;
  static constexpr unsigned digits = 2 * state::words, kinds = 5, lines = digits + kinds;

  std::uint64_t* entries;
  std::size_t tiles;

  __device__ void store(std::size_t tile, state const& sum) const {
    for (unsigned i = 0; i < digits; ++i)
      entries[i * tiles + tile] = sum.word(static_cast<int>(i / 2)) >> 32 * (i % 2) & 0xffffffff;
    for (unsigned k = 0; k < kinds; ++k)
      entries[(digits + k) * tiles + tile] = sum.notes() >> k & 1;
  }
  /// Of a table that has been scanned: sum = that of the tiles before `tile`.
  __device__ void load_front(std::size_t tile, state& sum) const {
    auto const line = [&](unsigned i) { return entries[i * tiles + tile] - entries[i * tiles]; };
    std::uint64_t found[state::words], carry = 0;
    for (unsigned w = 0; w < state::words; ++w) {
      std::uint64_t const low = carry + line(2 * w), high = (low >> 32) + line(2 * w + 1);
      found[w] = high << 32 | (low & 0xffffffff);
      carry = high >> 32;
    }
    unsigned notes = 0;
    for (unsigned k = 0; k < kinds; ++k)
      if (line(digits + k) != 0) notes |= 1U << k;
    assign_trimmed(sum, found, 0, state::words, notes);
  }
};

/// Adds an element. Zeros do not lower the last word of a sum.
template <class T>
__device__ void add_element(detail::superaccumulator<T>& sum, T x) {
  using state = detail::superaccumulator<T>;
  if (x == 0)
    sum.note(__builtin_bit_cast(detail::bits_of_size<sizeof(T)>, x) != 0 ? state::negative_zero
                                                                         : state::other);
  else
    sum.absorb(x);
}

/// sum = the `sum` of lane 31 and `own` of the lanes before this one. Called by the whole
/// warp.
template <class T>
__device__ void add_lanes_before(detail::superaccumulator<T>& sum,
                                 detail::superaccumulator<T> const& own, unsigned lane) {
  constexpr int words = detail::superaccumulator<T>::words;
  auto const smaller = [](int a, int b) { return a < b ? a : b; };
  bool const is_last = lane == 31;
  int low = is_last ? smaller(own.first_word(), sum.first_word()) : own.first_word(),
      high = is_last ? -smaller(-own.end_word(), -sum.end_word()) : own.end_word();
  unsigned notes = own.notes();
#pragma unroll
  for (unsigned k = 1; k < 32; k *= 2) {
    low = smaller(low, simt::shuffle_xor(whole_warp, low, static_cast<int>(k)));
    high = -smaller(-high, -simt::shuffle_xor(whole_warp, high, static_cast<int>(k)));
    unsigned const earlier = simt::shuffle_up(whole_warp, notes, k);
    if (lane >= k) notes |= earlier;
  }
  notes = simt::shuffle_up(whole_warp, notes, 1);
  if (lane == 0) notes = 0;
  notes |= simt::shuffle(whole_warp, sum.notes(), 31);
  std::uint64_t found[words], carry = 0;
  for (int w = low; w < high; ++w) {
    std::uint64_t const mine = own.word(w), before = simt::shuffle(whole_warp, sum.word(w), 31);
    std::uint64_t lower = mine & 0xffffffff, upper = mine >> 32;
#pragma unroll
    for (unsigned k = 1; k < 32; k *= 2) {
      std::uint64_t const below = simt::shuffle_up(whole_warp, lower, k),
                          above = simt::shuffle_up(whole_warp, upper, k);
      if (lane >= k) {
        lower += below;
        upper += above;
      }
    }
    lower += carry + (before & 0xffffffff) - (mine & 0xffffffff);
    upper += (lower >> 32) + (before >> 32) - (mine >> 32);
    found[w] = upper << 32 | (lower & 0xffffffff);
    carry = upper >> 32;
  }
  assign_trimmed(sum, found, low, high, notes);
}

/// Elements of a lane that one access loads.
template <class Source>
struct exact_items {
  static constexpr unsigned count = items_of<typename Source::element>;
  typename Source::template lane_items<count> items;

  /// Those from i on, which exist up to the end of the input.
  __device__ void load(Source const& in, std::size_t i) {
    if (in.has_whole(i, count))
      in.template load_whole<count>(i, items);
    else
      in.template load<count>(i, items);
  }
  /// Calls f(j, x) for those before n.
  template <class T, class F>
  __device__ void for_each(Source const& in, std::size_t i, std::size_t n, F const& f) const {
#pragma unroll
    for (unsigned j = 0; j < count; ++j)
      if (i + j < n) f(j, static_cast<T>(in.template item<count>(items, j, i)));
  }
};

/// sum += the pieces of elements at first, first + stride, ... before `last`, without what is
/// after `end`.
template <class T, class Source>
__device__ void add_pieces(detail::superaccumulator<T>& sum, Source const& in, std::size_t first,
                           std::size_t last, std::size_t stride, std::size_t end) {
#pragma unroll 1
  for (std::size_t i = first; i < last; i += stride) {
    exact_items<Source> x;
    x.load(in, i);
    x.template for_each<T>(in, i, end, [&](unsigned, T value) { add_element(sum, value); });
  }
}

/// The tile of a warp, of `size` elements or, if it is the last of n, fewer.
struct exact_tile {
  std::size_t number, begin, end;

  __device__ exact_tile(std::size_t n, std::size_t size)
      : number(std::size_t{blockIdx.x} * exact_scan_warps + warp_in_block()),
        begin(number * size),
        end(n - begin < size ? n : begin + size) {}
};

/// Stores the sums of tiles of `size` elements, a warp each, in a table.
template <class T, class Source>
__global__ void __launch_bounds__(32 * exact_scan_warps)
    exact_totals(Source in, std::size_t n, std::size_t size, exact_table<T> totals) {
  using state = detail::superaccumulator<T>;
  constexpr unsigned step = exact_items<Source>::count;
  exact_tile const tile(n, size);
  unsigned const lane = threadIdx.x % 32;
  wait_for_earlier_work();
  if (tile.number >= totals.tiles) return;
  state own{};
  add_pieces(own, in, tile.begin + lane * step, tile.end, 32 * step, tile.end);
  state total{};
  add_lanes_before(total, own, lane);
  total.merge(own);
  if (lane == 31) totals.store(tile.number, total);
}

/// Scans tiles of `size` elements, a warp each, after `start` and the prefixes in the table. The
/// results that `out` gets are rounded already.
template <scan_kind kind, class T, class Source, class Sink>
__global__ void __launch_bounds__(32 * exact_scan_warps)
    exact_scan(Source in, Sink out, std::size_t n, std::size_t size, exact_table<T> prefixes,
               __grid_constant__ detail::superaccumulator<T> const start) {
  using state = detail::superaccumulator<T>;
  constexpr unsigned step = exact_items<Source>::count;
  exact_tile const tile(n, size);
  unsigned const lane = threadIdx.x % 32;
  wait_for_earlier_work();
  if (tile.number >= prefixes.tiles) return;
  state sum{}, own{};
  prefixes.load_front(tile.number, sum);
  sum.merge(start);
#pragma unroll 1
  for (std::size_t row = tile.begin; row < tile.end; row += exact_row) {
    std::size_t const mine = row + lane * exact_lane_items, last = mine + exact_lane_items;
    own.clear();
    add_pieces(own, in, mine, last, step, tile.end);
    add_lanes_before(sum, own, lane);
#pragma unroll 1
    for (std::size_t i = mine; i < last; i += step) {
      exact_items<Source> x;
      T results[step] = {};
      x.load(in, i);
      x.template for_each<T>(in, i, tile.end, [&](unsigned j, T value) {
        if constexpr (kind == scan_kind::exclusive) results[j] = sum.rounded();
        add_element(sum, value);
        if constexpr (kind == scan_kind::inclusive) results[j] = sum.rounded();
      });
      out.template store<step>(i, results);
    }
  }
}

}  // namespace upsweep::device
