/// Who takes part: Upsweep, the limits of the machine, and the peers that are there.
#pragma once

#include <bench/harness/competitor.hpp>
#include <bench/harness/team.hpp>

#include <string>
#include <vector>

namespace upsweep::bench {

/// "upsweep" (`threads` threads, reproducible), "upsweep-fast", "upsweep-serial".
[[nodiscard]] std::vector<competitor> upsweep_competitors(int threads);

/// "read", "copy", "stream" (copy past the caches) and "update" on one thread, and with "-all" on
/// the whole team, which must outlive them.
[[nodiscard]] std::vector<competitor> limit_competitors(team& t);

/// NumPy in a process of its own that times itself. Not there when `python` cannot import numpy.
[[nodiscard]] std::vector<competitor> numpy_competitors(std::string const& python);

struct found_peers {
  std::vector<competitor> competitors;
  std::vector<absence> absent;
};

/// The peers with these names, limited to `threads` threads each, the plain loop ("loop") among
/// them. "all" stands for every one. Throws std::invalid_argument for a name that no peer has.
[[nodiscard]] found_peers peers(std::vector<std::string> const& names, int threads);

/// Every name that peers() knows, compiled in or not.
[[nodiscard]] std::vector<std::string> peer_names();

}  // namespace upsweep::bench
