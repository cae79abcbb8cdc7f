/// Who is measured on the CPU: Upsweep, the limits of the machine, and the available peers.
#pragma once

#include <bench/harness/competitor.hpp>
#include <bench/harness/team.hpp>

#include <optional>
#include <string>
#include <vector>

namespace upsweep::bench {

/// "upsweep" (`threads` threads, reproducible), "upsweep-fast", "upsweep-serial". All but
/// "upsweep-fast" take part in `bench verbs`.
[[nodiscard]] std::vector<competitor> upsweep_competitors(int threads);

/// "read", "copy", "stream" (a copy with non-temporal stores) and "update" on one thread, and with
/// the suffix "-all" on the whole team, which must outlive them. In `bench verbs` the copies read
/// and write as many bytes as a call must.
[[nodiscard]] std::vector<competitor> limit_competitors(team& t);

/// 1, 2, 4, ... threads, and `most`.
[[nodiscard]] std::vector<int> thread_counts(int most);

/// "read", "copy", "stream" and "upsweep" for each of thread_counts(most), each with its number of
/// threads.
[[nodiscard]] std::vector<competitor> competitors_by_threads(int most);

/// A library of Python, which runs on one thread, in a process of `python` that times itself;
/// nothing if it cannot import it.
[[nodiscard]] std::optional<competitor> python_competitor(std::string const& library,
                                                          std::string const& python);

/// The benchmark of reductions and scans, and `bench verbs`.
enum class benchmark { operators, verbs };

struct found_peers {
  std::vector<competitor> competitors;
  std::vector<absence> absent;
};

/// The peers of the benchmark with these names, including the plain loop ("loop"), each limited to
/// `threads` threads. "all" means every peer. Throws std::invalid_argument for an unknown name.
[[nodiscard]] found_peers peers(benchmark of, std::vector<std::string> const& names, int threads);

/// Every name that peers() accepts, whether compiled in or not.
[[nodiscard]] std::vector<std::string> peer_names(benchmark of);

}  // namespace upsweep::bench
