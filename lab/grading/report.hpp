/// Grades for a terminal, and for the programs that collect those of a class.
#pragma once

#include <lab/grading/grade.hpp>

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

namespace upsweep::lab::grading {

/// Points check by check, then the first failure in sentences, with the lines of the kernel that it
/// is about.
[[nodiscard]] std::string text_of(grade const& g);

/// {"exercises": [...], "points", "of", "passed"}; docs/exercises.md lists the keys.
[[nodiscard]] nlohmann::ordered_json json_of(std::vector<grade> const& all);

/// JUnit's XML: a suite for each exercise, a test case for each check and one for the compiler.
[[nodiscard]] std::string junit_of(std::vector<grade> const& all);

}  // namespace upsweep::lab::grading
