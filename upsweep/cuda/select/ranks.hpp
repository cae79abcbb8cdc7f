/// Where the elements of a chunk go when a warp compresses it in shared memory.
#pragma once

#include <upsweep/cuda/select/marks.hpp>

#include <bit>
#include <cstddef>
#include <cstring>
#include <type_traits>

namespace upsweep::device {

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

#ifdef __NVCC__
/// Stores the low bytes of x at `to` in shared memory and advances, if `bit` is not 0: two
/// predicated instructions. From C++ the compiler makes four.
template <std::size_t size, class Word>
__device__ void append_word(unsigned bit, unsigned& to, Word x) {
  if constexpr (size == 1)
    asm volatile(
        "{.reg .pred p; setp.ne.u32 p, %1, 0; @p st.shared.u8 [%0], %2; @p add.u32 %0, %0, 1;}"
        : "+r"(to)
        : "r"(bit), "r"(x)
        : "memory");
  else if constexpr (size == 2)
    asm volatile(
        "{.reg .pred p; setp.ne.u32 p, %1, 0; @p st.shared.u16 [%0], %2; @p add.u32 %0, %0, 2;}"
        : "+r"(to)
        : "r"(bit), "r"(x)
        : "memory");
  else if constexpr (size == 4)
    asm volatile(
        "{.reg .pred p; setp.ne.u32 p, %1, 0; @p st.shared.u32 [%0], %2; @p add.u32 %0, %0, 4;}"
        : "+r"(to)
        : "r"(bit), "r"(x)
        : "memory");
  else
    asm volatile(
        "{.reg .pred p; setp.ne.u32 p, %1, 0; @p st.shared.u64 [%0], %2; @p add.u32 %0, %0, 8;}"
        : "+r"(to)
        : "r"(bit), "l"(x)
        : "memory");
}
#endif

/// Stores elements one after another in shared memory.
template <class T>
class shared_cursor {
#ifdef __NVCC__
  static constexpr bool by_word = std::has_single_bit(sizeof(T)) && sizeof(T) <= 8;
#else
  static constexpr bool by_word = false;
#endif

 public:
  shared_cursor() = default;
  __device__ explicit shared_cursor(T* at) {
#ifdef __NVCC__
    if constexpr (by_word)
      at_ = static_cast<unsigned>(__cvta_generic_to_shared(at));
    else
#endif
      at_ = at;
  }

  /// Stores x and advances if `bit` is not 0. Of an element narrower than a word, x may be a word
  /// with its bytes.
  template <class X>
  __device__ void append_if(unsigned bit, X const& x) {
    if constexpr (by_word) {
#ifdef __NVCC__
      std::conditional_t<sizeof(T) == 8, unsigned long long, unsigned> word = 0;
      std::memcpy(&word, &x, sizeof x);
      append_word<sizeof(T)>(bit, at_, word);
#endif
    } else if (bit != 0) {
      std::memcpy(static_cast<void*>(at_++), &x, sizeof(T));
    }
  }

 private:
  std::conditional_t<by_word, unsigned, T*> at_;
};

/// Where the elements of a lane go when a chunk is compressed, one part after another: `part[k]` is
/// the number of elements of part k, of which the last has those in no set.
template <unsigned sets, unsigned rows, unsigned items>
struct lane_ranks {
  unsigned rank[sets][rows];
  unsigned part[3];

  lane_ranks() = default;
  /// `count` is the number of elements of the chunk.
  __device__ lane_ranks(lane_marks<sets, rows, items> const& marks, unsigned count, unsigned lane) {
    part[sets] = count;
#pragma unroll
    for (unsigned s = 0; s < sets; ++s) {
      part[s] = rank_rows(marks, s, lane, rank[s]);
      part[sets] -= part[s];
    }
  }
  /// The first position of part k.
  __device__ unsigned begin(unsigned k) const {
    unsigned const begins[3] = {0, part[0], part[0] + part[1]};
    return begins[k];
  }
  /// How many elements of the first set are before row r; r may be the number of rows.
  template <unsigned r>
  __device__ unsigned before_row() const {
    if constexpr (r == 0)
      return 0;
    else if constexpr (r == rows)
      return part[0];
    else
      return simt::shuffle(whole_warp, rank[0][r], 0);
  }

  /// Stores value(r, j) for each element of the rows [from, to) that is in a set, and if
  /// `takes_rest` for the others, in its part of `out`, counted from that of row `from`. `whole`:
  /// all elements of the chunk exist.
  template <bool takes_rest, bool whole, unsigned from = 0, unsigned to = rows, class T,
            class Value>
  __device__ void store(T* out, lane_marks<sets, rows, items> const& marks, unsigned count,
                        unsigned lane, Value const& value) const {
    unsigned const skipped = before_row<from>();
    shared_cursor<T> part_to[3][rows];
#pragma unroll
    for (unsigned r = from; r < to; ++r) {
      unsigned const at = (r * 32 + lane) * items;
      unsigned rest_at = part[0] + at - rank[0][r];
      part_to[0][r] = shared_cursor<T>(out + (rank[0][r] - skipped));
      if constexpr (sets == 2) {
        rest_at += part[1] - rank[1][r];
        part_to[1][r] = shared_cursor<T>(out + part[0] + rank[1][r]);
      }
      if constexpr (takes_rest) part_to[sets][r] = shared_cursor<T>(out + rest_at);
    }
    // Row after row, because a cursor must not change until its last store has read it.
#pragma unroll
    for (unsigned j = 0; j < items; ++j)
#pragma unroll
      for (unsigned r = from; r < to; ++r) {
        auto const x = value(r, j);
        unsigned bits = 0;
#pragma unroll
        for (unsigned s = 0; s < sets; ++s) {
          unsigned const of_set = marks.row(s, r) & 1U << j;
          part_to[s][r].append_if(of_set, x);
          bits |= of_set;
        }
        if constexpr (takes_rest)
          if (whole || (r * 32 + lane) * items + j < count)
            part_to[sets][r].append_if(~bits & 1U << j, x);
      }
  }
};

}  // namespace upsweep::device
