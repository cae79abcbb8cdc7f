/// Exact sums: the bins of one thread, to which it adds floats or doubles in integers.
///
/// Each thread has a column of bins in shared memory, with bin i for the bits
/// [32 i, 32 i + 32) counted from the smallest subnormal, and adds every value to one or two bins.
#pragma once

#include <upsweep/cuda/device/elements.hpp>
#include <upsweep/cuda/device/epoch_words.hpp>
#include <upsweep/cuda/device/warp.hpp>
#include <upsweep/ops/exact_sum.hpp>

#include <cstddef>
#include <cstdint>
#include <type_traits>

namespace upsweep::device {

/// The type that a superaccumulator sums: float or double.
template <class State>
struct summed_type;
template <class T>
struct summed_type<detail::superaccumulator<T>> {
  using type = T;
};

/// The layout of the bins for sums of `T`.
template <class T>
struct exact_bins {
  using state = detail::superaccumulator<T>;
  using bits_type = std::conditional_t<sizeof(T) == 4, std::uint32_t, std::uint64_t>;
  static constexpr int fraction_digits = state::digits - 1;
  static constexpr unsigned special =
      sizeof(T) == 4 ? 0xff : 0x7ff;  ///< the exponent field of NaN and the infinities

  /// Enough bins for the highest bit of a value, and for 64 more bits for the number of values.
  static constexpr unsigned count = (special - 2) / 32 + 2 + 2;
  /// A shifted float has 55 bits and fits one bin, a double takes two.
  static constexpr bool one_bin = sizeof(T) == 4;
  /// Additions to one bin before its carry must be propagated: a part of a double has at most 52
  /// bits.
  static constexpr unsigned between_carries = one_bin ? 192 : 1024;

  /// Vectors that a thread reads at once.
  static constexpr unsigned vectors = 8;

  /// Dynamic shared memory of a block, and at most how much it has in all.
  [[nodiscard]] static UPSWEEP_BOTH constexpr std::size_t shared_bytes(unsigned threads) {
    return std::size_t{count} * threads * 8;
  }
  [[nodiscard]] static UPSWEEP_BOTH constexpr std::size_t all_shared_bytes(unsigned threads) {
    return shared_bytes(threads) + std::size_t{threads} * 16 + 512;
  }
};

/// The upper word of high:low shifted left by `places` modulo 32.
__forceinline__ __device__ unsigned shifted_left(unsigned low, unsigned high, unsigned places) {
#ifdef __NVCC__
  return __funnelshift_l(low, high, places);
#else
  return static_cast<unsigned>((word{high} << 32 | low) << places % 32 >> 32);
#endif
}

/// The bins of one thread.
template <class T, unsigned threads>
class exact_column {
  using layout = exact_bins<T>;
  using bits_type = typename layout::bits_type;
  static constexpr bits_type sign = bits_type{1} << (8 * sizeof(T) - 1),
                             hidden = bits_type{1} << layout::fraction_digits;

 public:
  __device__ explicit exact_column(long long* bins) : bins_(bins) {
    for (unsigned b = 0; b < layout::count; ++b) bins_[b * threads] = 0;
  }

  /// The highest 31 bits of |x|, which order values by their exponents; is_special() tells whether
  /// the largest of several belongs to a NaN or an infinity.
  __device__ static unsigned size_of(T x) {
    return static_cast<unsigned>(__builtin_bit_cast(bits_type, x) >> (8 * (sizeof(T) - 4))) &
           0x7fffffff;
  }
  __device__ static bool is_special(unsigned size) {
    return size >= layout::special << layout::fraction_digits % 32;
  }

  __device__ void add(T x) {
    if (is_special(size_of(x)))
      note(__builtin_bit_cast(bits_type, x));
    else
      add_finite(x);
  }
  __device__ void add_finite(T x) {
    auto const bits = __builtin_bit_cast(bits_type, x);
    unsigned const exponent = exponent_of(bits);
    // Subnormal numbers have the position of the smallest normal ones.
    unsigned const place = exponent - (exponent != 0 ? 1 : 0);
    not_negative_zero_ |= bits ^ sign;
    added_ = true;
    long long* const at = bins_ + place / 32 * threads;
    if constexpr (layout::one_bin) {
      int const ones = static_cast<int>(bits) >> 31;  // all bits set if negative, otherwise 0
      int const value =
          (static_cast<int>((bits & ~sign) - (place << layout::fraction_digits)) ^ ones) - ones;
      long long const before = at[0];
      at[0] = before + value * (1LL << place % 32);
    } else {
      unsigned const top = static_cast<unsigned>(bits >> 32);
      word const magnitude =
          word{(top & 0x7fffffff) - (place << 20)} << 32 | static_cast<unsigned>(bits);
      word const ones = static_cast<word>(static_cast<long long>(static_cast<int>(top) >> 31));
      word const value = (magnitude ^ ones) - ones;
      auto const low = static_cast<unsigned>(value), high = static_cast<unsigned>(value >> 32);
      unsigned const above = static_cast<unsigned>(static_cast<int>(high) >> 31);
      long long const first = at[0], second = at[threads];
      at[0] = first + shifted_left(0, low, place);
      at[threads] = second + static_cast<long long>(word{shifted_left(high, above, place)} << 32 |
                                                    shifted_left(low, high, place));
    }
  }

  /// Leaves all bins but the last one in [0, 2^32).
  __device__ void carry() const {
    long long above = 0;
    for (unsigned b = 0; b + 1 < layout::count; ++b) {
      long long const bin = bins_[b * threads] + above;
      bins_[b * threads] = bin & 0xffffffff;
      above = bin >> 32;
    }
    long long const last = bins_[(layout::count - 1) * threads];
    bins_[(layout::count - 1) * threads] = last + above;
  }
  __device__ unsigned notes() const {
    unsigned const finite =
        not_negative_zero_ != 0 ? layout::state::other : layout::state::negative_zero;
    return added_ ? notes_ | finite : notes_;
  }

 private:
  __device__ static unsigned exponent_of(bits_type bits) {
    return static_cast<unsigned>(bits >> layout::fraction_digits) & layout::special;
  }
  __device__ void note(bits_type bits) {
    bool const negative = (bits & sign) != 0;
    notes_ |= (bits & (hidden - 1)) != 0 ? layout::state::nan
              : negative                 ? layout::state::negative_infinity
                                         : layout::state::positive_infinity;
  }

  long long* bins_;     // this thread's are `threads` apart
  unsigned notes_ = 0;  // of NaNs and infinities
  bits_type not_negative_zero_ = 0;
  bool added_ = false;
};

// Exact sums: the columns of a block as one sum, whose carries a warp propagates.

/// A sum as digits to base 2^32 in two's complement, some of which are in each lane of a warp:
/// digit per_lane * lane + k in digit[k].
template <class T>
struct warp_digits {
  static constexpr unsigned per_lane = (exact_bins<T>::count + 31) / 32;
  unsigned digit[per_lane];

  /// The digits of the sum of bin(b) * 2^(32 b), for bins of less than 2^43 in size. Called by the
  /// whole warp, which propagates the carries as an adder with look-ahead does.
  template <class Bin>
  __device__ static warp_digits of_bins(unsigned lane, Bin const& bin) {
    // Each bin borrows 2^43 from the next one, so that no carry is negative.
    constexpr word borrowed = word{1} << 43, returned = borrowed >> 32;
    warp_digits result{};
    word sum[per_lane];
#pragma unroll
    for (unsigned k = 0; k < per_lane; ++k) {
      unsigned const b = lane * per_lane + k;
      sum[k] = borrowed - (b > 0 ? returned : 0);
      if (b < exact_bins<T>::count) sum[k] += static_cast<word>(bin(b));
    }
    // Twice, as the first carries have 12 bits; those that are left are 0 or 1.
#pragma unroll
    for (unsigned turn = 0; turn < 2; ++turn) {
      word carry = simt::shuffle_up(whole_warp, sum[per_lane - 1] >> 32, 1);
      if (lane == 0) carry = 0;
#pragma unroll
      for (unsigned k = 0; k < per_lane; ++k) {
        word const next = sum[k] >> 32;
        sum[k] = (sum[k] & 0xffffffff) + carry;
        carry = next;
      }
    }
    // Whether the lane's digits carry into the next lane's, without and with a carry into them.
    auto carries = [&](word carry) {
#pragma unroll
      for (unsigned k = 0; k < per_lane; ++k) carry = (sum[k] + carry) >> 32;
      return carry != 0;
    };
    word const always = __ballot_sync(whole_warp, carries(0)),
               with_carry = __ballot_sync(whole_warp, carries(1));
    // An addition carries in the same positions.
    word carry = ((always + with_carry) ^ always ^ with_carry) >> lane & 1;
#pragma unroll
    for (unsigned k = 0; k < per_lane; ++k) {
      carry += sum[k];
      result.digit[k] = static_cast<unsigned>(carry);
      carry >>= 32;
    }
    return result;
  }

  /// The superaccumulator with these digits and the notes, in lane 0; by way of `words`, in shared
  /// memory. Called by the whole warp.
  template <class Words>
  __device__ detail::superaccumulator<T> sum(unsigned lane, unsigned notes, Words& words) const {
    using state = detail::superaccumulator<T>;
    static_assert(32 * per_lane >= 2 * state::words);
    unsigned const sign = simt::shuffle(whole_warp, digit[per_lane - 1], 31) >> 31 != 0 ? ~0U : 0;
    bool is_used = false, is_zero = true;  // some digit is not the sign's; all are zero
#pragma unroll
    for (unsigned k = 0; k < per_lane; ++k) {
      unsigned const d = lane * per_lane + k;
      is_used = is_used || digit[k] != sign;
      is_zero = is_zero && digit[k] == 0;
      if (d < 2 * state::words) words[d] = digit[k];
    }
    unsigned const used = __ballot_sync(whole_warp, is_used),
                   not_zero = __ballot_sync(whole_warp, !is_zero);
    __syncwarp();  // all digits are stored
    if (lane != 0) return {};
    constexpr int lane_digits = per_lane;
    int const end = (32 - __clz(static_cast<int>(used))) * lane_digits / 2 + 1,
              high = end < state::words ? end : state::words,
              low = not_zero == 0 ? 0 : (__ffs(static_cast<int>(not_zero)) - 1) * lane_digits / 2;
    std::uint64_t found[state::words];
    for (int i = low; i < high; ++i)
      found[i] = std::uint64_t{words[2 * i + 1]} << 32 | words[2 * i];
    return state::of_words(found, low, high, notes);
  }
};

/// The sums of a block's columns, by bin, in parts: of their lower words, and of their upper ones,
/// which belong to the next bin, so that no sum exceeds 64 bits.
template <class T, unsigned threads>
struct column_sums {
  static constexpr unsigned count = exact_bins<T>::count,
                            in_block = threads < count ? 1 : threads / count,
                            most_parts = in_block < 16 ? in_block : 16;
  long long lower[most_parts * count], upper[most_parts * count];

  /// The number of parts. Called by the whole block, as the next function.
  __device__ static unsigned parts() {
    unsigned const launched = blockDim.x < count ? 1 : blockDim.x / count;
    return launched < most_parts ? launched : most_parts;
  }
  __device__ void add(long long const* columns) {
    unsigned const all = parts(), step = (blockDim.x + all - 1) / all;
    for (unsigned i = threadIdx.x; i < all * count; i += blockDim.x) {
      unsigned const b = i % count, begin = i / count * step,
                     end = begin + step < blockDim.x ? begin + step : blockDim.x;
      long long low = 0, high = 0;
      // Threads begin at different columns, which are in different banks of shared memory.
      unsigned c = (begin + b) % blockDim.x;
#pragma unroll 8
      for (unsigned j = begin; j < end; ++j) {
        long long const bin = columns[b * threads + c];
        low += bin & 0xffffffff;
        high += bin >> 32;
        c = c + 1 == blockDim.x ? 0 : c + 1;
      }
      if (b + 1 == count) low += static_cast<long long>(static_cast<word>(high) << 32);
      lower[i] = low;
      upper[i] = high;
    }
  }
  /// The sum of bin b and of what the bin below has in it.
  __device__ long long bin(unsigned b) const {
    long long sum = 0;
    for (unsigned p = 0; p < parts(); ++p)
      sum += lower[p * count + b] + (b > 0 ? upper[p * count + b - 1] : 0);
    return sum;
  }
};

}  // namespace upsweep::device
