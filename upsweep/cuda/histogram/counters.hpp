/// The counters of a block, and the totals of all blocks.
#pragma once

#include <upsweep/cuda/device/epoch_words.hpp>
#include <upsweep/cuda/device/warp.hpp>

#include <cstddef>

namespace upsweep::device {

/// Where a block counts: in several copies of the slots in shared memory, so that warps meet less
/// often; in one of halves of words; or, if there are too many slots, in the totals.
enum class counter_kind { copies, halves, totals };

/// What counters of 16 bits hand over, and counts that have no counters: in the workspace, a word
/// that says that the others have been cleared, and one for each slot.
struct total_counts {
  workspace_words workspace;
  unsigned places, epoch;

  [[nodiscard]] static UPSWEEP_BOTH constexpr std::size_t words_needed(std::size_t places) {
    return places + 1;
  }
  __device__ word* of(unsigned place) const { return flag() + 1 + place; }
  __device__ void add(unsigned place, unsigned count) const { atomicAdd(of(place), word{count}); }

  /// Called by all threads of the block with the first ticket.
  __device__ void clear() const {
    for (unsigned p = threadIdx.x; p < places; p += blockDim.x) store_relaxed(of(p), 0);
    __threadfence();
    __syncthreads();  // all are cleared
    if (threadIdx.x == 0) store_relaxed(flag(), word{epoch} << 32);
  }
  /// The first ticket belongs to a block that is running, and which waits for nothing.
  __device__ void wait_until_cleared() const {
    word seen = 0;
    for (;;) {
      load_relaxed(flag(), 1, seen);
      if (static_cast<unsigned>(seen >> 32) == epoch) break;
      look_again();
    }
    __threadfence();
  }

 private:
  __device__ word* flag() const { return workspace.words + workspace_words::header; }
};

/// What each block leaves for the sums: the words of its counters, then how many elements it
/// refused and the position of the first, in two words. The upper halves are 0, which is the epoch
/// of no launch.
struct block_counts {
  static constexpr unsigned others = 3;

  word* words;
  unsigned counters;  ///< words of them

  [[nodiscard]] static UPSWEEP_BOTH constexpr std::size_t words_needed(std::size_t blocks,
                                                                       std::size_t counters) {
    return blocks * (counters + others);
  }
  [[nodiscard]] __device__ word* of(unsigned block) const {
    return words + std::size_t{block} * (counters + others);
  }
};

/// One of the copies.
struct copied_counters {
  static constexpr bool merges = false;  ///< hardware adds ones to the same counter together
  unsigned* counts;

  __device__ void add(unsigned place, unsigned count) const { atomicAdd(&counts[place], count); }
  template <unsigned items>
  __device__ void add_ones(unsigned const (&place)[items]) const {
#pragma unroll
    for (unsigned j = 0; j < items; ++j) add(place[j], 1);
  }
};

/// Counters of 16 bits. The thread that lets one reach 2^15 takes so many out and adds them to the
/// total. Threads that find it at `high` wait for that before they go on, and what a block adds
/// meanwhile is at most 16 for each of 1024 threads, so no counter overflows into its neighbor.
struct half_counters {
  static constexpr bool merges = true;
  unsigned* words;
  total_counts totals;

  /// Whether a block that counts so many elements may have something for the totals.
  [[nodiscard]] static UPSWEEP_BOTH constexpr bool hand_over(std::size_t elements) {
    return elements >= moved;
  }
  __device__ void add(unsigned place, unsigned count) const {
    unsigned const places[1] = {place};
    add_all(places, count);
  }
  template <unsigned items>
  __device__ void add_ones(unsigned const (&places)[items]) const {
    constexpr unsigned at_once = items < 4 ? items : 4;
    for (unsigned k = 0; k < items; k += at_once) {
      unsigned some[at_once];
#pragma unroll
      for (unsigned j = 0; j < at_once; ++j) some[j] = places[k + j];
      add_all(some, 1);
    }
  }

 private:
  static constexpr unsigned moved = 0x8000, high = 0xb000;

  [[nodiscard]] __device__ unsigned* word_of(unsigned place) const { return words + place / 2; }
  [[nodiscard]] static __device__ unsigned shift_of(unsigned place) { return place % 2 * 16; }
  [[nodiscard]] __device__ unsigned counter_before(unsigned place, unsigned added) const {
    return atomicAdd(word_of(place), added << shift_of(place)) >> shift_of(place) & 0xffff;
  }
  /// `count` at each slot; all are on their way before the first is looked at. A thread takes out
  /// all that it must before it waits for others, which may be of its warp.
  template <unsigned items>
  __device__ void add_all(unsigned const (&places)[items], unsigned count) const {
    unsigned before[items], reached = 0;
#pragma unroll
    for (unsigned j = 0; j < items; ++j) before[j] = counter_before(places[j], count);
#pragma unroll
    for (unsigned j = 0; j < items; ++j) reached |= before[j] + count;
    if ((reached & (moved | 0x10000)) == 0) return;
    auto const moves = [&](unsigned j) { return before[j] < moved && before[j] + count >= moved; };
#pragma unroll
    for (unsigned j = 0; j < items; ++j)
      if (moves(j)) atomicSub(word_of(places[j]), moved << shift_of(places[j]));
#pragma unroll
    for (unsigned j = 0; j < items; ++j)
      if (before[j] >= high)
        while (counter_before(places[j], 0) >= high) look_again();
#pragma unroll
    for (unsigned j = 0; j < items; ++j)
      if (moves(j)) {
        totals.wait_until_cleared();
        totals.add(places[j], moved);
      }
  }
};

struct total_counters {
  static constexpr bool merges = true;
  total_counts totals;

  __device__ void add(unsigned place, unsigned count) const { totals.add(place, count); }
  template <unsigned items>
  __device__ void add_ones(unsigned const (&place)[items]) const {
#pragma unroll
    for (unsigned j = 0; j < items; ++j) add(place[j], 1);
  }
};

/// Counts the slots of the elements that a lane holds; equal ones together, if the counters do not
/// merge them.
template <unsigned items, class Counters>
__device__ void add_places(Counters const& to, unsigned const (&place)[items], unsigned lane) {
  if constexpr (Counters::merges && items > 1) {
    bool same = true;
#pragma unroll
    for (unsigned j = 1; j < items; ++j) same = same && place[j] == place[0];
    // Most warps find no lane whose elements are equal, and so need not compare lanes.
    if (__any_sync(whole_warp, same)) {
      int all = 0;
      __match_all_sync(whole_warp, same ? place[0] : ~0U, &all);
      if (same) {
        if (all == 0 || lane == 0) to.add(place[0], all != 0 ? 32 * items : items);
        return;
      }
    }
  }
  to.add_ones(place);
}

}  // namespace upsweep::device
