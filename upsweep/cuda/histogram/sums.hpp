/// The counters of a block, the totals of all blocks, and the results of histograms: sums of what
/// the blocks have counted.
#pragma once

#include <upsweep/core/rounding.hpp>
#include <upsweep/cuda/device/element_input.hpp>
#include <upsweep/cuda/device/epoch_words.hpp>
#include <upsweep/cuda/device/warp.hpp>

#include <cstddef>
#include <type_traits>

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
  static_assert(high + 16 * 1024 < 1 << 16, "what a block adds meanwhile fits");

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

inline constexpr unsigned count_threads = 1024,  ///< of a block
    few_bytes = 4,  ///< that a thread counts at a time, if there are few of them
    clear_threads = 256;

/// The parameters of every count.
struct count_call : bounded_size {
  unsigned places;  ///< of the search
  unsigned offset;  ///< the slot of the output's first count
  unsigned bins;    ///< of the output
  counter_kind kind;
  bool has_totals;        ///< counters hand over to the totals, or are those
  unsigned copies;        ///< of the counters, at least 1
  unsigned table_at;      ///< words of shared memory before the search's table
  unsigned shared_table;  ///< words of the table, or 0 if it stays in device memory
  bool is_alone;          ///< the only block stores the results
  bool adds;              ///< blocks add to the results, which are cleared before
  bool are_few;           ///< bytes, which a thread counts four at a time
  bool reports;           ///< `outside` is a count_report
  word* outside;          ///< what is not in the output

  /// 32-bit words of the counters that a block leaves.
  [[nodiscard]] __host__ __device__ unsigned words_left() const {
    return kind == counter_kind::copies   ? places
           : kind == counter_kind::halves ? (places + 1) / 2
                                          : 0;
  }
  /// 32-bit words of shared memory for them.
  [[nodiscard]] __host__ __device__ unsigned counter_words() const {
    return kind == counter_kind::copies ? copies * places : words_left();
  }
  /// Words of the workspace before what the blocks leave.
  [[nodiscard]] __host__ __device__ std::size_t words_before() const {
    return workspace_words::header + (has_totals ? total_counts::words_needed(places) : 0);
  }
  [[nodiscard]] __device__ block_counts left(workspace_words const& workspace) const {
    return {workspace.words + words_before(), words_left()};
  }
};

/// What the host reads. If an element is refused or a count does not fit the output, nothing else
/// has been stored.
struct count_report {
  word outside[3];     ///< below, above, NaN; or how many elements were refused
  word first_refused;  ///< the position of the first
  word too_large;  ///< the first slot whose count does not fit; all bits are set if there is none
  word largest;    ///< that count
};

/// The elements of a block that have no slot, in shared memory.
struct refused_elements {
  word count, first;  ///< and the position of the first

  __device__ void add(word more, word position) {
    atomicAdd(&count, more);
    atomicMin(&first, position);
  }
};

/// The counts of one block, in `copies` of its counters.
struct own_counts {
  unsigned const* counters;
  unsigned copies, words;  ///< of a copy

  __device__ unsigned sum(unsigned i) const {
    unsigned total = 0;
    for (unsigned c = 0; c < copies; ++c) total += counters[c * words + i];
    return total;
  }
  /// For the sums with those of other blocks.
  __device__ void leave(refused_elements const& refused, word* to) const {
    for (unsigned i = threadIdx.x; i < words; i += blockDim.x) to[i] = sum(i);
    if (threadIdx.x > 0) return;
    to[words] = refused.count;
    to[words + 1] = refused.first & 0xffffffff;
    to[words + 2] = refused.first >> 32;
  }
  /// Calls take(place, count) for all slots.
  template <class Take>
  __device__ void for_each(Take const& take) const {
    for (unsigned p = threadIdx.x; p < words; p += blockDim.x) take(p, word{sum(p)});
  }
};

/// Shared memory for sums of 32 words of all blocks' counters.
struct sums_memory {
  word parts[2][count_threads / 32][32];  ///< of each warp, of lower and upper halves
  unsigned first_too_large;
};

/// The counts that blocks have left, and handed over to the totals.
struct left_counts {
  count_call const& call;
  unsigned blocks;
  workspace_words workspace;
  sums_memory& shared;

  __device__ void add_refused(refused_elements& to) const {
    for (unsigned b = threadIdx.x; b < blocks; b += blockDim.x) {
      word const* const others = call.left(workspace).of(b) + call.words_left();
      if (others[0] > 0) to.add(others[0], others[1] | others[2] << 32);
    }
  }
  /// Calls take(place, count) for the slots of this block: each has the groups of 32 words of one
  /// in gridDim.x. Leaves zeros in the totals, which a later launch would take for words with its
  /// epoch, if `is_last`.
  template <class Take>
  __device__ void for_each(Take const& take, bool is_last = true) const {
    bool const are_totals = call.kind == counter_kind::totals;
    total_counts const totals{workspace, call.places, 0};
    unsigned const groups =
        are_totals ? (call.places + blockDim.x - 1) / blockDim.x : (call.words_left() + 31) / 32;
    for (unsigned g = blockIdx.x; g < groups; g += gridDim.x) {
      word sum = are_totals ? 0 : sum_of_group(g);
      unsigned const place = place_in_group(g);
      if (place >= call.places) continue;
      if (call.has_totals) {
        word more = 0;
        load_relaxed(totals.of(place), 1, more);
        sum += more;
        if (is_last) store_relaxed(totals.of(place), 0);
      }
      take(place, sum);
    }
  }

 private:
  /// The sums of group g: the first threads of the block have one each, others 0.
  __device__ word sum_of_group(unsigned g) const {
    block_counts const left = call.left(workspace);
    unsigned const lane = threadIdx.x % 32, warp = threadIdx.x / 32, warps = blockDim.x / 32,
                   at = g * 32 + lane;
    bool const are_halves = call.kind == counter_kind::halves;
    word lower = 0, upper = 0;
    if (at < left.counters)
#pragma unroll 4
      for (unsigned b = warp; b < blocks; b += warps) {
        word const x = left.of(b)[at];
        lower += are_halves ? x & 0xffff : x;
        upper += are_halves ? x >> 16 : 0;
      }
    shared.parts[0][warp][lane] = lower;
    shared.parts[1][warp][lane] = upper;
    __syncthreads();  // the parts are there
    word sum = 0;
    if (threadIdx.x < (are_halves ? 64 : 32))
      for (unsigned w = 0; w < warps; ++w) sum += shared.parts[warp][w][lane];
    __syncthreads();  // the parts have been read
    return sum;
  }
  /// The slot of this thread's sum, or `call.places`.
  __device__ unsigned place_in_group(unsigned g) const {
    unsigned const thread = threadIdx.x;
    if (call.kind == counter_kind::halves)
      return thread < 64 ? (g * 32 + thread % 32) * 2 + thread / 32 : call.places;
    if (call.kind == counter_kind::totals) return g * blockDim.x + thread;
    return thread < 32 ? g * 32 + thread : call.places;
  }
};

/// Stores the counts if nothing failed, and what is outside. If a count can be too large, there is
/// one block, which looks for the first that is.
template <bool refuses, class Counts, class Out>
__device__ void store_sums(count_call const& call, Counts const& counts,
                           refused_elements const& refused, Out const& out, sums_memory& shared) {
  using U = std::remove_cvref_t<decltype(out[0])>;
  constexpr auto most = static_cast<word>(detail::largest<U>);
  unsigned too_large = ~0U;
  if (call.reports && call.size() > most) {
    if (threadIdx.x == 0) shared.first_too_large = ~0U;
    __syncthreads();  // it is cleared
    auto const find = [&](unsigned place, word count) {
      unsigned const bin = place - call.offset;
      if (bin < call.bins && count > most) atomicMin(&shared.first_too_large, bin);
    };
    if constexpr (std::is_same_v<Counts, left_counts>)
      counts.for_each(find, false);
    else
      counts.for_each(find);
    __syncthreads();  // it is known
    too_large = shared.first_too_large;
  }
  bool const failed = refused.count > 0 || too_large != ~0U;
  auto* const report = reinterpret_cast<count_report*>(call.outside);
  counts.for_each([&](unsigned place, word count) {
    unsigned const bin = place - call.offset;
    if (bin < call.bins) {
      if (!failed) out[bin] = static_cast<U>(count);
      if (call.reports && bin == too_large) report->largest = count;
    } else if (!refuses) {
      call.outside[place == 0 ? 0 : place - call.bins] = count;
    }
  });
  if (blockIdx.x > 0 || threadIdx.x > 0) return;
  if (refuses) call.outside[0] = refused.count;
  if (!call.reports) return;
  report->first_refused = refused.first;
  report->too_large = too_large == ~0U ? ~word{0} : too_large;
}

}  // namespace upsweep::device
