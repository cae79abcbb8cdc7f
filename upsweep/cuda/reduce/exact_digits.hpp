/// Exact sums: the columns of a block as one sum, whose carries a warp propagates.
#pragma once

#include <upsweep/cuda/device/warp.hpp>
#include <upsweep/cuda/reduce/exact_bins.hpp>

#include <cstdint>

namespace upsweep::device {

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
