/// The reduction of every window: each warp streams through a strip of the array.
/// One read of each element, and of width more for each strip; one store of each result · 1 launch
/// · log2(w) applications of the operator and one for each bit of w, for each window
/// docs/design/0013-cuda-verbs.md
#pragma once

#include <upsweep/cuda/device/epoch_words.hpp>
#include <upsweep/cuda/windows/stream.hpp>

#include <cstddef>
#include <type_traits>

namespace upsweep::device {

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
