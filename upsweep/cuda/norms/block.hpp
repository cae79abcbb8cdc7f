/// Sums in the combine tree, and maxima, of values that the threads of a block have in registers.
///
/// A warp has a chunk of `rows` rows, of which each lane has `items` consecutive values. The last
/// chunk may be a part of one: then it leaves the totals of the aligned blocks into which it
/// splits, as they are combined one after another.
#pragma once

#include <upsweep/cuda/device/aligned_blocks.hpp>

#include <cstddef>
#include <limits>

namespace upsweep::device {

/// What warps leave for each other, in shared memory.
template <class A>
struct block_memory {
  boxed<A> totals[32];  ///< of the chunks
  boxed<A> blocks[8];   ///< of the last chunk, if it is a part of one; the largest first
};

/// The sum of the first `count` values of a block of threads. All threads take part in all calls.
template <unsigned items, unsigned rows, class A>
class block_sum {
 public:
  static constexpr unsigned chunk = 32 * items * rows;

  /// Leaves x changed. Nobody uses `memory` for anything else before the block's next barrier.
  __device__ block_sum(A (&x)[items * rows], unsigned count, block_memory<A>& memory)
      : memory_(memory), full_(count / chunk), rest_(count % chunk), lane_(threadIdx.x % 32) {
    unsigned const warp = warp_in_block();
#pragma unroll
    for (unsigned r = 0; r < rows; ++r) combine_in_place<items>(x + r * items, plus{});
    if (warp < full_) {
      A of_rows[rows];
#pragma unroll
      for (unsigned r = 0; r < rows; ++r) of_rows[r] = x[r * items + items - 1];
      A const total = rows_total<rows>(of_rows, lane_, plus{});
      if (lane_ == 0) memory.totals[warp] = total;
    } else if (warp == full_ && rest_ != 0) {
      leave_blocks<items, rows>(x, rest_, lane_, plus{}, memory.blocks);
    }
    __syncthreads();  // the totals are there
    if (full_ == 0) return;
    A const mine = memory.totals[lane_ < full_ ? lane_ : 0];
    whole_ = butterfly<5>(mine, beside_, plus{});
  }

  [[nodiscard]] __device__ A value() const { return appended_to(prefix(A{}, false)).value(); }
  using prefix = prefix_of<A, plus>;
  /// The same after a prefix that ends where a block of this size may begin.
  [[nodiscard]] __device__ prefix appended_to(prefix p) const {
    if (full_ == 32) {
      p.append(whole_, plus{});
    } else if (full_ > 0) {
      beside_.append_to(p, lane_, plus{});
      p = p.from_lane(full_, true);
    }
    unsigned const blocks = count_of(rest_);
    for (unsigned k = 0; k < blocks; ++k) p.append(memory_.blocks[k], plus{});
    return p;
  }
  /// Calls keep(k, total) for each of the aligned blocks, k from 0 on, in some thread of warp 0.
  template <class Keep>
  __device__ void each_block(Keep const& keep) const {
    if (threadIdx.x != full_ % 32) return;
    unsigned k = 0;
    if (full_ == 32) keep(k++, whole_);
#pragma unroll
    for (unsigned level = 5; level-- > 0;)
      if (full_ < 32 && (full_ >> level & 1) != 0) keep(k++, beside_.total[level]);
    unsigned const blocks = count_of(rest_);
    for (unsigned i = 0; i < blocks; ++i) keep(k++, memory_.blocks[i]);
  }
  /// How many there are of `count` values.
  [[nodiscard]] static __device__ unsigned blocks_of(unsigned count) {
    return count_of(count / chunk) + count_of(count % chunk);
  }

 private:
  [[nodiscard]] static __device__ unsigned count_of(unsigned bits) {
    return static_cast<unsigned>(__popc(bits));
  }

  block_memory<A>& memory_;
  unsigned full_, rest_, lane_;
  siblings<A> beside_;
  A whole_;
};

template <class A>
__forceinline__ __device__ A larger_or_nan(A x, A y) {
  return x > y || x != x ? x : y;
}

/// The largest of the values of the threads of a block, or NaN.
template <class A>
__device__ A block_max(A x, block_memory<A>& memory) {
  unsigned const lane = threadIdx.x % 32, warp = warp_in_block(), warps = blockDim.x / 32;
  auto const of_warp = [](A largest) {
#pragma unroll
    for (int k = 1; k < 32; k *= 2)
      largest = larger_or_nan(largest, simt::shuffle_xor(whole_warp, largest, k));
    return largest;
  };
  A const largest = of_warp(x);
  if (lane == 0) memory.totals[warp] = largest;
  __syncthreads();  // the maxima of warps are there
  A const mine = memory.totals[lane < warps ? lane : 0];
  return of_warp(mine);
}

}  // namespace upsweep::device
