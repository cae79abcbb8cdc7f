/// Grades as text for a terminal, and as JSON and JUnit XML for tools that collect those of a
/// class.
#pragma once

#include <lab/grading/grade.hpp>

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

namespace upsweep::lab::grading {

/// The points of each check, then the first failure in sentences with the lines of the kernel.
[[nodiscard]] std::string text_of(grade const& g);

/// {"exercises": [...], "points", "of", "passed"}; docs/exercises.md lists the keys.
[[nodiscard]] nlohmann::ordered_json json_of(std::vector<grade> const& all);

/// JUnit XML: a suite per exercise, a test case per check and one for the compiler.
[[nodiscard]] std::string junit_of(std::vector<grade> const& all);

}  // namespace upsweep::lab::grading
