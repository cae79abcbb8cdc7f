/// The reduction of every window: each warp streams through a strip of the array.
/// One read of each element, and of width more for each strip; one store of each result · 1 launch
/// · log2(w) applications of the operator and one for each bit of w, for each window
/// docs/design/0013-cuda-verbs.md
#pragma once

#include <upsweep/core/combine_tree.hpp>
#include <upsweep/cuda/device/elements.hpp>
#include <upsweep/cuda/device/epoch_words.hpp>
#include <upsweep/cuda/device/warp.hpp>

#include <bit>
#include <cstddef>
#include <type_traits>

namespace upsweep::device {

// The reductions of consecutive windows by one warp, which streams through the elements, with the
// bits of the combine tree.
//
// Let block k of a position be the total of the 2^k elements that end there. A window is the fold
// of one block for each bit of its width, from the largest to the smallest, as in the tree. So
// block k + 1 of a position is block k of 2^k positions before, combined with block k, and the
// totals of a window's larger blocks are extended by block k after a delay of 2^k positions.
// A row is 32 consecutive positions, one for each lane. Delays of less than a row are shuffles;
// those of up to eight rows are registers, as each lane keeps its own values; longer ones are
// rings in shared memory, which also belong to a lane. Warps do not communicate.

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

/// What one launch computes: of each of `count` windows the elements [offset, offset + width),
/// after `totals` if those are not null.
template <class A>
struct window_call {
  std::size_t count, offset;
  unsigned width;
  A const* totals;  ///< of the elements before `offset`, in device memory
  A initial;        ///< combined on the left of each result
  bool has_initial;

  /// The totals of windows i, i + 32 and so on; of the last window past the end.
  template <int rows>
  __forceinline__ __device__ void load_totals(std::size_t i, A (&total)[rows]) const {
#pragma unroll
    for (int g = 0; g < rows; ++g, i += 32) total[g] = totals[i < count ? i : count - 1];
  }
  template <class Op, int rows>
  __forceinline__ __device__ void combine_initial(Op const& op, A (&total)[rows]) const {
    if (!has_initial) return;
#pragma unroll
    for (int g = 0; g < rows; ++g) total[g] = static_cast<A>(op(initial, total[g]));
  }
};

/// Results as accumulators, in temporary storage.
template <class A>
struct window_totals {
  using element = A;
  A* first;

  __device__ void operator()(std::size_t i, A const& a) const { first[i] = a; }
};

__device__ inline int smaller_count(std::size_t a, std::size_t b) {
  return static_cast<int>(a < b ? a : b);
}
__device__ constexpr std::size_t row_begin(int row) {
  return 32 * static_cast<std::size_t>(row);
}

/// Each warp computes `strip` windows, less than 2^30; the last one fewer. Windows that begin at i
/// end at element i + call.offset + call.width - 1. Numbers of windows before the first one wrap
/// around. `extends` says whether there are call.totals.
template <class Shape, bool extends, class Source, class Sink>
__global__ void __launch_bounds__(Shape::threads, Shape::blocks)
    windows(Source in, Sink out, window_call<typename Source::accumulator> call,
            std::size_t strip) {
  using A = typename Source::accumulator;
  constexpr int group = Shape::group, rows = Shape::rows;
  unsigned const warp = warp_in_block(), lane = threadIdx.x % 32, width = call.width;
  std::size_t const begin = (blockIdx.x * std::size_t{Shape::warps} + warp) * strip;
  if (begin >= call.count) return;
  int const warm_up = static_cast<int>((width + group - 1) / group * group),
            count = smaller_count(call.count - begin, strip);
  // The first window, and the element at which it ends.
  std::size_t const window = begin - static_cast<std::size_t>(warm_up),
                    element = window + call.offset + width - 1;
  wait_for_earlier_work();

  // Two groups are on their way while one is combined: with one, windows of 3 floats ran at 0.75 of
  // a copy.
  constexpr int ahead = 2;
  typename Source::template lane_items<1> next[ahead][rows];
#pragma unroll
  for (int g = 0; g < ahead * rows; ++g)
    in.template load<1>(element + lane + row_begin(g), next[g / rows][g % rows]);
  // Elements from the next group on, which is not before the first element, and windows, as numbers
  // of 32 bits: addresses and tests were a quarter of the instructions.
  std::size_t const later = element + ahead * group;
  int const loads = later < in.size ? smaller_count(in.size - later, std::size_t{1} << 30) : 0;
  boxed<A>* rings = nullptr;
  if constexpr (Shape::has_rings)
    rings = simt::dynamic_shared<boxed<A>>() + warp * Shape::ring_values(width, extends);
  window_stream<Shape, extends, A, typename Source::operation> stream(
      rings, width, in.template item<1>(next[0][0], 0, 0), in.op);
  for (int at = 0; at < warm_up + count;) {
#pragma unroll
    for (int phase = 0; phase < Shape::phases; ++phase, at += group) {
      A x[rows], total[rows];
      auto& items = next[phase % ahead];
      int const position = at + static_cast<int>(lane);
      auto const index = static_cast<std::size_t>(position);
#pragma unroll
      for (int g = 0; g < rows; ++g) x[g] = in.template item<1>(items[g], 0, 0);
#pragma unroll
      for (int g = 0; g < rows; ++g)  // lanes without an element keep any other
        if (position < loads - 32 * g) in.load_one(later + row_begin(g) + index, items[g]);
      if constexpr (extends) call.load_totals(window + width + index, total);
      stream.advance(at / group, phase, x, total);
      if (at < warm_up) continue;
      call.combine_initial(in.op, total);
#pragma unroll
      for (int g = 0; g < rows; ++g)
        if (position < warm_up + count - 32 * g) out(window + row_begin(g) + index, total[g]);
    }
  }
}

// Windows that are too wide for `windows`: blocks in device memory, one digit of the width a
// launch.
// A launch reads up to 2^levels totals for each window and writes one
// docs/design/0013-cuda-verbs.md

/// The bits of a digit, and one more for the block that is the next digit's.
inline constexpr int wide_levels = 3;

/// One digit of the width. `x` has, for each position, the total of `apart` elements.
template <class A>
struct wide_digit {
  A const* x;
  std::size_t apart;
  int bits;  ///< of the digit; 2^wide_levels for the block of the next digit
};

/// One thread for each window. Result i is call.totals[i], if those are not null, followed by the
/// blocks of the digit from position i + call.offset on.
template <class Sink, class A, class Op>
__global__ void __launch_bounds__(256)
    window_blocks(wide_digit<A> digit, Sink out, window_call<A> call, Op op) {
  wait_for_earlier_work();
  std::size_t const i = blockIdx.x * std::size_t{blockDim.x} + threadIdx.x;
  if (i >= call.count) return;
  bool there = call.totals != nullptr;
  A total{};
  if (there) total = call.totals[i];
#pragma unroll
  for (int j = wide_levels; j >= 0; --j) {
    if ((digit.bits >> j & 1) == 0) continue;
    auto const larger = static_cast<std::size_t>(digit.bits >> (j + 1) << (j + 1));
    A const* const from = digit.x + (i + call.offset + larger * digit.apart);
    A x[1 << wide_levels];
#pragma unroll
    for (int m = 0; m < 1 << wide_levels; ++m)
      if (m < 1 << j) x[m] = from[static_cast<std::size_t>(m) * digit.apart];
#pragma unroll
    for (int k = j - 1; k >= 0; --k)
#pragma unroll
      for (int m = 0; m < 1 << (wide_levels - 1); ++m)
        if (m < 1 << k) x[m] = static_cast<A>(op(x[2 * m], x[2 * m + 1]));
    total = there ? static_cast<A>(op(total, x[0])) : x[0];
    there = true;
  }
  A result[] = {total};
  call.combine_initial(op, result);
  out(i, result[0]);
}

}  // namespace upsweep::device
