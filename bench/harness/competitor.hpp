/// The participants of a measurement, on any device.
#pragma once

#include <bench/harness/call.hpp>
#include <bench/harness/data.hpp>
#include <bench/rows/work.hpp>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>

namespace upsweep::bench {

class verb_memory;
struct verb_row;

enum class role { upsweep, peer, limit };
[[nodiscard]] char const* name_of(role);

/// Makes a call `repeats` times on memory from the slots, and returns the total time in seconds by
/// the clock of its device.
using timed_run = std::function<double(slots& memory, std::size_t repeats)>;

/// How a competitor does a row of `bench verbs`.
struct verb_attempt {
  /// As timed_run, on memory of its own. The time is without what must be done before a call
  /// that changes its elements. Empty if the competitor cannot do the row.
  std::function<double(std::size_t repeats)> time{};
  std::function<call()> result{};  ///< makes one call; empty for limits
};
/// `memory` outlives the attempt.
using find_verb_function =
    std::function<verb_attempt(verb_row const&, std::size_t n, verb_memory& memory)>;

/// An implementation that is measured.
struct competitor {
  std::string name;   ///< "tbb"
  std::string title;  ///< "oneTBB"
  bench::role role = bench::role::peer;
  bool spins =
      false;  ///< its threads spin after a call: wait until they sleep before timing others
  /// Returns how to do this work on n elements; empty if the competitor cannot.
  std::function<timed_run(work const&, std::size_t n)> find{};
  find_verb_function find_verb{};  ///< empty if it takes no part in `bench verbs`
  /// The checksum of the last result, for a competitor in another process; usually empty, and then
  /// the output is read.
  std::function<std::uint64_t()> own_checksum{};
  /// It combines in another order than the combine tree: of operators that round, its results are
  /// compared with a tolerance.
  bool reorders = false;
  int threads = 0;  ///< of its own, in a comparison of numbers of threads
};

/// A requested competitor that is not available, and why.
struct absence {
  std::string name;
  std::string reason;
};

/// Calls on the CPU, by the host's clock. All repeats use one slot: calls that are short
/// enough to be repeated are measured with warm caches.
[[nodiscard]] timed_run timed(std::function<void(call const&, std::size_t repeats)> run,
                              std::size_t n, int threads);

/// The same for verbs, whose calls take the memory of the row in rotation. `entries` outlive it; 0
/// threads: as the memory says.
[[nodiscard]] find_verb_function timed_verbs(verb_entries entries, int threads = 0);

/// The entry of a row, or null if there is none or if it would take too long.
[[nodiscard]] verb_entry const* entry_for(verb_entries all, verb_row const& row, std::size_t n);

}  // namespace upsweep::bench
