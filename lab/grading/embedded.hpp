/// Files embedded in the tool for grading: the rules of the exercises, and the harness that is
/// compiled around a kernel.
#pragma once

#include <span>
#include <string_view>

namespace upsweep::lab::grading {

struct embedded_file {
  std::string_view name;
  std::string_view text;
};

/// exercises/*/exercise.json.
[[nodiscard]] std::span<embedded_file const> embedded_exercises();
/// lab/grading/harness/*.
[[nodiscard]] std::span<embedded_file const> embedded_harness();

}  // namespace upsweep::lab::grading
