/// What the tool carries for grading: the rules of the exercises, and the files that it compiles
/// around a kernel.
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
