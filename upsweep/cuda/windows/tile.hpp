/// The windows of one tile in shared memory: the totals of the windows of up to half a tile, with
/// the bits of the combine tree.
///
/// Let block k of a position be the total of the 2^k elements from there on. A window is the fold
/// of one block for each bit of its width, from the largest to the smallest, as in the tree. Bits
/// are taken in digits of `levels` bits. On the way up an array has, for digit p, block p * levels
/// of every position. On the way down the larger blocks of the digit are computed from it again,
/// which takes no memory. A thread has positions that are 2^(p * levels) apart, so it combines them
/// in registers.
#pragma once

#include <upsweep/cuda/device/elements.hpp>
#include <upsweep/cuda/device/warp.hpp>

#include <bit>
#include <cstddef>

namespace upsweep::device {

/// A tile has `warps` * 32 * `items` elements, and digits have `levels` bits. The number of items
/// is odd, so lanes that read elements of different threads meet different banks.
template <unsigned warps, unsigned items_, unsigned levels_, unsigned blocks_>
struct window_shape {
  static constexpr int threads = 32 * warps, items = items_, levels = levels_, blocks = blocks_,
                       size = threads * items;
  static constexpr int radix = 1 << levels;
  static_assert(radix <= items && items % 2 == 1);
  /// The number of digits whose blocks are at most as far apart as there are threads.
  static constexpr int digits = (std::bit_width(unsigned{threads}) - 1) / levels + 1;
  /// The widest windows: 2^widest_log2 elements, at most half a tile.
  static constexpr int widest_log2 = digits * levels < std::bit_width(unsigned{size}) - 2
                                         ? digits * levels
                                         : std::bit_width(unsigned{size}) - 2;
  static constexpr std::size_t widest = std::size_t{1} << widest_log2;

  /// The windows of a tile if each takes `width` elements: a multiple of 32, so that all tiles are
  /// aligned alike.
  [[nodiscard]] static constexpr int windows(std::size_t width) {
    return (size - static_cast<int>(width > 0 ? width - 1 : 0)) / 32 * 32;
  }
  [[nodiscard]] static constexpr int digit(unsigned width, int p) {
    return static_cast<int>(width >> (p * levels)) & (radix - 1);
  }
  /// How many of the digits below `end` are not 0.
  [[nodiscard]] static constexpr int digits_below(unsigned width, int end) {
    int count = 0;
    for (int p = 0; p < end; ++p) count += digit(width, p) != 0 ? 1 : 0;
    return count;
  }
  /// The arrays that a tile needs: one for each digit that is not 0, at least one, and one for
  /// totals that are extended.
  [[nodiscard]] static constexpr int arrays(unsigned width, bool extends) {
    int const count = digits_below(width, digits) + (extends ? 1 : 0);
    return count > 0 ? count : 1;
  }
  /// The values of an array: those of the tile, and as many as windows that begin in it reach
  /// beyond.
  [[nodiscard]] static constexpr int room(unsigned width) {
    return size + static_cast<int>((width + 31) / 32 * 32);
  }
};

template <class Shape, class A, class Op>
class window_tile {
  static constexpr int items = Shape::items, levels = Shape::levels, radix = Shape::radix;

 public:
  /// `arrays` has Shape::room(width) values for each of Shape::arrays(width, extends).
  __device__ window_tile(boxed<A>* arrays, unsigned width, Op const& op)
      : arrays_(arrays), room_(Shape::room(width)), width_(width), op_(op) {}

  /// The values of an array from position i on.
  [[nodiscard]] __device__ boxed<A>* at(int array, int i) const {
    return arrays_ + (array * room_ + i);
  }
  /// The array of totals that are extended by further blocks.
  [[nodiscard]] __device__ int extended() const {
    return Shape::digits_below(width_, Shape::digits);
  }
  /// Fills the end of each array, beyond the tile, with `x`, to which the operator is applied in
  /// vain.
  __device__ void fill_ends(A const& x) const {
    for (int array = 0; array == 0 || array < extended(); ++array)
      for (int i = Shape::size + static_cast<int>(threadIdx.x); i < room_; i += Shape::threads)
        at(array, i)[0] = x;
  }

  /// Makes array 0, which has the elements of the tile, the totals of the windows that begin at
  /// its elements; those that do not end in the tile are arbitrary. If `extends`, the totals that
  /// array extended() has are in front of each window. The block has passed a barrier since the
  /// arrays were filled.
  __device__ void combine(bool extends) const {
    if (width_ == 0) return;
    int const top = 31 - count_zeros(width_), steps = top / levels;
#pragma unroll
    for (int p = 0; p < Shape::digits; ++p)
      if (p < steps) up(p);
    // One block is a window of its own.
    if (!extends && width_ == 1U << top && top % levels == 0) return;
    bool there = extends;
#pragma unroll
    for (int p = Shape::digits - 1; p >= 0; --p)
      if (Shape::digit(width_, p) != 0) {
        fold(p, there);
        there = true;
      }
  }

 private:
  [[nodiscard]] static __device__ int count_zeros(unsigned x) { return __clz(static_cast<int>(x)); }
  /// The first of the positions of this thread for digit p, which are 2^(p * levels) apart.
  [[nodiscard]] static __device__ int first_position(int p) {
    int const apart = 1 << (p * levels), thread = static_cast<int>(threadIdx.x);
    return thread / apart * (items * apart) + thread % apart;
  }

  /// Reads `count` elements that are `apart` from `first` on; none that a window in the tile needs
  /// is beyond it.
  template <int room>
  __forceinline__ __device__ void read(int array, int first, int apart, int count,
                                       A (&to)[room]) const {
    boxed<A> const* const from = at(array, first);
#pragma unroll
    for (int m = 0; m < room; ++m)
      if (m < count) to[m] = from[m * apart];
  }
  /// Makes x[m], m < items, the total of the 2^count neighbours from m on.
  template <int room>
  __forceinline__ __device__ void combine_neighbours(int count, A (&x)[room]) const {
#pragma unroll
    for (int j = 0; j < levels; ++j)
      if (j < count) {
#pragma unroll
        for (int m = 0; m < room; ++m)
          if (m < items + (1 << count) - (2 << j))
            x[m] = static_cast<A>(op_(x[m], x[m + (1 << j)]));
      }
  }
  template <int room>
  __forceinline__ __device__ void write(int array, int p, A const (&x)[room]) const {
    boxed<A>* const to = at(array, first_position(p));
#pragma unroll
    for (int m = 0; m < items; ++m) to[m << (p * levels)] = x[m];
  }

  /// From the blocks of digit p to those of the next digit; over them if digit p is 0.
  __forceinline__ __device__ void up(int p) const {
    int const from = Shape::digits_below(width_, p), to = Shape::digits_below(width_, p + 1);
    A x[items + radix - 1];
    read(from, first_position(p), 1 << (p * levels), items + radix - 1, x);
    combine_neighbours(levels, x);
    if (from == to) __syncthreads();  // the blocks of digit p have been read
    write(to, p, x);
    __syncthreads();  // array `to` has the blocks of digit p + 1
  }

  /// Appends the blocks of digit p to the totals in the array behind theirs, if they are `there`.
  /// The totals are then where the blocks were.
  __forceinline__ __device__ void fold(int p, bool there) const {
    int const array = Shape::digits_below(width_, p), apart = 1 << (p * levels);
    int const first = first_position(p);
    A total[items];
    if (there) read(array + 1, first, apart, items, total);
#pragma unroll
    for (int j = levels - 1; j >= 0; --j) {
      unsigned const bit = 1U << (p * levels + j);
      if ((width_ & bit) == 0) continue;
      int const larger = static_cast<int>(width_ & ~(2 * bit - 1));
      A x[items + radix / 2 - 1];
      read(array, first + larger, apart, items + (1 << j) - 1, x);
      combine_neighbours(j, x);
#pragma unroll
      for (int m = 0; m < items; ++m)
        if (there)
          total[m] = static_cast<A>(op_(total[m], x[m]));
        else
          total[m] = x[m];
      there = true;
    }
    __syncthreads();  // the blocks of digit p have been read
    write(array, p, total);
    __syncthreads();  // the array has the totals
  }

  boxed<A>* arrays_;
  int room_;
  unsigned width_;
  Op const& op_;
};

}  // namespace upsweep::device
