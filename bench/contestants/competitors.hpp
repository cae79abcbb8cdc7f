/// Who is measured on the CPU: Upsweep, the limits of the machine, which are loops that only read,
/// copy or update memory, and the available peers.
#pragma once

#include <bench/harness/competitor.hpp>
#include <bench/harness/team.hpp>

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

namespace upsweep::bench {

/// The sum of the 64-bit words at `in`, in four accumulators of the widest vectors of the machine.
/// `bytes` is a multiple of 8.
[[nodiscard]] unsigned long long read_loop(void const* in, std::size_t bytes);

/// Copies with ordinary stores (memcpy).
void cached_copy(void const* in, void* out, std::size_t bytes);

/// Copies with non-temporal stores, if the CPU has them. Both addresses and `bytes` are
/// multiples of 16.
void streaming_copy(void const* in, void* out, std::size_t bytes);

/// Adds one to every 64-bit word in place: each byte is read and written once.
void update_loop(void* data, std::size_t bytes);

/// The same four by all members of a team, each on its share.
void read_loop(team& t, void const* in, std::size_t bytes);
void cached_copy(team& t, void const* in, void* out, std::size_t bytes);
void streaming_copy(team& t, void const* in, void* out, std::size_t bytes);
void update_loop(team& t, void* data, std::size_t bytes);

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
