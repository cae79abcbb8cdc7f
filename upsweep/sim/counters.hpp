/// The emulator's counters, of a launch, a block or a source line.
#pragma once

#include <cstdint>

namespace upsweep::sim {

/// Exact counts of the source as written. A step is a warp instruction: one instruction, executed
/// by the lanes that reach it together. A request is a step that accesses memory; an element wider
/// than its alignment or than 16 bytes takes several requests.
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

}  // namespace upsweep::sim
