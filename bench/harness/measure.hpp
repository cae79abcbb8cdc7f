/// The measurement: every competitor is verified; then all are timed in turn, once per round, so
/// that disturbances of the machine affect all of them.
#pragma once

#include <bench/harness/competitor.hpp>
#include <bench/harness/data.hpp>
#include <bench/harness/sample.hpp>

#include <string>
#include <vector>

namespace upsweep::bench {

/// The timings of one competitor at one cell.
struct series {
  std::string name;
  bench::role role = bench::role::peer;
  std::size_t repeats = 1;        ///< calls timed together
  std::vector<double> seconds{};  ///< time of one call, one value per round
  /// How its result differs from the expected one; it is then not timed. Empty for correct results
  /// and for limits, which compute nothing.
  std::string difference{};
  int threads = 0;  ///< as in competitor

  [[nodiscard]] bool correct() const { return difference.empty(); }
};

/// The timings of one participant, or null if it was not timed.
[[nodiscard]] series const* find_series(std::vector<series> const& all, std::string const& name);
/// The one of these with the smallest median, or null.
[[nodiscard]] series const* fastest(std::vector<series> const& all, role wanted);

/// One work at one size.
struct cell {
  bench::work work;
  std::size_t n = 0;
  bool cold = false;  ///< consecutive calls used different memory, more in total than the caches
  std::vector<series> all{};
  /// On a GPU "plain", "graph", or "host": the host's time for a plain call.
  std::string launch{};

  /// The timings of a competitor, or null if it was not timed.
  [[nodiscard]] series const* find(std::string const& name) const;
  /// The limit with the smallest median, or null.
  [[nodiscard]] series const* limit() const;
  /// The correct peer with the smallest median, or null.
  [[nodiscard]] series const* best_peer() const;
};

struct settings {
  std::size_t cache_bytes = 0;       ///< size of the largest cache
  std::size_t cold_from = 1u << 24;  ///< n of cold calls; also if the data exceed the cache
  double batch_seconds = 200e-6;     ///< minimum time of a batch of repeated short calls
  std::size_t least_repeats = 1, most_repeats = 1000000;  ///< bounds of the calls in a batch
  double cell_seconds = 0.25;                             ///< time for the rounds of a cell
  int least_rounds = 3, most_rounds = 15;                 ///< bounds of the rounds of a cell
  bool warms_up = true;  ///< run an untimed batch before every timed one
};

/// The state of a competitor during the measurement of a cell.
struct contestant {
  series times;
  timed_run run;
  bool spins = false;
  double once = 0;  ///< estimated time of a call in seconds
};

/// Chooses the number of calls per batch. The contestant must have been called before.
void calibrate(contestant& c, slots& memory, settings const& s);

/// Runs rounds in which every correct contestant times one batch. A different one is first in each.
void take_turns(std::vector<contestant>& all, slots& memory, settings const& s);

/// Times `w` on n elements on the processor. Lays out and fills the arena, whose size must be at
/// least footprint(w, n) plus 16 KiB.
[[nodiscard]] cell measure(work const& w, std::size_t n, std::vector<competitor> const& competitors,
                           arena& memory, team& t, settings const& s);

/// The bandwidth in GB/s (10^9 bytes) of a call that takes `seconds`.
[[nodiscard]] double gigabytes_per_second(work const& w, std::size_t n, double seconds);

}  // namespace upsweep::bench
