/// The checks of a solution, and in sentences why a run is wrong.
#pragma once

#include <lab/grading/exercise.hpp>
#include <lab/program/program.hpp>
#include <upsweep/sim/options.hpp>

#include <cstdint>
#include <string>
#include <vector>

namespace upsweep::lab::grading {

/// One process: runs of a case at some sizes, under one schedule.
struct process_request {
  std::string which;  ///< the case
  std::vector<std::uint64_t> sizes;
  std::uint64_t seed = 0;  ///< of the input
  sim::schedule how = sim::schedule::in_order;
  std::uint64_t schedule_seed = 0;
  unsigned resident = 16;
  bool count = false;
};

/// A check is worth points and consists of a few processes.
struct check {
  std::string title;
  int points = 0;
  std::vector<process_request> processes;
  budget const* limit = nullptr;  ///< of the only run
};

/// All checks of an exercise, in teaching order. `seed` determines the input, the random sizes and
/// the random schedules. The exercise must outlive them.
[[nodiscard]] std::vector<check> checks_of(exercise const& e, std::uint64_t seed);

/// The sizes that are hidden from students: around a warp and a tile, several tiles, and a few
/// drawn from `seed`.
[[nodiscard]] std::vector<std::uint64_t> hidden_sizes(exercise const& e, std::uint64_t seed);

/// Why a check failed; all fields are empty if it passed.
struct verdict {
  std::string kind;      ///< "race in a block", "wrong result", "budget", "time limit" ...
  std::string sentence;  ///< what happened
  std::string advice;    ///< what to look for; may be empty
  std::vector<sim::source_position> places;
  std::string run;  ///< "n = 1000, sum, in order"

  [[nodiscard]] bool passed() const { return sentence.empty(); }
};

/// Judges the runs of one process, up to the first that is wrong. A finding takes precedence over a
/// wrong value, because it explains the value or shows that a right one is luck. `seconds` was the
/// time limit.
[[nodiscard]] verdict judge(exercise const& e, check const& c, process_request const& asked,
                            program_outcome const& got, double seconds);

/// What to look for; empty if there is nothing to say.
[[nodiscard]] std::string advice_on(sim::finding const& f);

}  // namespace upsweep::lab::grading
