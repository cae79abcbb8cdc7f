/// The measurement: every competitor is verified, then all take turns, once a round, so that what
/// disturbs the machine disturbs them alike.
#pragma once

#include <bench/harness/data.hpp>
#include <bench/harness/sample.hpp>
#include <bench/harness/work.hpp>

#include <cstddef>
#include <functional>
#include <string>
#include <vector>

namespace upsweep::bench {

enum class role { upsweep, peer, limit };

/// Makes a call some number of times and returns the seconds that took.
using timed_run = std::function<double(call const&, std::size_t repeats)>;

/// Something that may be able to do a work.
struct competitor {
  std::string name;   ///< "tbb"
  std::string title;  ///< "oneTBB"
  bench::role role = bench::role::peer;
  bool spins = false;  ///< whoever is timed next must wait until its threads have gone to sleep
  /// How to do this work on n elements; empty when it cannot.
  std::function<timed_run(work const&, std::size_t n)> find;
  /// Asked of a competitor whose results stay elsewhere (another process) instead of looking at
  /// `out`; usually empty.
  std::function<std::uint64_t()> own_checksum{};
};

/// The timings of one competitor at one cell.
struct series {
  std::string name;
  bench::role role = bench::role::peer;
  std::size_t repeats = 1;        ///< calls timed together
  std::vector<double> seconds{};  ///< of one call, one value for each round
  bool correct =
      true;  ///< limits compute nothing and are always correct; wrong results are not timed
};

/// One work at one size.
struct cell {
  bench::work work;
  std::size_t n = 0;
  bool cold =
      false;  ///< consecutive calls used different memory, together four times the largest cache
  std::vector<series> all{};

  [[nodiscard]] series const* find(std::string const& name) const;
  /// The limit with the smallest median, or null.
  [[nodiscard]] series const* limit() const;
  /// The correct peer with the smallest median, or null.
  [[nodiscard]] series const* best_peer() const;
};

struct settings {
  int threads = 1;
  std::size_t cache_bytes = 0;       ///< of the largest cache
  std::size_t cold_from = 1u << 24;  ///< elements; or as soon as the data exceed the largest cache
  double batch_seconds = 200e-6;  ///< short calls are repeated until they take this long together
  double cell_seconds = 0.25;     ///< rounds go on until this is spent ...
  int least_rounds = 3, most_rounds = 15;  ///< ... within these bounds
};

/// Times `w` on n elements. The arena is laid out and filled here; its size must be footprint(w, n)
/// plus 16 KiB at least.
[[nodiscard]] cell measure(work const& w, std::size_t n, std::vector<competitor> const& competitors,
                           arena& memory, team& t, settings const& s);

/// A timed_run around a function that only runs.
[[nodiscard]] timed_run timed(run_function run);

/// GB/s (10^9 bytes) at `seconds` for one call.
[[nodiscard]] double gigabytes_per_second(work const& w, std::size_t n, double seconds);

}  // namespace upsweep::bench
