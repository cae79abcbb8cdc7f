/// Which lanes of a warp step together: the paths of its lanes, aligned loop by loop.
///
/// A warp runs what its lanes have in common together, and what they have not one after the other;
/// it comes together again behind every branch and every loop. From the paths of one segment, and
/// from nothing else, follows the control-flow graph of that segment; from the graph its nest of
/// loops; and the lanes that are furthest back in (loop, iteration, place) go first. A segment's
/// steps are therefore a function of its own logs: no earlier launch and no schedule changes them.
#pragma once

#include <upsweep/sim/paths.hpp>

#include <array>

namespace upsweep::sim {

inline constexpr unsigned warp_lanes = 32;
/// By lane; null where a lane has done nothing.
using warp_paths = std::array<path const*, warp_lanes>;

/// What the lanes of `mask` do together.
struct aligned_step {
  path_event const* event = nullptr;  ///< of its first lane
  std::uint32_t mask = 0;
  std::array<std::uint32_t, warp_lanes> record{};  ///< by lane, where the mask has it
};

/// The steps of paths that differ.
[[nodiscard]] std::vector<aligned_step> align(warp_paths const& paths);

/// Where the lanes stand in a segment whose logs are aligned piece by piece, because they would
/// become too long.
struct partial_segment {
  struct lane_state {
    log_word last = 0;  ///< the word it has done last; 0 at the start
    std::unordered_map<log_word, unsigned>
        iteration;  ///< of each loop, by the word at its beginning
  };
  std::array<lane_state, warp_lanes> lanes;
  std::vector<std::pair<log_word, log_word>> edges;  ///< of the graph, seen so far
};

/// Aligns as far as the logs of the `open` lanes, which will go on, allow. Says how many words of
/// each lane are done.
[[nodiscard]] std::vector<aligned_step> align_part(warp_paths const& paths, std::uint32_t open,
                                                   partial_segment& state,
                                                   std::array<std::size_t, warp_lanes>& done);

/// Remembers alignments: divergence repeats from block to block.
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
