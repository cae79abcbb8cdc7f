/// The parameters of every verb over segments on a GPU, and the borders of parts of the input.
#pragma once

#include <upsweep/cuda/device/element_input.hpp>
#include <upsweep/cuda/device/epoch_words.hpp>
#include <upsweep/cuda/device/warp.hpp>

#include <bit>
#include <cstddef>
#include <type_traits>

namespace upsweep::device {

struct segment_call {
  bounded_size n;      ///< elements
  bounded_size count;  ///< segments
};

/// Where segments begin. Offsets are not checked on the device: those beyond the input, or
/// negative, are taken for its end, so that no access leaves the input.
template <class It>
struct offset_borders {
  It offsets;

  /// The begin of segment k of n elements; for the number of segments, the end of the last one.
  __device__ std::size_t operator()(std::size_t k, std::size_t n) const {
    std::size_t const offset = static_cast<std::size_t>(offsets[k]);
    return offset < n ? offset : n;
  }
};

/// A tile has `size` elements and ends of segments in all, and up to `chunk` - 1 elements after
/// it. A chunk is 32 items. Both are counted from the begin of their segment; a thread combines an
/// item, and a warp a chunk.
template <unsigned size_, unsigned item_log2_, unsigned warps_, unsigned blocks_>
struct segment_shape {
  static constexpr unsigned size = size_, item_log2 = item_log2_, warps = warps_, blocks = blocks_;
  static constexpr unsigned threads = 32 * warps, item = 1U << item_log2,
                            chunk_log2 = item_log2 + 5, chunk = 1U << chunk_log2;
  static constexpr unsigned most_elements = size + chunk;  ///< that a tile can have
  static_assert(most_elements < 0x10000, "places in a tile have 16 bits");
};

/// Whether elements of T become accumulators that depend on their index.
template <class Op, class T>
inline constexpr bool lifts_by_index =
    requires(Op const& op, T const& x) { op.lift(x, std::size_t{}); };

/// The results of segments: finish(initial op total), and what empty segments get; of exclusive
/// scans that is the result of each segment's first element.
template <class A, class Op, class Sink>
struct segment_results {
  Op op;
  Sink out;
  A initial, empty;
  bool has_initial, has_empty;

  __device__ void store(std::size_t k, A const& total) const {
    out(k, has_initial ? A(op(initial, total)) : total);
  }
  /// The result for a prefix, as an element of the output.
  template <class U>
  __device__ U result(A const& prefix) const {
    return static_cast<U>(detail::finish(op, has_initial ? A(op(initial, prefix)) : prefix));
  }
  __device__ void store_empty(std::size_t k) const {
    if (has_empty) out(k, empty);
  }
};

/// block(k) of the values get(at), get(at + 1), ... Numbers by straight-line code, as k is known;
/// other accumulators by a loop that has the operator once, because their code would fill the
/// registers.
template <unsigned k, class A, class Get, class Op>
__device__ A block_of(Get const& get, unsigned at, Op const& op) {
  if constexpr (k == 0) {
    return get(at);
  } else if constexpr (std::is_arithmetic_v<A>) {
    A const left = block_of<k - 1, A>(get, at, op);
    A const right = block_of<k - 1, A>(get, at + (1U << (k - 1)), op);
    return op(left, right);
  } else {
    A waiting[k + 1];  // the total of 2^level values, until that of the next as many is known
#pragma unroll 1
    for (unsigned i = 0; i < 1U << k; ++i) {
      A total = get(at + i);
      unsigned level = 0;
#pragma unroll 1
      for (; (i >> level & 1) != 0; ++level) total = op(waiting[level], total);
      waiting[level] = total;
    }
    return waiting[k];
  }
}

/// Calls take(block, k) for the blocks of `count` < 2^levels values from get(at) on, the largest
/// first: one of 2^k values for each bit of `count`.
template <unsigned levels, class A, class Get, class Op, class Take>
__device__ void for_each_digit(Get const& get, unsigned at, unsigned count, Op const& op,
                               Take const& take) {
  if constexpr (levels > 0) {
    constexpr unsigned k = levels - 1;
    if ((count >> k & 1) != 0) {
      take(block_of<k, A>(get, at, op), k);
      at += 1U << k;
    }
    for_each_digit<k, A>(get, at, count, op, take);
  }
}

// The borders of parts of the input, tiles or ranges of warps: where they are, and how far they
// move to the right.

/// Moves each first[i] to the first k in [first[i], last[i]) without pass(i, k), or to last[i]; if
/// pass(i, k) then also for all smaller k. The whole warp takes part: each step leaves a 32nd of
/// what may be the first, of all searches at once.
template <unsigned searches, class Pass>
__device__ void find_first_without(std::size_t (&first)[searches], std::size_t (&last)[searches],
                                   unsigned lane, Pass const& pass) {
  for (;;) {
    bool is_found = true;
    std::size_t step[searches];
    bool passes[searches];
#pragma unroll
    for (unsigned i = 0; i < searches; ++i) {
      is_found = is_found && first[i] >= last[i];
      step[i] = (last[i] - first[i] + 31) / 32;
      std::size_t const probe = first[i] + (lane + 1) * step[i] - 1;
      passes[i] = first[i] < last[i] && probe < last[i] && pass(i, probe);
    }
    if (is_found) return;
#pragma unroll
    for (unsigned i = 0; i < searches; ++i) {
      unsigned const open = ~__ballot_sync(whole_warp, passes[i]),
                     passed =
                         open == 0 ? 32 : static_cast<unsigned>(__ffs(static_cast<int>(open))) - 1;
      if (first[i] >= last[i]) continue;
      first[i] += passed * step[i];
      if (passed < 32 && first[i] + step[i] - 1 < last[i]) last[i] = first[i] + step[i] - 1;
    }
  }
}

/// One border of a part. Before it there are `segment` ends of segments and `position`
/// elements; [begin, end) is the segment that is open there, empty if there is none. `border` is
/// where the part's own elements begin or end: the first end of a chunk of that segment from
/// `position` on, or the segment's end.
struct tile_side {
  std::size_t segment, position, begin, end, border;
};

/// The borders before which there are work[0], ... elements and ends of segments, found by the
/// whole warp. An end comes after the elements of its segment, so the number of ends is that of
/// segments k with borders(k + 1) + k < work.
template <unsigned chunk, class Borders, unsigned sides>
__device__ void find_sides(Borders const& borders, std::size_t n, std::size_t count,
                           std::size_t const (&work)[sides], tile_side (&found)[sides],
                           unsigned lane) {
  std::size_t first[sides], last[sides], begin[sides], end[sides];
#pragma unroll
  for (unsigned i = 0; i < sides; ++i) {
    first[i] = work[i] > n ? work[i] - n : 0;
    last[i] = work[i] < count ? work[i] : count;
  }
  find_first_without(first, last, lane,
                     [&](unsigned i, std::size_t k) { return borders(k + 1, n) + k < work[i]; });
#pragma unroll
  for (unsigned i = 0; i < sides; ++i) {
    begin[i] = borders(first[i], n);
    end[i] = borders(first[i] < count ? first[i] + 1 : first[i], n);
  }
#pragma unroll
  for (unsigned i = 0; i < sides; ++i) {
    std::size_t const at = work[i] - first[i];
    tile_side& side = found[i];
    side = {first[i], at, at, at, at};
    if (first[i] == count) continue;
    if (begin[i] < at) side.begin = begin[i];
    if (end[i] > at) side.end = end[i];
    std::size_t const chunks = (at - side.begin + chunk - 1) / chunk,
                      next = side.begin + chunks * chunk;
    side.border = next < side.end ? next : side.end;
  }
}

/// The two borders of tile t, by the first two warps of the block.
template <class Shape, class Borders>
__device__ void find_tile(Borders const& borders, std::size_t n, std::size_t count, std::size_t t,
                          tile_side (&sides)[2], unsigned warp, unsigned lane) {
  if (warp >= 2) return;
  std::size_t const at = (t + warp) * Shape::size, work = n + count;
  tile_side found[1];
  find_sides<Shape::chunk>(borders, n, count, {at < work ? at : work}, found, lane);
  if (lane == 0) sides[warp] = found[0];
}

/// A block of as many elements as its kind has, item or chunk or more, counted from the begin of
/// its segment: it begins at `at`, in segment j.
template <class Number>
struct positioned_block {
  Number at, j;
  bool exists;
};

/// The whole block of `size` elements that begins in the window [first, first + size): it is of the
/// segment that has element `first`, or of the last one that begins in the window, since of two
/// blocks of one segment or of two the second begins after the first has ended. `segments` has
/// begin(j), end(j) and segment_of(place), the last segment that begins there or before.
template <class Number, class Segments>
__device__ positioned_block<Number> block_in(Segments const& segments, Number first, Number size) {
  Number j = segments.segment_of(first);
  Number at = segments.begin(j) + (first - segments.begin(j) + size - 1) / size * size;
  if (at + size <= segments.end(j)) return {at, j, true};
  j = segments.segment_of(first + size - 1);
  at = segments.begin(j);
  return {at, j, at > first && at + size <= segments.end(j)};
}

}  // namespace upsweep::device
