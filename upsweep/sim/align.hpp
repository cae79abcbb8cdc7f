/// Which lanes of a warp step together: the paths of its lanes, aligned loop by loop.
///
/// The lanes of a warp run common code together and divergent code one part after the other; they
/// reconverge after every branch and every loop. The control-flow graph of a segment is built from
/// the paths of that segment alone, and its loop nest from the graph. The lanes that are furthest
/// back in (loop, iteration, topological position) go first. A segment's steps are therefore a
/// function of its own logs: no earlier launch and no schedule changes them.
#pragma once

#include <upsweep/sim/paths.hpp>

#include <array>
#include <cstddef>
#include <cstdint>
#include <unordered_map>
#include <utility>
#include <vector>

namespace upsweep::sim {

inline constexpr unsigned warp_lanes = 32;
/// Indexed by lane; null where a lane has done nothing.
using warp_paths = std::array<path const*, warp_lanes>;

/// What the lanes of `mask` do together.
struct aligned_step {
  path_event const* event = nullptr;  ///< of its first lane
  std::uint32_t mask = 0;
  std::array<std::uint32_t, warp_lanes> record{};  ///< index of its record, for the lanes of `mask`
};

/// The steps of a warp whose paths differ.
[[nodiscard]] std::vector<aligned_step> align(warp_paths const& paths);

/// The state of a segment that is aligned in parts because its logs would become too long.
struct partial_segment {
  struct lane_state {
    log_word last = 0;  ///< the last word that it has completed; 0 at the start
    std::unordered_map<log_word, unsigned>
        iteration;  ///< of each loop, keyed by the word of its header
  };
  std::array<lane_state, warp_lanes> lanes;
  std::vector<std::pair<log_word, log_word>> edges;  ///< of the graph so far
};

/// Aligns as far as is possible while the lanes of `open` have yet to continue, of which those of
/// `waiting` poll. `done` receives the number of words of each lane that have been consumed.
[[nodiscard]] std::vector<aligned_step> align_part(warp_paths const& paths, std::uint32_t open,
                                                   std::uint32_t waiting, partial_segment& state,
                                                   std::array<std::size_t, warp_lanes>& done);

/// Caches alignments: divergence repeats from block to block.
class alignment_table {
 public:
  [[nodiscard]] std::vector<aligned_step> const& find(warp_paths const& paths);
  void clear();

 private:
  struct key_hash {
    [[nodiscard]] std::size_t operator()(warp_paths const& key) const;
  };
  std::unordered_map<warp_paths, std::vector<aligned_step>, key_hash> known_;
  std::size_t steps_ = 0;
};

}  // namespace upsweep::sim
