/// The counters of a block, and the totals of all blocks.
#pragma once

#include <upsweep/cuda/device/epoch_words.hpp>
#include <upsweep/cuda/device/warp.hpp>

#include <cstddef>

namespace upsweep::device {

/// Where a block counts: in several copies of the places in shared memory, so that warps meet less
/// often; in one of halves of words; or, if there are too many places, in the totals.
enum class counter_kind { copies, halves, totals };

/// The counts of all blocks in the workspace: a word that says that the others have been cleared,
/// the places, and the position of the first element that has none.
struct total_counts {
  workspace_words workspace;
  unsigned places, epoch;

  [[nodiscard]] static constexpr std::size_t words_needed(std::size_t places) {
    return workspace_words::header + places + 2;
  }
  __device__ word* of(unsigned place) const { return flag() + 1 + place; }
  __device__ word* first_refused() const { return of(places); }
  __device__ void add(unsigned place, unsigned count) const { atomicAdd(of(place), word{count}); }

  /// Called by all threads of the block with the first ticket.
  __device__ void clear() const {
    for (unsigned p = threadIdx.x; p <= places; p += blockDim.x)
      store_relaxed(of(p), p < places ? word{0} : ~word{0});
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

/// One of the copies.
struct copied_counters {
  static constexpr bool merges = false;  ///< hardware adds ones to the same counter together
  unsigned* counts;

  __device__ void add(unsigned place, unsigned count) const { atomicAdd(&counts[place], count); }
};

/// Counters of 16 bits. The thread that lets one reach 2^15 takes so many out and adds them to the
/// total. Threads that find it at 3 * 2^14 wait for that before they go on, and what a block adds
/// meanwhile is at most 32 * 512, so no counter overflows into its neighbour.
struct half_counters {
  static constexpr bool merges = true;
  unsigned* words;
  total_counts totals;

  __device__ void add(unsigned place, unsigned count) const {
    constexpr unsigned moved = 0x8000, high = 0xc000;
    unsigned const shift = place % 2 * 16;
    unsigned* const at = words + place / 2;
    unsigned const before = atomicAdd(at, count << shift) >> shift & 0xffff;
    bool const moves = before < moved && before + count >= moved;
    if (moves) atomicSub(at, moved << shift);
    if (before >= high)
      while ((atomicAdd(at, 0U) >> shift & 0xffff) >= high) look_again();
    if (!moves) return;
    totals.wait_until_cleared();
    totals.add(place, moved);
  }
};

struct total_counters {
  static constexpr bool merges = true;
  total_counts totals;

  __device__ void add(unsigned place, unsigned count) const { totals.add(place, count); }
};

/// Counts the places of the elements that a lane holds; equal ones together, if the counters do not
/// merge them.
template <unsigned items, class Counters>
__device__ void add_places(Counters const& to, unsigned const (&place)[items], unsigned lane) {
  if constexpr (Counters::merges && items > 1) {
    bool same = true;
#pragma unroll
    for (unsigned j = 1; j < items; ++j) same = same && place[j] == place[0];
    int all = 0;
    __match_all_sync(whole_warp, same ? place[0] : ~0U, &all);
    if (same) {
      if (all == 0 || lane == 0) to.add(place[0], all != 0 ? 32 * items : items);
      return;
    }
  }
#pragma unroll
  for (unsigned j = 0; j < items; ++j) to.add(place[j], 1);
}

}  // namespace upsweep::device
