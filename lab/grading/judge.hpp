/// Compares what a run gave with what it should have given, and says what is wrong in sentences.
#pragma once

#include <lab/grading/checks.hpp>
#include <lab/grading/results.hpp>

#include <string>
#include <vector>

namespace upsweep::lab::grading {

/// Why a check failed. All of it is empty when it did not.
struct verdict {
  std::string kind;      ///< "race in a block", "wrong result", "budget", "time limit" ...
  std::string sentence;  ///< what happened
  std::string advice;    ///< what to look for; may be empty
  std::vector<place> places;
  std::string run;  ///< "sum of 1000 i32, in order"

  [[nodiscard]] bool passed() const { return sentence.empty(); }
};

/// The run in words.
[[nodiscard]] std::string describe(run_request const& r);

/// One run of a check. A finding comes before a wrong value: it says why the value is wrong, or
/// only luck made it right.
[[nodiscard]] verdict judge(exercise const& e, check const& c, run_request const& asked,
                            run_result const& got);

}  // namespace upsweep::lab::grading
