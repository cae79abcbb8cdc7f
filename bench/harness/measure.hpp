/// The measurement: every competitor is verified, then all take turns, once a round, so that what
/// disturbs the machine disturbs them alike.
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
  std::vector<double> seconds{};  ///< of one call, one value for each round
  /// How its result differs from the expected one; it is not timed then. Empty for correct results
  /// and for limits, which compute nothing.
  std::string difference{};

  [[nodiscard]] bool correct() const { return difference.empty(); }
};

/// One work at one size.
struct cell {
  bench::work work;
  std::size_t n = 0;
  bool cold = false;  ///< consecutive calls used different memory, together more than the caches
  std::vector<series> all{};
  /// On a GPU "plain", "graph", or "host", which is how long a plain call keeps the host busy.
  std::string launch{};

  /// Of a competitor that was timed, or null.
  [[nodiscard]] series const* find(std::string const& name) const;
  /// The limit with the smallest median, or null.
  [[nodiscard]] series const* limit() const;
  /// The correct peer with the smallest median, or null.
  [[nodiscard]] series const* best_peer() const;
};

struct settings {
  std::size_t cache_bytes = 0;       ///< of the largest cache
  std::size_t cold_from = 1u << 24;  ///< elements; or as soon as the data exceed the largest cache
  double batch_seconds = 200e-6;  ///< short calls are repeated until they take this long together
  std::size_t least_repeats = 1, most_repeats = 1000000;  ///< ... within these bounds
  double cell_seconds = 0.25;                             ///< rounds go on until this is spent ...
  int least_rounds = 3, most_rounds = 15;                 ///< ... within these bounds
  bool warms_up = true;  ///< an untimed batch comes before every timed one
};

/// A competitor while it takes turns.
struct contestant {
  series times;
  timed_run run;
  bool spins = false;
  double once = 0;  ///< seconds of a call, as known so far
};

/// Finds how many calls make a batch. The contestant has been called before.
void calibrate(contestant& c, slots& memory, settings const& s);

/// Rounds in which every correct contestant times one batch, another one first in each.
void take_turns(std::vector<contestant>& all, slots& memory, settings const& s);

/// Times `w` on n elements on the processor. The arena is laid out and filled here; its size must
/// be footprint(w, n) plus 16 KiB at least.
[[nodiscard]] cell measure(work const& w, std::size_t n, std::vector<competitor> const& competitors,
                           arena& memory, team& t, settings const& s);

/// GB/s (10^9 bytes) at `seconds` for one call.
[[nodiscard]] double gigabytes_per_second(work const& w, std::size_t n, double seconds);

}  // namespace upsweep::bench
