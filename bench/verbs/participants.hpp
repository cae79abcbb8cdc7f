/// Who takes part in `upsweep bench verbs`.
#pragma once

#include <bench/harness/competitor.hpp>
#include <bench/harness/team.hpp>
#include <bench/verbs/call.hpp>
#include <bench/verbs/memory.hpp>
#include <bench/verbs/rows.hpp>

#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace upsweep::bench {

/// How a participant does one row.
struct verb_attempt {
  /// Makes so many calls and returns their time in seconds, without what must be done in front of
  /// a call that changes its elements. Empty if the participant cannot do the row.
  std::function<double(std::size_t repeats)> time{};
  std::function<verb_call()> result{};  ///< makes one call; empty for limits
};

struct verb_participant {
  std::string name, title;
  bench::role role = bench::role::peer;
  bool spins = false;  ///< as in competitor
  /// `memory` outlives the attempt.
  std::function<verb_attempt(verb_row const&, std::size_t n, verb_memory& memory)> find{};
};

/// The entry of a row, or null if there is none or if it would take too long.
[[nodiscard]] verb_entry const* entry_for(verb_entries all, verb_row const& row, std::size_t n);

/// One whose calls are functions here. `entries` outlive it; 0 threads: as the memory says.
[[nodiscard]] verb_participant participant_of(std::string name, std::string title, role r,
                                              verb_entries entries, bool spins = false,
                                              int threads = 0);

/// "upsweep" on all threads and "upsweep-serial" on one.
[[nodiscard]] std::vector<verb_participant> our_participants();
/// "copy" and "stream" on one thread, and with the suffix "-all" on the team, which must outlive
/// them: copies that read and write as many bytes as a call must.
[[nodiscard]] std::vector<verb_participant> copying_participants(team& t);

/// Libraries of Python, which run on one thread.
inline constexpr char const* python_libraries[] = {"numpy", "scipy", "pandas", "bottleneck"};
/// One of them, in a process of `python` that times itself; nothing if it cannot import it.
[[nodiscard]] std::optional<verb_participant> python_participant(std::string const& library,
                                                                 std::string const& python);

struct found_verb_peers {
  std::vector<verb_participant> participants;
  std::vector<absence> absent;
};
/// The peers with these names, each limited to `threads` threads; "all" means every peer. Throws
/// std::invalid_argument for an unknown name.
[[nodiscard]] found_verb_peers verb_peers(std::vector<std::string> const& names, int threads);
/// Every name that verb_peers() accepts.
[[nodiscard]] std::vector<std::string> verb_peer_names();

}  // namespace upsweep::bench
