/// The exercises' rules and checkers, embedded in the tool: a student cannot change them.
#pragma once

#include <span>
#include <string_view>

namespace upsweep::lab::grading {

struct embedded_exercise {
  std::string_view name;     ///< "exercises/02-missing-barrier/exercise.json"
  std::string_view rules;    ///< the text of exercise.json
  std::string_view checker;  ///< of check.cu
};

[[nodiscard]] std::span<embedded_exercise const> embedded_exercises();

}  // namespace upsweep::lab::grading
