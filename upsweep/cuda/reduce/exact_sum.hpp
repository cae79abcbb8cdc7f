/// The exact sum of floats or doubles in one launch, in integers, so that neither order nor
/// grouping changes it.
/// n element loads · 1 launch · correctly rounded
/// Kulisch's long accumulator; docs/design/0004-cuda.md
///
/// Each thread adds its values to a column of bins (exact_bins.hpp). Each block sums its columns,
/// and one warp propagates the carries (exact_bins.hpp); the block with the highest index sums
/// the blocks.
#pragma once

#include <upsweep/cuda/device/elements.hpp>
#include <upsweep/cuda/device/epoch_words.hpp>
#include <upsweep/cuda/device/warp.hpp>
#include <upsweep/cuda/reduce/exact_bins.hpp>

#include <cstddef>

namespace upsweep::device {

/// Adds this thread's share of the elements from `base` on: those of the last, partial piece, or
/// all if they are not aligned. `added` values have been added since the last carry. A block that
/// has no whole piece may have fewer than `threads` threads.
template <unsigned threads, class T, class Source>
__device__ void add_partial(Source const& in, std::size_t n, std::size_t base, unsigned added,
                            exact_column<T, threads>& column) {
  constexpr unsigned items = items_of<typename Source::element>, at_once = exact_bins<T>::vectors,
                     some = at_once / 2;
  constexpr std::size_t piece = std::size_t{at_once} * threads * items;
  std::size_t const stride = gridDim.x * piece, mine = threadIdx.x * std::size_t{items},
                    row = std::size_t{blockDim.x} * items;
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
  add_partial<threads>(in, n, base, added, column);
}

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

/// Publishes the digits of the block's sum and the notes. Called by one warp.
template <class T>
__device__ void publish_sum(workspace_words const& workspace, unsigned epoch,
                            warp_digits<T> const& own, unsigned notes, unsigned lane) {
  constexpr unsigned size = published<T>;
  word* const to = workspace.words + workspace_words::header + blockIdx.x * size;
#pragma unroll
  for (unsigned k = 0; k < warp_digits<T>::per_lane; ++k)
    if (unsigned const b = lane * warp_digits<T>::per_lane + k; b + 1 < size)
      store_relaxed(to + b, word{epoch} << 32 | own.digit[k]);
  if (lane == 0) store_relaxed(to + size - 1, word{epoch} << 32 | notes);
}

/// Adds what the earlier blocks publish to `own`, the digits of the first warp, and to `notes`.
/// Called by the whole block; `sums` is shared memory.
template <unsigned threads, class T, class Notes>
__device__ void add_blocks(workspace_words const& workspace, unsigned epoch, long long* sums,
                           warp_digits<T>& own, Notes& notes, unsigned lane, bool is_first_warp) {
  constexpr unsigned size = published<T>, in_block = threads < size ? 1 : threads / size,
                     parts = in_block < 12 ? in_block : 12;
  for (unsigned i = threadIdx.x; i < parts * size; i += threads) {
    long long const sum = sum_of_blocks<T>(workspace, epoch, i % size, i / size, parts);
    if (i % size == size - 1)
      atomicOr(&notes[0], static_cast<unsigned>(sum));
    else
      sums[i] = sum;
  }
  __syncthreads();  // all blocks are summed
  if (!is_first_warp) return;
  unsigned const first = lane * warp_digits<T>::per_lane;
  own = warp_digits<T>::of_bins(lane, [&](unsigned b) {
    unsigned const digit = own.digit[b - first];
    long long sum = b + 2 == size ? static_cast<long long>(static_cast<int>(digit))
                                  : static_cast<long long>(digit);
    for (unsigned p = 0; p < parts; ++p) sum += sums[p * size + b];
    return sum;
  });
}

/// Blocks: any number. The block with the highest index waits for the others, which do not wait for
/// any block. Blocks may have fewer than `threads` threads if there is one only.
template <unsigned threads, class Source, class Result>
__global__ void __launch_bounds__(threads, 1)
    exact_sum_of(Source in, std::size_t n, Result result, workspace_words workspace) {
  using state = typename Source::accumulator;
  using T = typename summed_type<state>::type;
  using layout = exact_bins<T>;
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
  warp_digits<T> own{};
  if (is_first_warp) own = own.of_bins(lane, [&](unsigned b) { return sums[0].bin(b); });
  if (!is_last) {
    if (is_first_warp) publish_sum(workspace, launch[0].epoch, own, notes[0], lane);
    return;
  }
  // The memory of the columns is free now.
  if (gridDim.x > 1)
    add_blocks<threads>(workspace, launch[0].epoch, columns, own, notes, lane, is_first_warp);
  if (!is_first_warp) return;
  state const total = own.sum(lane, notes[0], words);
  if (lane != 0) return;
  result.store(total, in.op);
  // All blocks have published, so have read the epoch.
  if (gridDim.x > 1) begin_next_launch(workspace, launch[0].epoch);
}

}  // namespace upsweep::device
