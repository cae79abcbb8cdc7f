/// Compares the results of a run with the expected ones, and explains a failure in sentences.
#pragma once

#include <lab/grading/checks.hpp>
#include <lab/grading/results.hpp>

#include <string>
#include <vector>

namespace upsweep::lab::grading {

/// Why a check failed; all fields are empty if it passed.
struct verdict {
  std::string kind;      ///< "race in a block", "wrong result", "budget", "time limit" ...
  std::string sentence;  ///< what happened
  std::string advice;    ///< what to look for; may be empty
  std::vector<place> places;
  std::string run;  ///< "sum of 1000 i32, in order"

  [[nodiscard]] bool passed() const { return sentence.empty(); }
};

/// A description of the run.
[[nodiscard]] std::string describe(run_request const& r);

/// Judges one run of a check. A finding takes precedence over a wrong value, because it explains
/// the value or shows that a right one is luck.
[[nodiscard]] verdict judge(exercise const& e, check const& c, run_request const& asked,
                            run_result const& got);

}  // namespace upsweep::lab::grading
