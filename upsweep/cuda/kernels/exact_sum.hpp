/// The exact sum of floats or doubles in one launch: integers all the way, so that no order and no grouping changes it.
/// n element loads · 1 launch · correctly rounded
/// Kulisch's long accumulator; docs/design/0004-cuda.md
///
/// Each thread has a column of bins in shared memory, bin i for the binary places [32 i, 32 i + 32) counted from the smallest
/// subnormal, and adds every value to two of them. Columns are added up by the block; the last-numbered block adds up the blocks.
#pragma once

#include <upsweep/cuda/device/elements.hpp>
#include <upsweep/cuda/device/stamped.hpp>
#include <upsweep/cuda/device/tree.hpp>
#include <upsweep/ops/exact_sum.hpp>

#include <bit>
#include <cstddef>
#include <cstdint>

#include <upsweep/simt/begin.hpp>

namespace upsweep::device {

using simt::shared_pointer;

/// The type of which a superaccumulator holds a sum: float or double.
template <class State>
struct summed_type;
template <class T>
struct summed_type<superaccumulator<T>> {
  using type = T;
};

/// How sums of `T` lie in bins.
template <class T>
struct exact_bins {
  using state = superaccumulator<T>;
  using bits_type = std::conditional_t<sizeof(T) == 4, std::uint32_t, std::uint64_t>;
  static constexpr int fraction_digits = state::digits - 1;
  static constexpr unsigned special = sizeof(T) == 4 ? 0xff : 0x7ff;  ///< the exponent field of NaN and the infinities

  /// The highest place of a value, and 64 more for their number.
  static constexpr unsigned count = (special - 2) / 32 + 2 + 2;
  /// A shifted float has 55 bits and fits one bin, a double takes two.
  static constexpr bool one_bin = sizeof(T) == 4;
  /// Additions to one bin before its carry has to move on: a part of a double has at most 52 bits.
  static constexpr unsigned between_carries = one_bin ? 192 : 1024;

  /// Vectors that a thread reads at once.
  static constexpr unsigned vectors = one_bin ? 4 : 8;

  [[nodiscard]] static constexpr std::size_t shared_bytes(unsigned threads) { return std::size_t{count} * threads * 8; }
};

/// The bins of one thread.
template <class T, unsigned threads>
class exact_column {
  using layout = exact_bins<T>;
  using bits_type = typename layout::bits_type;
  static constexpr bits_type sign = bits_type{1} << (8 * sizeof(T) - 1), hidden = bits_type{1} << layout::fraction_digits;

 public:
  __device__ explicit exact_column(shared_pointer<long long> bins) : bins_(bins) {
    for (unsigned b = 0; b < layout::count; ++b) bins_[b * threads] = 0;
  }

  __device__ static bool is_special(T x) { return exponent_of(std::bit_cast<bits_type>(x)) == layout::special; }
  __device__ void add(T x) {
    if (is_special(x))
      note(std::bit_cast<bits_type>(x));
    else
      add_finite(x);
  }
  __device__ void add_finite(T x) {
    auto const bits = std::bit_cast<bits_type>(x);
    unsigned const exponent = exponent_of(bits);
    bits_type const fraction = bits & (hidden - 1);
    bool const negative = (bits & sign) != 0;
    not_negative_zero_ |= bits ^ sign;
    added_ = true;
    unsigned const place = exponent == 0 ? 0 : exponent - 1, shift = place % 32;
    auto const magnitude = static_cast<word>(exponent == 0 ? fraction : fraction | hidden);
    shared_pointer<long long> const at = bins_ + place / 32 * threads;
    if constexpr (layout::one_bin) {
      auto const part = static_cast<long long>(magnitude << shift);
      long long const before = at[0];
      at[0] = negative ? before - part : before + part;
    } else {
      auto const low = static_cast<long long>(magnitude << shift & 0xffffffff);
      auto const high = static_cast<long long>(magnitude >> (32 - shift));
      long long const first = at[0], second = at[threads];
      at[0] = negative ? first - low : first + low;
      at[threads] = negative ? second - high : second + high;
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
    unsigned const finite = not_negative_zero_ != 0 ? layout::state::other : layout::state::negative_zero;
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

  shared_pointer<long long> bins_;  // of this thread, every `threads`-th
  unsigned notes_ = 0;              // of what is not finite
  bits_type not_negative_zero_ = 0;
  bool added_ = false;
};

/// Adds this thread's share of the elements: whole vectors, some of them under way while those before are added.
template <unsigned threads, class T, class Source>
__device__ void add_share(Source const& in, std::size_t n, exact_column<T, threads>& column) {
  constexpr unsigned items = items_of<typename Source::element>, at_once = exact_bins<T>::vectors;
  constexpr std::size_t step = std::size_t{threads} * items, piece = at_once * step;
  std::size_t const stride = gridDim.x * piece, mine = threadIdx.x * std::size_t{items};
  held<typename Source::element, items> x[at_once];
  auto load = [&](std::size_t base) {
#pragma unroll
    for (unsigned j = 0; j < at_once; ++j) in.template load_whole<items>(base + mine + j * step, x[j]);
  };
  unsigned added = 0;
  std::size_t base = blockIdx.x * piece;
  bool whole = in.has_whole(base, piece);
  if (whole) load(base);
  for (; whole; base += stride) {
    held<typename Source::element, items> now[at_once];
#pragma unroll
    for (unsigned j = 0; j < at_once; ++j) now[j] = x[j];
    whole = in.has_whole(base + stride, piece);
    if (whole) load(base + stride);
    bool special = false;
#pragma unroll
    for (unsigned j = 0; j < at_once; ++j)
#pragma unroll
      for (unsigned i = 0; i < items; ++i) special |= column.is_special(static_cast<T>(in.value(now[j].value[i])));
    if (special) {  // rare, and one test for all keeps their additions free of branches
      for (unsigned j = 0; j < at_once; ++j)
        for (unsigned i = 0; i < items; ++i) column.add(static_cast<T>(in.value(now[j].value[i])));
    } else {
#pragma unroll
      for (unsigned j = 0; j < at_once; ++j)
#pragma unroll
        for (unsigned i = 0; i < items; ++i) column.add_finite(static_cast<T>(in.value(now[j].value[i])));
    }
    added += at_once * items;
    if (added + at_once * items <= exact_bins<T>::between_carries) continue;
    column.carry();
    added = 0;
  }
  for (; base < n; base += stride) {  // what is not whole, or not in vectors
    column.carry();
    for (unsigned j = 0; j < at_once; ++j)
      for (unsigned i = 0; i < items; ++i)
        if (std::size_t const at = base + mine + j * step + i; at < n) column.add(static_cast<T>(in.value_at(at)));
  }
  column.carry();
}

/// What a block knows of a sum: its bins, then what the values were.
template <class T>
struct exact_board {
  static constexpr unsigned size = exact_bins<T>::count + 1;

  shared_pointer<word> sums;  ///< of bins, modulo 2^64
  shared_pointer<unsigned> notes;
};

/// Adds up the columns of the block, in `board`. One warp takes a bin.
template <unsigned threads, class T>
__device__ void add_columns(shared_pointer<long long> columns, exact_board<T> const& board) {
  unsigned const lane = threadIdx.x % 32;
  for (unsigned b = warp_in_block(); b < exact_bins<T>::count; b += threads / 32) {
    long long sum = 0;
    for (unsigned c = lane; c < threads; c += 32) sum += columns[b * threads + c];
#pragma unroll
    for (unsigned k = 0; k < 5; ++k) sum += simt::shuffle_xor(whole_warp, sum, 1 << k);
    if (lane == 0) board.sums[b] = static_cast<word>(sum);
  }
}

/// Every bin of the block in 32 bits, the last one with the sign, as other blocks read them. Called by one thread.
template <class T>
__device__ void carry_board(exact_board<T> const& board) {
  long long above = 0;
  for (unsigned b = 0; b < exact_bins<T>::count; ++b) {
    word const sum = board.sums[b];
    long long const bin = static_cast<long long>(sum) + above;
    board.sums[b] = static_cast<word>(bin) & 0xffffffff;
    above = bin >> 32;
  }
}

/// Adds the bins of all earlier blocks to `board`, eight words of each thread under way together.
template <unsigned threads, class T>
__device__ void add_blocks(workspace_words const& workspace, unsigned stamp, exact_board<T> const& board) {
  constexpr unsigned size = exact_board<T>::size, at_once = 8;
  global<word> const words = workspace.words + workspace_words::header;
  unsigned const count = (gridDim.x - 1) * size;
  for (unsigned base = threadIdx.x; base < count; base += at_once * threads) {
    word found[at_once];
    unsigned missing = 0;
#pragma unroll
    for (unsigned j = 0; j < at_once; ++j) {
      found[j] = word{stamp} << 32;  // what is not read adds nothing
      if (base + j * threads < count) missing |= 1U << j;
    }
    while (missing != 0) {
#pragma unroll
      for (unsigned j = 0; j < at_once; ++j) load_relaxed(words + base + j * threads, missing & 1U << j, found[j]);
      missing = 0;
#pragma unroll
      for (unsigned j = 0; j < at_once; ++j)
        if (static_cast<unsigned>(found[j] >> 32) != stamp) missing |= 1U << j;
      if (missing != 0) look_again();
    }
#pragma unroll
    for (unsigned j = 0; j < at_once; ++j) {
      unsigned const place = (base + j * threads) % size;
      if (place == size - 1)
        atomicOr(&board.notes[0], static_cast<unsigned>(found[j]));
      else if (place == size - 2)
        atomicAdd(&board.sums[place], static_cast<word>(static_cast<long long>(static_cast<int>(found[j]))));
      else
        atomicAdd(&board.sums[place], found[j] & 0xffffffff);
    }
  }
}

/// Blocks: any number. The last-numbered one waits for the others, none of which waits for anything.
template <unsigned threads, class Source, class Result>
__global__ void __launch_bounds__(threads, 1) exact_sum_of(Source in, std::size_t n, Result result, workspace_words workspace) {
  using state = typename Source::accumulator;
  using T = typename summed_type<state>::type;
  using layout = exact_bins<T>;
  constexpr unsigned size = exact_board<T>::size;
  __shared__ simt::shared<word, static_cast<int>(layout::count)> sums;
  __shared__ simt::shared<unsigned, 1> notes;
  __shared__ simt::shared<ticket, 1> launch;
  wait_for_earlier_work();
  if (threadIdx.x == 0) {
    launch[0] = this_launch(workspace);
    notes[0] = 0;
  }
  shared_pointer<long long> const columns = simt::dynamic_shared<long long>();
  exact_column<T, threads> column(columns + threadIdx.x);
  add_share<threads>(in, n, column);
  __syncthreads();  // the columns are complete, the stamp is there, and the notes are cleared
  exact_board<T> const board{sums, notes};
  if (column.notes() != 0) atomicOr(&board.notes[0], column.notes());
  add_columns<threads>(columns, board);
  __syncthreads();  // the sums of all bins of the block are there, and its notes
  ticket const mine = launch[0];
  if (blockIdx.x + 1 < gridDim.x) {
    if (threadIdx.x == 0) carry_board(board);
    __syncthreads();  // every bin fits into 32 bits
    for (unsigned i = threadIdx.x; i < size; i += threads) {
      unsigned const part = i < layout::count ? static_cast<unsigned>(board.sums[i]) : board.notes[0];
      store_relaxed(workspace.words + workspace_words::header + blockIdx.x * size + i, word{mine.stamp} << 32 | part);
    }
    return;
  }
  add_blocks<threads>(workspace, mine.stamp, board);
  __syncthreads();  // the bins of all blocks are added
  if (threadIdx.x != 0) return;
  std::int64_t bins[layout::count];
  for (unsigned b = 0; b < layout::count; ++b) {
    word const sum = board.sums[b];
    bins[b] = static_cast<std::int64_t>(sum);
  }
  unsigned const seen = board.notes[0];
  result.store(state::of_bins(bins, static_cast<int>(layout::count), seen), in.op);
  begin_next_launch(workspace, mine.stamp);  // everybody has read the stamp, for all have published
}

}  // namespace upsweep::device
#include <upsweep/simt/end.hpp>
