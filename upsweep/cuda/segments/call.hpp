/// The parameters of every verb over segments on a GPU.
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

}  // namespace upsweep::device
