/// How a kernel decides which output an element belongs to.
///
/// Marks have one or two *sets* of elements, and an element's mark has a bit for each set that it
/// belongs to: of a selection one set, those that are kept; of a partition those of the first
/// output, and of the second if there is a third.
#pragma once

#include <upsweep/cuda/device/elements.hpp>
#include <upsweep/cuda/device/warp.hpp>

#include <cstddef>

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

/// One set: the first element of each run of equal neighbours.
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
  /// 1 + the place of the lane's last element of the first set in the chunk; 0 if there is none.
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

/// rank[r]: how many elements of set `s` are before the lane's first element of row r. Elements are
/// in the order of rows, lanes and items. Returns their number in all rows. Several rows are summed
/// in the fields of one word.
template <unsigned sets, unsigned rows, unsigned items>
__device__ unsigned rank_rows(lane_marks<sets, rows, items> const& marks, unsigned s, unsigned lane,
                              unsigned (&rank)[rows]) {
  constexpr unsigned fields = 32 * items < 256 ? 4 : 2, width = 32 / fields;
  constexpr unsigned mask = (1U << width) - 1;
  unsigned total = 0;
#pragma unroll
  for (unsigned first = 0; first < rows; first += fields) {
    unsigned own = 0;
#pragma unroll
    for (unsigned f = 0; f < fields && first + f < rows; ++f)
      own |= static_cast<unsigned>(__popc(marks.row(s, first + f))) << (f * width);
    unsigned sum = own;
#pragma unroll
    for (unsigned d = 1; d < 32; d *= 2) {
      unsigned const left = simt::shuffle_up(whole_warp, sum, d);
      if (lane >= d) sum += left;
    }
    unsigned const all = simt::shuffle(whole_warp, sum, 31), before = sum - own;
#pragma unroll
    for (unsigned f = 0; f < fields && first + f < rows; ++f) {
      rank[first + f] = total + (before >> (f * width) & mask);
      total += all >> (f * width) & mask;
    }
  }
  return total;
}

/// Where the elements of a lane go when a chunk is compressed, one part after another: `part[k]` is
/// the number of elements of part k, of which the last has those in no set.
template <unsigned sets, unsigned rows, unsigned items>
struct lane_ranks {
  unsigned rank[sets][rows];
  unsigned part[3];

  /// `count` is the number of elements of the chunk.
  __device__ lane_ranks(lane_marks<sets, rows, items> const& marks, unsigned count, unsigned lane) {
    part[sets] = count;
#pragma unroll
    for (unsigned s = 0; s < sets; ++s) {
      part[s] = rank_rows(marks, s, lane, rank[s]);
      part[sets] -= part[s];
    }
  }
  /// The first place of part k.
  __device__ unsigned begin(unsigned k) const {
    unsigned const begins[3] = {0, part[0], part[0] + part[1]};
    return begins[k];
  }
  /// Calls f(place, r, j) for each element that is in a set, and if `takes_rest` for the others;
  /// if all elements of the chunk exist (`whole`), without a test.
  template <bool takes_rest, bool whole, class F>
  __device__ void for_each_place(lane_marks<sets, rows, items> const& marks, unsigned count,
                                 unsigned lane, F const& f) const {
#pragma unroll
    for (unsigned r = 0; r < rows; ++r) {
      unsigned const at = (r * 32 + lane) * items;
      unsigned first = rank[0][r], second = 0, rest = part[0] + at - first;
      if constexpr (sets == 2) {
        second = part[0] + rank[1][r];
        rest += part[1] - rank[1][r];
      }
#pragma unroll
      for (unsigned j = 0; j < items; ++j) {
        bool const is_first = (marks.row(0, r) >> j & 1) != 0,
                   is_second = sets == 2 && (marks.row(sets - 1, r) >> j & 1) != 0,
                   is_rest = takes_rest && !is_first && !is_second && (whole || at + j < count);
        if (is_first) f(first++, r, j);
        if (is_second) f(second++, r, j);
        if (is_rest) f(rest++, r, j);
      }
    }
  }
};

}  // namespace upsweep::device
