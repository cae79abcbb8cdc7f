/// How a kernel decides which output an element belongs to.
///
/// Marks have one or two *sets* of elements, and an element's mark has a bit for each set that it
/// belongs to: of a selection one set, those that are kept; of a partition those of the first
/// output, and of the second if there is a third.
#pragma once

#include <upsweep/cuda/device/elements.hpp>
#include <upsweep/cuda/device/warp.hpp>

#include <cstddef>
#include <type_traits>
#include <utility>

namespace upsweep::device {

/// One set: the elements that satisfy a predicate.
template <class F>
struct marks_of_values {
  static constexpr unsigned sets = 1;
  static constexpr bool needs_earlier = false, has_flags = false;
  F test;

  template <class T>
  __device__ unsigned of(T const& x) const {
    return static_cast<bool>(apply_function(test, x)) ? 1 : 0;
  }
};

/// Two sets: those that satisfy the first predicate, and those that satisfy only the second.
template <class P, class Q>
struct marks_of_two {
  static constexpr unsigned sets = 2;
  static constexpr bool needs_earlier = false, has_flags = false;
  P is_first;
  Q is_second;

  template <class T>
  __device__ unsigned of(T const& x) const {
    if (static_cast<bool>(apply_function(is_first, x))) return 1;
    return static_cast<bool>(apply_function(is_second, x)) ? 2 : 0;
  }
};

/// One set: the first element of each run of equal neighbors.
template <class Same>
struct marks_of_heads {
  static constexpr unsigned sets = 1;
  static constexpr bool needs_earlier = true, has_flags = false;
  Same equal;

  template <class T>
  __device__ unsigned of(T const& earlier, T const& x) const {
    return static_cast<bool>(apply_function(equal, earlier, x)) ? 0 : 1;
  }
};

/// One set: the elements whose flag, of the same position, is true.
template <class It>
struct marks_of_flags {
  static constexpr unsigned sets = 1;
  static constexpr bool needs_earlier = false, has_flags = true;
  using flag = std::remove_cvref_t<decltype(std::declval<It const&>()[0])>;
  It flags;
  bool vectors;  ///< the flags are in memory that is aligned to 16 bytes
};

/// The marks of the elements of one lane: of each of `rows` rows it has `items` in a row. A word
/// has the bits of whole rows.
template <unsigned sets, unsigned rows, unsigned items>
struct lane_marks {
  static constexpr unsigned words = (rows * items + 31) / 32;
  unsigned word[sets][words] = {};

  __device__ void add(unsigned r, unsigned j, unsigned mark) {
    unsigned const bit = r * items + j;
#pragma unroll
    for (unsigned s = 0; s < sets; ++s) word[s][bit / 32] |= (mark >> s & 1) << (bit % 32);
  }
  __device__ unsigned row(unsigned s, unsigned r) const {
    return word[s][r * items / 32] >> (r * items % 32) & ((1U << items) - 1);
  }
  __device__ unsigned count(unsigned s) const {
    unsigned sum = 0;
#pragma unroll
    for (unsigned w = 0; w < words; ++w) sum += static_cast<unsigned>(__popc(word[s][w]));
    return sum;
  }
  /// 1 + the position of the lane's last element of the first set in the chunk; 0 if there is none.
  __device__ unsigned last(unsigned lane) const {
    unsigned place = 0;
#pragma unroll
    for (unsigned r = 0; r < rows; ++r)
      if (unsigned const bits = row(0, r); bits != 0)
        place = (r * 32 + lane) * items + 32 - static_cast<unsigned>(__clz(static_cast<int>(bits)));
    return place;
  }
};

/// The sum of `x` over the lanes of a warp, in each of them.
__forceinline__ __device__ unsigned sum_of_lanes(unsigned x) {
#ifdef __NVCC__
  return __reduce_add_sync(whole_warp, x);
#else
  for (int k = 1; k < 32; k *= 2) x += simt::shuffle_xor(whole_warp, x, k);
  return x;
#endif
}

/// The greatest `x` of the lanes of a warp, in each of them.
__forceinline__ __device__ unsigned greatest_of_lanes(unsigned x) {
#ifdef __NVCC__
  return __reduce_max_sync(whole_warp, x);
#else
  for (int k = 1; k < 32; k *= 2) {
    unsigned const other = simt::shuffle_xor(whole_warp, x, k);
    if (other > x) x = other;
  }
  return x;
#endif
}

}  // namespace upsweep::device
