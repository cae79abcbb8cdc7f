/// The measurement: every competitor is verified; then all are timed in turn, once per round, so
/// that disturbances of the machine affect all of them.
#pragma once

#include <bench/harness/competitor.hpp>
#include <bench/harness/data.hpp>
#include <bench/rows/tables.hpp>
#include <bench/rows/verb_rows.hpp>

#include <cstddef>
#include <functional>
#include <string>
#include <vector>

namespace upsweep::bench {

/// The median and the quartiles. Every figure shows the quartiles as its error range.
struct sample {
  double low = 0;
  double median = 0;
  double high = 0;
};

/// Quartiles by linear interpolation between the ordered values. Throws std::invalid_argument if
/// there are no values.
[[nodiscard]] sample summary(std::vector<double> values);

/// The summary of the ratios numerator[r] / denominator[r]. A disturbance of a whole round cancels
/// out in them, but not in the ratio of two medians. Throws std::invalid_argument unless both have
/// the same number of rounds.
[[nodiscard]] sample ratio(std::vector<double> const& numerator,
                           std::vector<double> const& denominator);

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

/// One row of `bench verbs` at one size.
struct verb_cell {
  std::string verb, op, type, data;  ///< "windowed", "max", "f32", "100 wide"
  std::string title;                 ///< all of them
  std::size_t n = 0;
  bool cold = false;        ///< as in cell
  std::size_t traffic = 0;  ///< bytes that a call must read and write
  std::vector<series> all{};
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

/// Runs rounds in which every correct contestant times one batch, each round in another random
/// order: what a contestant finds in the caches depends on the one before it, also after a
/// first call that is not timed.
void take_turns(std::vector<contestant>& all, slots& memory, settings const& s);

/// Times `w` on n elements on the CPU. Lays out and fills the arena, whose size must be at
/// least footprint(w, n) plus 16 KiB.
[[nodiscard]] cell measure(work const& w, std::size_t n, std::vector<competitor> const& competitors,
                           arena& memory, team& t, settings const& s);

/// Times a row of `bench verbs` in the same way, in memory of its own.
[[nodiscard]] verb_cell measure_verb(verb_row const& row, std::size_t n,
                                     std::vector<competitor> const& competitors, int threads,
                                     settings const& s);

/// The largest footprint that is measured: 2 GiB or a third of the memory, whichever is smaller.
[[nodiscard]] std::size_t largest_footprint(std::size_t available_memory);

/// Called before each cell with its index, the number of cells, the work and n. Returning false
/// ends the run early.
using observer =
    std::function<bool(std::size_t done, std::size_t total, work const& w, std::size_t n)>;
/// Called with each result.
using collector = std::function<void(cell const&)>;

/// Measures every cell of the rows whose footprint is at most `largest`. Each cell may use a few
/// times an equal share of the remaining time, so short cells leave time for long ones.
void measure_all(std::vector<row> const& rows, std::vector<competitor> const& competitors, team& t,
                 settings s, double seconds, std::size_t largest, observer const& before,
                 collector const& after);

/// The same for all rows of `bench verbs`, at all sizes that they take.
void measure_verbs(std::vector<verb_row> const& rows, std::vector<std::size_t> const& sizes,
                   std::vector<competitor> const& competitors, int threads, settings s,
                   double seconds,
                   std::function<bool(std::size_t done, std::size_t total, verb_row const&,
                                      std::size_t n)> const& before,
                   std::function<void(verb_cell const&)> const& after);

/// The bandwidth in GB/s (10^9 bytes) of a call that takes `seconds`.
[[nodiscard]] double gigabytes_per_second(work const& w, std::size_t n, double seconds);

}  // namespace upsweep::bench
