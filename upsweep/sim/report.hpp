/// A machine's report on its launches: counts and findings.
#pragma once

#include <upsweep/sim/trace.hpp>

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

namespace upsweep::sim {

/// Exact counts of a launch, a block or a source line, of the source as written. A step is a warp
/// instruction: one instruction, executed by the lanes that reach it together. A request is a step
/// that accesses memory; an element wider than its alignment or than 16 bytes takes several
/// requests.
struct counters {
  std::uint64_t steps = 0;            ///< warp instructions
  std::uint64_t active_lanes = 0;     ///< summed over all steps
  std::uint64_t divergent_steps = 0;  ///< steps of only some of the warp's threads; the others are
                                      ///< elsewhere or have returned

  std::uint64_t shared_requests = 0;
  std::uint64_t shared_wavefronts = 0;  ///< passes through the 32 banks
  std::uint64_t shared_conflicts =
      0;  ///< wavefronts beyond those of the same accesses without a bank conflict
  std::uint64_t shared_loads = 0;  ///< elements
  std::uint64_t shared_stores = 0;

  std::uint64_t global_requests = 0;
  std::uint64_t sectors_loaded = 0;  ///< of 32 bytes
  std::uint64_t sectors_stored = 0;
  std::uint64_t lines_loaded = 0;  ///< of 128 bytes
  std::uint64_t lines_stored = 0;
  std::uint64_t global_loads = 0;  ///< elements
  std::uint64_t global_stores = 0;
  std::uint64_t elements_loaded = 0;  ///< the same as global_loads, but what several lanes load
                                      ///< together counts once, as its sector

  std::uint64_t atomics = 0;          ///< atomic accesses of lanes, to shared and global memory
  std::uint64_t atomic_requests = 0;  ///< warp instructions with atomics
  std::uint64_t atomic_rounds = 0;  ///< serialized passes: lanes that access one address take turns
  std::uint64_t polls = 0;  ///< atomic loads that returned the same value again; they depend on the
                            ///< schedule, and no other counter includes them

  std::uint64_t shuffles = 0;  ///< warp instructions
  std::uint64_t votes = 0;  ///< ballots, all, any, matches and warp reductions; warp instructions
  std::uint64_t warp_syncs = 0;
  std::uint64_t barriers = 0;          ///< of blocks
  std::uint64_t cluster_barriers = 0;  ///< of clusters, counted in their first block
  std::uint64_t fences = 0;            ///< warp instructions

  std::uint64_t operator_steps = 0;  ///< warp instructions that apply the operator
  std::uint64_t applications = 0;    ///< of the operator: the work
  std::uint64_t span =
      0;  ///< the longest chain of dependent applications: the steps of the literature

  /// Warp execution efficiency: the fraction of the 32 lanes that were active, over all steps.
  [[nodiscard]] double efficiency() const {
    return steps == 0 ? 1.0
                      : static_cast<double>(active_lanes) / (32.0 * static_cast<double>(steps));
  }

  friend bool operator==(counters const&, counters const&) = default;
};

/// Calls `f(a.x, b.x)` for every counter except the span.
template <class Counters, class F>
void for_each_count(Counters& a, counters const& b, F const& f) {
  f(a.steps, b.steps), f(a.active_lanes, b.active_lanes), f(a.divergent_steps, b.divergent_steps);
  f(a.shared_requests, b.shared_requests), f(a.shared_wavefronts, b.shared_wavefronts),
      f(a.shared_conflicts, b.shared_conflicts);
  f(a.shared_loads, b.shared_loads), f(a.shared_stores, b.shared_stores);
  f(a.global_requests, b.global_requests), f(a.sectors_loaded, b.sectors_loaded),
      f(a.sectors_stored, b.sectors_stored);
  f(a.lines_loaded, b.lines_loaded), f(a.lines_stored, b.lines_stored);
  f(a.global_loads, b.global_loads), f(a.global_stores, b.global_stores),
      f(a.elements_loaded, b.elements_loaded);
  f(a.atomics, b.atomics), f(a.atomic_requests, b.atomic_requests),
      f(a.atomic_rounds, b.atomic_rounds), f(a.polls, b.polls);
  f(a.shuffles, b.shuffles), f(a.votes, b.votes), f(a.warp_syncs, b.warp_syncs);
  f(a.barriers, b.barriers), f(a.cluster_barriers, b.cluster_barriers), f(a.fences, b.fences);
  f(a.operator_steps, b.operator_steps), f(a.applications, b.applications);
}

/// Adds what ran concurrently with `a`: counts add, the span is the maximum.
inline void add_beside(counters& a, counters const& b) {
  for_each_count(a, b, [](std::uint64_t& x, std::uint64_t y) { x += y; });
  if (a.span < b.span) a.span = b.span;
}

/// Adds what ran after `a`: counts and spans add.
inline void add_after(counters& a, counters const& b) {
  for_each_count(a, b, [](std::uint64_t& x, std::uint64_t y) { x += y; });
  a.span += b.span;
}

/// The kinds of mistakes that the emulator reports.
enum class finding_kind {
  race_in_block,        ///< unordered accesses by two threads of a block, at least one a write
  race_between_blocks,  ///< the same across blocks
  missing_fence,  ///< a flag orders the threads, but no fence (or release/acquire) orders the data
  out_of_bounds,
  misaligned,
  wrong_memory,  ///< a kernel accesses the host's memory, or the host a buffer
  uninitialized_read,
  barrier_divergence,   ///< threads of a block wait at different barriers
  left_before_barrier,  ///< a thread has returned while others wait at a barrier
  missing_lane,    ///< a lane in the mask of a warp operation does not arrive, or a lane outside
                   ///< the mask is read
  deadlock,        ///< no thread can continue
  no_progress,     ///< all threads that can continue poll in vain, or a loop does not end
  broken_promise,  ///< blocks of a launch with independent_blocks communicate
  trap,            ///< __trap(), or an assert() that fails
  misuse,          ///< a word is used in a way that CUDA does not define
  refused_call,    ///< a launch or a call of the host that a GPU refuses
  stack_overflow,
};
[[nodiscard]] char const* name_of(finding_kind kind);

/// A thread of a launch by its linear numbers.
struct thread_number {
  std::uint64_t block = 0;
  unsigned thread = 0;

  friend bool operator==(thread_number const&, thread_number const&) = default;
};

/// One mistake; occurrences with the same kind and source positions are merged.
struct finding {
  static constexpr std::size_t no_launch = ~std::size_t{0};

  finding_kind kind;
  std::string sentence;    ///< of the first occurrence
  source_position first;   ///< earlier access of a race; the position of any other finding
  source_position second;  ///< later access of a race; otherwise unknown
  std::uint64_t occurrences = 1;
  std::size_t launch = no_launch;  ///< the number of the launch in which it was found first
  /// Who made the first and the second access of a race; `first` alone of any other finding.
  std::optional<thread_number> first_thread{}, second_thread{};
  /// Of races: the memory and what to do; those that have it in common have one cause.
  std::string group{};
  std::uint64_t others = 0;  ///< of its group, which grouped() has left out
};

struct element_counts {
  std::uint64_t loads = 0;
  std::uint64_t stores = 0;
  std::uint64_t atomics = 0;
};

struct line_counts {
  source_position line;
  counters counts;
};

/// Where the counts of a launch are from.
enum class launch_source {
  measured,
  repeated,   ///< it did not run: the one before had found the same memory and left it as it was
  unmeasured  ///< it ran without counts and checks; the counts are those of an earlier launch
};

struct launch_report {
  std::string name;
  simt::launch_shape shape;
  source_position at;                     ///< of a module's launch: its line in the host's code
  std::size_t declared_shared_bytes = 0;  ///< of the shared arrays that a block has used
  launch_source source = launch_source::measured;
  counters total;
  std::uint64_t longest_warp = 0;  ///< the most steps of one warp
  /// Of asynchronous copies for which threads have waited without an access since the start.
  std::uint64_t exposed_copy_bytes = 0;
  std::map<std::string, element_counts>
      buffers;                     ///< keyed by name; shared arrays are "shared:LINE"
  std::vector<line_counts> lines;  ///< in source order
  std::vector<counters> blocks;    ///< indexed by block number
};

struct report {
  std::vector<launch_report> launches;
  std::vector<finding> findings;
  sim::trace trace;

  /// The counts of all launches, in sequence.
  [[nodiscard]] counters total() const {
    counters sum;
    for (auto const& launch : launches) add_after(sum, launch.total);
    return sum;
  }
};

/// One finding for all of a group in launches of one kernel: the first, with the occurrences of
/// all.
[[nodiscard]] std::vector<finding> grouped(report const& all);

/// A launch that could not be completed; what() is the sentence of the finding, which is also in
/// the report.
class kernel_failure : public std::runtime_error {
 public:
  kernel_failure(finding_kind kind, std::string const& sentence)
      : std::runtime_error(sentence), kind_(kind) {}
  [[nodiscard]] finding_kind kind() const noexcept { return kind_; }

 private:
  finding_kind kind_;
};

}  // namespace upsweep::sim
