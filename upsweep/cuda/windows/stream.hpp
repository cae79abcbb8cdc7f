/// The reductions of consecutive windows by one warp, which streams through the elements, with the
/// bits of the combine tree.
///
/// Let block k of a position be the total of the 2^k elements that end there. A window is the fold
/// of one block for each bit of its width, from the largest to the smallest, as in the tree. So
/// block k + 1 of a position is block k of 2^k positions before, combined with block k, and the
/// totals of a window's larger blocks are extended by block k after a delay of 2^k positions.
/// A row is 32 consecutive positions, one for each lane. Delays of less than a row are shuffles;
/// those of up to eight rows are registers, as each lane keeps its own values; longer ones are
/// rings in shared memory, which also belong to a lane. Warps do not communicate.
#pragma once

#include <upsweep/core/combine_tree.hpp>
#include <upsweep/cuda/device/elements.hpp>
#include <upsweep/cuda/device/warp.hpp>

#include <bit>
#include <cstddef>

namespace upsweep::device {

/// A warp takes `rows` rows at a time. Delays of less than 2^kept positions are in registers, those
/// of up to 2^(levels - 1) in shared memory.
template <unsigned rows_, unsigned kept_, unsigned levels_, unsigned blocks_>
struct window_shape {
  static constexpr int warps = 4, threads = 32 * warps, rows = rows_, kept = kept_,
                       levels = levels_, blocks = blocks_, group = 32 * rows;
  static constexpr bool has_rings = levels > kept;
  /// After so many groups the registers of delayed values have the same roles again.
  static constexpr int phases = (1 << kept) > 2 * group ? (1 << kept) / group : 2;
  static_assert(std::has_single_bit(rows_) && kept >= 5);

  /// How many values the rings of a warp hold.
  [[nodiscard]] static UPSWEEP_BOTH constexpr std::size_t ring_values(unsigned width,
                                                                      bool extends) {
    unsigned const ringed = ~0U << kept, largest = 1U << detail::floor_log2(width);
    return ((largest - 1) & ringed) + ((extends ? width : width - largest) & ringed);
  }
};

/// The values of earlier positions: of 2^j, for each j.
template <class Shape, class A>
class window_delays {
  static constexpr int rows = Shape::rows;

 public:
  __device__ window_delays(A const& x, boxed<A>* rings) : rings_(rings) {
#pragma unroll
    for (int j = 0; j < 5; ++j) turned_[j] = x;
#pragma unroll
    for (int i = 0; i < kept_rows; ++i) kept_[i] = x;
  }

  /// Makes old[g] the value 2^j positions before x[g], and keeps x. `ring` is where the ring of
  /// this delay begins. `phase` is step % Shape::phases.
  __forceinline__ __device__ void pass(int j, unsigned step, int phase, int ring,
                                       A const (&x)[rows], A (&old)[rows]) {
    if (j < 5)
      turn(j, x, old);
    else if (j < Shape::kept)
      keep(1 << (j - 5), phase, x, old);
    else
      exchange(j, step, ring, x, old);
  }

 private:
  static constexpr int kept_rows = (2 << (Shape::kept - 5)) - 2;

  __forceinline__ __device__ void turn(int j, A const (&x)[rows], A (&old)[rows]) {
    int const lane = static_cast<int>(threadIdx.x % 32), distance = 1 << j;
#pragma unroll
    for (int g = 0; g < rows; ++g) {
      A const turned = simt::shuffle(whole_warp, x[g], lane - distance);
      old[g] = select(lane < distance, turned_[j], turned);
      turned_[j] = turned;
    }
  }
  __forceinline__ __device__ void keep(int distance, int phase, A const (&x)[rows],
                                       A (&old)[rows]) {
    int const size = distance < rows ? distance : rows, sets = distance / size,
              first = 2 * (distance - 1), from = first + (phase + sets) % (2 * sets) * size,
              to = first + phase % (2 * sets) * size;
#pragma unroll
    for (int g = 0; g < rows; ++g) old[g] = g < size ? kept_[from + g] : x[g - size];
#pragma unroll
    for (int g = 0; g < rows; ++g)
      if (g < size) kept_[to + g] = x[rows - size + g];
  }
  __forceinline__ __device__ void exchange(int j, unsigned step, int ring, A const (&x)[rows],
                                           A (&old)[rows]) {
    unsigned const slot = step % ((1U << j) / Shape::group);
    boxed<A>* const at = rings_ + (ring + static_cast<int>(slot * Shape::group + threadIdx.x % 32));
#pragma unroll
    for (int g = 0; g < rows; ++g) {
      old[g] = at[g * 32];
      at[g * 32] = x[g];
    }
  }

  A turned_[5];  // the last row, rotated by 2^j lanes
  // Delays of 2^k rows begin at 2 * (2^k - 1). They have twice the room they need, so a value stays
  // in the register in which it was computed: otherwise each one would be moved to where the value
  // is that it replaces.
  A kept_[kept_rows > 0 ? kept_rows : 1];
  boxed<A>* rings_;
};

template <class Shape, bool extends, class A, class Op>
class window_stream {
  static constexpr int rows = Shape::rows, levels = Shape::levels;

 public:
  /// `rings` has Shape::ring_values(width, extends) values. Until enough elements have passed,
  /// values before the first one are copies of `x`.
  __device__ window_stream(boxed<A>* rings, unsigned width, A const& x, Op const& op)
      : width_(width),
        top_(detail::floor_log2(width)),
        op_(op),
        blocks_(x, rings),
        totals_(x, rings) {
    if constexpr (Shape::has_rings)
      for (std::size_t i = threadIdx.x % 32; i < Shape::ring_values(width, extends); i += 32)
        rings[i] = x;
  }

  /// Given the next group of elements, makes `total` the totals of the windows that end there. If
  /// the windows extend totals, those that end there are in `total`.
  __forceinline__ __device__ void advance(unsigned step, int phase, A const (&x)[rows],
                                          A (&total)[rows]) {
    combine<0>(step, phase, x, total);
  }

 private:
  /// Given blocks j, makes `total` the totals of the bits of the width from j on. Larger blocks
  /// than the width needs are computed if that takes no access, as tests would cost more.
  template <int j>
  __forceinline__ __device__ void combine(unsigned step, int phase, A const (&block)[rows],
                                          A (&total)[rows]) {
    constexpr bool always = j >= 5 && j < Shape::kept;
    if (j == levels || (!always && j >= top_)) return begin<j>(step, phase, block, total);
    if constexpr (j < levels) {
      A next[rows];
      blocks_.pass(j, step, phase, (1 << j) - (1 << Shape::kept), block, next);
#pragma unroll
      for (int g = 0; g < rows; ++g) next[g] = static_cast<A>(op_(next[g], block[g]));
      combine<j + 1>(step, phase, next, total);
      if ((width_ >> j & 1) == 0) return;
      if (!has_neutral<Op, A> && always && j == top_)
        begin<j>(step, phase, block, total);
      else
        append<j>(step, phase, block, total);
    }
  }
  template <int j>
  __forceinline__ __device__ void begin(unsigned step, int phase, A const (&block)[rows],
                                        A (&total)[rows]) {
    if constexpr (extends) {
      if (j == top_) append<j>(step, phase, block, total);
    } else {
#pragma unroll
      for (int g = 0; g < rows; ++g) {
        total[g] = block[g];
        if constexpr (has_neutral<Op, A> && j >= Shape::kept)
          if (j > top_) total[g] = neutral<Op, A>();
      }
    }
  }
  template <int j>
  __forceinline__ __device__ void append(unsigned step, int phase, A const (&block)[rows],
                                         A (&total)[rows]) {
    int const rings = (1 << top_) - (1 << Shape::kept);
    unsigned const smaller = width_ & ((1U << j) - 1) & (~0U << Shape::kept);
    A old[rows];
    totals_.pass(j, step, phase, (rings > 0 ? rings : 0) + static_cast<int>(smaller), total, old);
#pragma unroll
    for (int g = 0; g < rows; ++g) total[g] = static_cast<A>(op_(old[g], block[g]));
  }

  unsigned width_;
  int top_;
  Op const& op_;
  window_delays<Shape, A> blocks_, totals_;
};

}  // namespace upsweep::device
