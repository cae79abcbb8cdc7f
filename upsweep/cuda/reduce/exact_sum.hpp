/// The exact sum of floats or doubles in one launch, in integers, so that neither order nor
/// grouping changes it.
/// n element loads · 1 launch · correctly rounded
/// Kulisch's long accumulator; docs/design/0004-cuda.md
///
/// Each thread has a column of bins in shared memory, with bin i for the binary places
/// [32 i, 32 i + 32) counted from the smallest subnormal, and adds every value to one or two bins.
/// Each block sums its columns; the block with the highest index sums the blocks.
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

  [[nodiscard]] static constexpr std::size_t shared_bytes(unsigned threads) {
    return std::size_t{count} * threads * 8;
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
  for (; base < n; base += stride) {  // partial pieces, or elements that are not aligned
    column.carry();
    for (unsigned j = 0; j < at_once; ++j)
      for (unsigned i = 0; i < items; ++i)
        if (std::size_t const at = base + mine + j * step + i; at < n)
          column.add(static_cast<T>(in.value_at(at)));
  }
}

/// The sum of a block: its bins, and the notes about its values.
template <class T>
struct block_sum {
  static constexpr unsigned size = exact_bins<T>::count + 1;

  word* sums;  ///< of bins, modulo 2^64
  unsigned* notes;
};

/// Adds the columns of the block to `total`. Each bin is summed by one warp, its lower words
/// separately from its upper ones, which belong to the next bin, so that no sum exceeds 64 bits.
template <unsigned threads, class T>
__device__ void add_columns(long long* columns, block_sum<T> const& total) {
  unsigned const lane = threadIdx.x % 32;
  constexpr unsigned last = exact_bins<T>::count - 1;
  for (unsigned b = warp_in_block(); b <= last; b += threads / 32) {
    long long low = 0, high = 0;
    for (unsigned c = lane; c < threads; c += 32) {
      long long const bin = columns[b * threads + c];
      low += b < last ? bin & 0xffffffff : bin;
      high += bin >> 32;
    }
#pragma unroll
    for (unsigned k = 0; k < 5; ++k) {
      low += simt::shuffle_xor(whole_warp, low, 1 << k);
      high += simt::shuffle_xor(whole_warp, high, 1 << k);
    }
    if (lane != 0) continue;
    atomicAdd(&total.sums[b], static_cast<word>(low));
    if (b < last) atomicAdd(&total.sums[b + 1], static_cast<word>(high));
  }
}

/// Propagates carries until every bin of the block fits 32 bits, the last one with the sign. Called
/// by one thread.
template <class T>
__device__ void carry_bins(block_sum<T> const& total) {
  long long above = 0;
#pragma unroll
  for (unsigned b = 0; b < exact_bins<T>::count; ++b) {
    word const sum = total.sums[b];
    long long const bin = static_cast<long long>(sum) + above;
    total.sums[b] = static_cast<word>(bin) & 0xffffffff;
    above = bin >> 32;
  }
}

/// The sum of bin `bin` of the blocks first, first + step, ... before this one; for the notes,
/// their union. Eight loads are in flight together.
template <class T>
__device__ long long sum_of_blocks(workspace_words const& workspace, unsigned epoch, unsigned bin,
                                   unsigned first, unsigned step) {
  constexpr unsigned size = block_sum<T>::size, at_once = 8;
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

/// Adds the bins of all earlier blocks to `total`.
template <unsigned threads, class T>
__device__ void add_blocks(workspace_words const& workspace, unsigned epoch,
                           block_sum<T> const& total) {
  constexpr unsigned size = block_sum<T>::size, shares = threads < size ? 1 : threads / size;
  for (unsigned i = threadIdx.x; i < shares * size; i += threads) {
    unsigned const bin = i % size;
    long long const sum = sum_of_blocks<T>(workspace, epoch, bin, i / size, shares);
    if (bin == size - 1)
      atomicOr(&total.notes[0], static_cast<unsigned>(sum));
    else
      atomicAdd(&total.sums[bin], static_cast<word>(sum));
  }
}

/// Blocks: any number. The block with the highest index waits for the others, which do not wait for
/// any block.
template <unsigned threads, class Source, class Result>
__global__ void __launch_bounds__(threads, 1)
    exact_sum_of(Source in, std::size_t n, Result result, workspace_words workspace) {
  using state = typename Source::accumulator;
  using T = typename summed_type<state>::type;
  using layout = exact_bins<T>;
  constexpr unsigned size = block_sum<T>::size;
  __shared__ word sums[layout::count];
  __shared__ unsigned notes[1];
  __shared__ ticket launch[1];
  long long* const columns = simt::dynamic_shared<long long>();
  exact_column<T, threads> column(columns + threadIdx.x);
  for (unsigned b = threadIdx.x; b < layout::count; b += threads) sums[b] = 0;
  wait_for_earlier_work();
  if (threadIdx.x == 0) {
    launch[0] = this_launch(workspace);
    notes[0] = 0;
  }
  add_share<threads>(in, n, column);
  __syncthreads();  // columns are complete, the epoch is known, sums and notes are cleared
  block_sum<T> const total{sums, notes};
  if (column.notes() != 0) atomicOr(&total.notes[0], column.notes());
  add_columns<threads>(columns, total);
  __syncthreads();  // the block's sums and notes are complete
  ticket const mine = launch[0];
  if (blockIdx.x + 1 < gridDim.x) {
    if (threadIdx.x == 0) carry_bins(total);
    __syncthreads();  // every bin fits into 32 bits
    for (unsigned i = threadIdx.x; i < size; i += threads) {
      unsigned const part =
          i < layout::count ? static_cast<unsigned>(total.sums[i]) : total.notes[0];
      store_relaxed(workspace.words + workspace_words::header + blockIdx.x * size + i,
                    word{mine.epoch} << 32 | part);
    }
    return;
  }
  add_blocks<threads>(workspace, mine.epoch, total);
  __syncthreads();  // the bins of all blocks are added
  if (threadIdx.x != 0) return;
  std::int64_t bins[layout::count];
  for (unsigned b = 0; b < layout::count; ++b) {
    word const sum = total.sums[b];
    bins[b] = static_cast<std::int64_t>(sum);
  }
  unsigned const seen = total.notes[0];
  result.store(state::of_bins(bins, static_cast<int>(layout::count), seen), in.op);
  begin_next_launch(workspace, mine.epoch);  // all blocks have published, so have read the epoch
}

}  // namespace upsweep::device
