/// The parameters of every verb over segments on a GPU, and where tiles leave what later launches
/// need.
#pragma once

#include <upsweep/cuda/device/elements.hpp>
#include <upsweep/cuda/device/epoch_words.hpp>
#include <upsweep/cuda/device/warp.hpp>

#include <bit>
#include <cstddef>

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

/// Where the runs of n elements begin, as a launch before has found. There are `count` of them, of
/// which the caller asks for as many as fit the output.
struct run_borders {
  word const* starts;
  word const* count;

  __device__ std::size_t operator()(std::size_t k, std::size_t n) const {
    std::size_t const runs = count[0];
    return k < runs ? std::size_t{starts[k]} : n;
  }
};

/// A tile has `size` elements and ends of segments in all, and up to `chunk` - 1 elements behind
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

/// What the parts of the input, tiles or ranges of warps, leave in the scratch memory: totals of
/// chunks of segments that cross the border of a part, and for each part the one such segment whose
/// last element it has. All of it has epoch 0, which is that of fresh memory, so no look-back takes
/// it for a total.
template <class Shape, class A>
struct segment_scratch {
  static constexpr std::size_t part_words =
      words_of<std::size_t> + std::size_t{Shape::chunk_log2} * words_of<A>;

  word* words;
  std::size_t size;   ///< elements and ends of segments of a part
  std::size_t parts;  ///< how many there are

  [[nodiscard]] static constexpr std::size_t needed(std::size_t n, std::size_t parts) {
    return parts * part_words + (n / Shape::chunk + 1) * words_of<A>;
  }
  /// 1 + the segment that ends in a part and began in an earlier one, or 0.
  __device__ tile_totals<std::size_t> ended() const { return {words, 0}; }
  /// The blocks after the last whole chunk of that segment; number chunk_log2 * part + k has 2^k
  /// elements.
  __device__ tile_totals<A> rest() const { return {words + parts * words_of<std::size_t>, 0}; }
  /// The totals of chunks. Any `chunk` consecutive positions have the begin of at most one whole
  /// chunk, since it is the only one of its segment there, and no segment behind it begins there.
  /// So chunk j of the segment that begins at `begin` has place begin / chunk + j to itself.
  __device__ tile_totals<A> chunks() const { return {words + parts * part_words, 0}; }
};

/// The value stored at place `i` by an earlier launch.
template <class A>
__device__ A stored_at(tile_totals<A> const& values, std::size_t i) {
  typename tile_totals<A>::tagged_total x{};
  values.look(static_cast<unsigned>(i), 1, x);
  return x.value();
}

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

}  // namespace upsweep::device
