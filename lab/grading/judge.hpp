/// Explains in sentences why a run is wrong.
#pragma once

#include <lab/grading/checks.hpp>
#include <lab/program/outcome.hpp>

#include <string>
#include <vector>

namespace upsweep::lab::grading {

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
