/// A machine's report on its launches: counts and findings.
#pragma once

#include <upsweep/sim/counters.hpp>
#include <upsweep/sim/trace.hpp>

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

namespace upsweep::sim {

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
