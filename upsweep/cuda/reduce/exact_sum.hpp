/// The exact sum of floats or doubles in one launch, in integers, so that neither order nor
/// grouping changes it.
/// n element loads · 1 launch · correctly rounded
/// Kulisch's long accumulator; docs/design/0004-cuda.md
///
/// Each thread has a column of bins in shared memory, with bin i for the binary places
/// [32 i, 32 i + 32) counted from the smallest subnormal, and adds every value to one or two bins.
/// Each block sums its columns, and one warp propagates the carries; the block with the highest
/// index sums the blocks.
#pragma once

#include <upsweep/cuda/device/elements.hpp>
#include <upsweep/cuda/device/epoch_words.hpp>
#include <upsweep/cuda/device/warp.hpp>
#include <upsweep/ops/exact_sum.hpp>

#include <bit>
#include <cstddef>
#include <cstdint>

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

  /// Enough bins for the highest place of a value, and for 64 more places for the number of values.
  static constexpr unsigned count = (special - 2) / 32 + 2 + 2;
  /// A shifted float has 55 bits and fits one bin, a double takes two.
  static constexpr bool one_bin = sizeof(T) == 4;
  /// Additions to one bin before its carry must be propagated: a part of a double has at most 52
  /// bits.
  static constexpr unsigned between_carries = one_bin ? 192 : 1024;

  /// Vectors that a thread reads at once.
  static constexpr unsigned vectors = 8;

  /// Dynamic shared memory of a block, and at most how much it has in all.
  [[nodiscard]] static constexpr std::size_t shared_bytes(unsigned threads) {
    return std::size_t{count} * threads * 8;
  }
  [[nodiscard]] static constexpr std::size_t all_shared_bytes(unsigned threads) {
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
    return static_cast<unsigned>(std::bit_cast<bits_type>(x) >> (8 * (sizeof(T) - 4))) & 0x7fffffff;
  }
  __device__ static bool is_special(unsigned size) {
    return size >= layout::special << layout::fraction_digits % 32;
  }

  __device__ void add(T x) {
    if (is_special(size_of(x)))
      note(std::bit_cast<bits_type>(x));
    else
      add_finite(x);
  }
  __device__ void add_finite(T x) {
    auto const bits = std::bit_cast<bits_type>(x);
    unsigned const exponent = exponent_of(bits);
    // Subnormal numbers have the place of the smallest normal ones.
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

/// Adds this thread's share of the elements, by whole vectors, and loads the next ones meanwhile.
template <unsigned threads, class T, class Source>
__device__ void add_share(Source const& in, std::size_t n, exact_column<T, threads>& column) {
  constexpr unsigned items = items_of<typename Source::element>, at_once = exact_bins<T>::vectors;
  constexpr std::size_t step = std::size_t{threads} * items, piece = at_once * step;
  std::size_t const stride = gridDim.x * piece, mine = threadIdx.x * std::size_t{items};
  held<typename Source::element, items> x[at_once];
  auto load = [&](unsigned j, std::size_t base) {
    in.template load_whole<items>(base + mine + j * step, x[j]);
  };
  auto value = [&](unsigned j, unsigned i) { return static_cast<T>(in.value(x[j].value[i])); };
  unsigned added = 0;
  std::size_t base = blockIdx.x * piece;
  bool whole = in.has_whole(base, piece);
  if (whole) {
#pragma unroll
    for (unsigned j = 0; j < at_once; ++j) load(j, base);
  }
  for (; whole; base += stride) {
    whole = in.has_whole(base + stride, piece);
    unsigned largest = 0;
#pragma unroll
    for (unsigned j = 0; j < at_once; ++j)
#pragma unroll
      for (unsigned i = 0; i < items; ++i) {
        unsigned const size = column.size_of(value(j, i));
        largest = size > largest ? size : largest;
      }
    // Rare; one test for all values keeps the additions of finite ones free of branches.
    if (column.is_special(largest)) {
#pragma unroll 1
      for (unsigned j = 0; j < at_once; ++j)
        for (unsigned i = 0; i < items; ++i)
          column.add(static_cast<T>(in.value_at(base + mine + j * step + i)));
#pragma unroll
      for (unsigned j = 0; j < at_once; ++j)
        if (whole) load(j, base + stride);
    } else {
#pragma unroll
      for (unsigned j = 0; j < at_once; ++j) {
#pragma unroll
        for (unsigned i = 0; i < items; ++i) column.add_finite(value(j, i));
        if (whole) load(j, base + stride);
      }
    }
    added += at_once * items;
    if (added + at_once * items <= exact_bins<T>::between_carries) continue;
    column.carry();
    added = 0;
  }
  // Partial pieces, and elements that are not aligned. A block without whole pieces may have fewer
  // threads.
  constexpr unsigned some = at_once / 2;
  std::size_t const row = std::size_t{blockDim.x} * items;
  for (; base < n; base += stride) {
    if (added + at_once * items > exact_bins<T>::between_carries) {
      column.carry();
      added = 0;
    }
    added += at_once * items;
#pragma unroll 1
    for (unsigned first = 0; first < at_once; first += some) {
      auto place = [&](unsigned j, unsigned i) { return base + mine + (first + j) * row + i; };
      T several[some][items];
#pragma unroll
      for (unsigned j = 0; j < some; ++j)
#pragma unroll
        for (unsigned i = 0; i < items; ++i)
          if (place(j, i) < n) several[j][i] = static_cast<T>(in.value_at(place(j, i)));
#pragma unroll
      for (unsigned j = 0; j < some; ++j)
#pragma unroll
        for (unsigned i = 0; i < items; ++i)
          if (place(j, i) < n) column.add(several[j][i]);
    }
  }
}

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
    // An addition carries in the same places.
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

/// What a block publishes: its digits, the last of which has the sign, and the notes about its
/// values.
template <class T>
inline constexpr unsigned published = exact_bins<T>::count + 1;

/// The sum of digit `bin` of the blocks first, first + step, ... before this one; for the notes,
/// their union. Sixteen loads are in flight together.
template <class T>
__device__ long long sum_of_blocks(workspace_words const& workspace, unsigned epoch, unsigned bin,
                                   unsigned first, unsigned step) {
  constexpr unsigned size = published<T>, at_once = 16;
  unsigned const count = gridDim.x - 1;
  word* const words = workspace.words + workspace_words::header + bin;
  long long sum = 0;
  for (; first < count; first += at_once * step) {
    word found[at_once];
    unsigned missing = 0;
#pragma unroll
    for (unsigned j = 0; j < at_once; ++j) {
      found[j] = word{epoch} << 32;  // adds nothing if it is not read
      if (first + j * step < count) missing |= 1U << j;
    }
    while (missing != 0) {
#pragma unroll
      for (unsigned j = 0; j < at_once; ++j)
        load_relaxed(words + (first + j * step) * size, missing & 1U << j, found[j]);
      missing = 0;
#pragma unroll
      for (unsigned j = 0; j < at_once; ++j)
        if (static_cast<unsigned>(found[j] >> 32) != epoch) missing |= 1U << j;
      if (missing != 0) look_again();
    }
#pragma unroll
    for (unsigned j = 0; j < at_once; ++j) {
      auto const part = static_cast<unsigned>(found[j]);
      if (bin == size - 1)
        sum |= part;
      else
        sum += bin == size - 2 ? static_cast<long long>(static_cast<int>(part))
                               : static_cast<long long>(part);
    }
  }
  return sum;
}

/// Blocks: any number. The block with the highest index waits for the others, which do not wait for
/// any block. Blocks may have fewer than `threads` threads if there is one only.
template <unsigned threads, class Source, class Result>
__global__ void __launch_bounds__(threads, 1)
    exact_sum_of(Source in, std::size_t n, Result result, workspace_words workspace) {
  using state = typename Source::accumulator;
  using T = typename summed_type<state>::type;
  using layout = exact_bins<T>;
  using digits = warp_digits<T>;
  constexpr unsigned size = published<T>, notes_at = size - 1,
                     in_block = threads < size ? 1 : threads / size,
                     shares = in_block < 12 ? in_block : 12;
  __shared__ column_sums<T, threads> sums[1];
  __shared__ unsigned notes[1], words[2 * state::words];
  __shared__ ticket launch[1];
  static_assert(sizeof sums + sizeof notes + sizeof words + sizeof launch +
                    layout::shared_bytes(threads) <=
                layout::all_shared_bytes(threads));
  unsigned const lane = threadIdx.x % 32;
  bool const is_last = blockIdx.x + 1 == gridDim.x, is_first_warp = warp_in_block() == 0;
  long long* const columns = simt::dynamic_shared<long long>();
  exact_column<T, threads> column(columns + threadIdx.x);
  wait_for_earlier_work();
  if (threadIdx.x == 0) {
    if (gridDim.x > 1) launch[0] = this_launch(workspace);
    notes[0] = 0;
  }
  add_share<threads>(in, n, column);
  __syncthreads();  // columns are complete, the epoch is known, notes are cleared
  if (column.notes() != 0) atomicOr(&notes[0], column.notes());
  sums[0].add(columns);
  __syncthreads();  // the columns are summed, the notes complete
  digits own{};
  if (is_first_warp) own = digits::of_bins(lane, [&](unsigned b) { return sums[0].bin(b); });
  if (gridDim.x > 1) {
    unsigned const epoch = launch[0].epoch;
    if (!is_last) {
      if (!is_first_warp) return;
      word* const to = workspace.words + workspace_words::header + blockIdx.x * size;
#pragma unroll
      for (unsigned k = 0; k < digits::per_lane; ++k)
        if (unsigned const b = lane * digits::per_lane + k; b < notes_at)
          store_relaxed(to + b, word{epoch} << 32 | own.digit[k]);
      if (lane == 0) store_relaxed(to + notes_at, word{epoch} << 32 | notes[0]);
      return;
    }
    // The sums of the blocks, in parts as well; the columns' memory is free.
    for (unsigned i = threadIdx.x; i < shares * size; i += threads) {
      long long const sum = sum_of_blocks<T>(workspace, epoch, i % size, i / size, shares);
      if (i % size == notes_at)
        atomicOr(&notes[0], static_cast<unsigned>(sum));
      else
        columns[i] = sum;
    }
    __syncthreads();  // all blocks are summed
    if (is_first_warp) {
      unsigned const first = lane * digits::per_lane;
      own = digits::of_bins(lane, [&](unsigned b) {
        unsigned const digit = own.digit[b - first];
        long long sum = b + 1 == notes_at ? static_cast<long long>(static_cast<int>(digit))
                                          : static_cast<long long>(digit);
        for (unsigned p = 0; p < shares; ++p) sum += columns[p * size + b];
        return sum;
      });
    }
  }
  if (!is_first_warp) return;
  state const total = own.sum(lane, notes[0], words);
  if (lane != 0) return;
  result.store(total, in.op);
  // All blocks have published, so have read the epoch.
  if (gridDim.x > 1) begin_next_launch(workspace, launch[0].epoch);
}

}  // namespace upsweep::device
