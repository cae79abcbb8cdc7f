/// What a machine has to say about its launches: counts, and findings in sentences.
#pragma once

#include <upsweep/sim/counters.hpp>
#include <upsweep/sim/trace.hpp>

#include <map>
#include <stdexcept>

namespace upsweep::sim {

/// What is wrong with a kernel.
enum class finding_kind {
  race_in_block,        ///< two threads of a block, at least one writes, nothing orders them
  race_between_blocks,  ///< the same across blocks
  missing_fence,  ///< a flag orders the threads, but no fence (or release/acquire) orders the data
                  ///< with it
  out_of_bounds,
  misaligned,
  uninitialised_read,
  barrier_divergence,   ///< threads of a block wait at different barriers
  left_before_barrier,  ///< a thread has returned, others wait at a barrier
  missing_lane,    ///< a warp operation names a lane that does not come, or reads one outside the
                   ///< mask
  deadlock,        ///< nobody can go on
  no_progress,     ///< everybody who can go on polls in vain, or a loop does not end
  broken_promise,  ///< independent_blocks was promised, and blocks communicate
  trap,
  stack_overflow,
};
[[nodiscard]] char const* name_of(finding_kind kind);

/// One mistake, however often it was met: merged by kind and source positions.
struct finding {
  finding_kind kind;
  std::string sentence;    ///< of the first occurrence
  source_position first;   ///< earlier side of a race; the place of everything else
  source_position second;  ///< later side of a race; otherwise unknown
  std::uint64_t occurrences = 1;
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

struct launch_report {
  std::string name;
  simt::launch_shape shape;
  counters total;
  std::map<std::string, element_counts> buffers;  ///< by name; shared arrays are "shared:LINE"
  std::vector<line_counts> lines;                 ///< in source order
  std::vector<counters> blocks;                   ///< by block number
};

struct report {
  std::vector<launch_report> launches;
  std::vector<finding> findings;
  sim::trace trace;

  /// All launches, one after the other.
  [[nodiscard]] counters total() const {
    counters sum;
    for (auto const& launch : launches) add_after(sum, launch.total);
    return sum;
  }
};

/// A launch that could not be finished; what() is the sentence of the finding, which the report
/// holds too.
class kernel_failure : public std::runtime_error {
 public:
  kernel_failure(finding_kind kind, std::string const& sentence)
      : std::runtime_error(sentence), kind_(kind) {}
  [[nodiscard]] finding_kind kind() const noexcept { return kind_; }

 private:
  finding_kind kind_;
};

}  // namespace upsweep::sim
