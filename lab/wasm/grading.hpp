/// Grades exercises by the tool's graders.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>

namespace upsweep::lab {

/// The page asks in this order:
///
/// - `grade` with {rules, checker, text, file, seed, seconds}: the checker to compile, in which the
///   text is the file that it includes;
/// - `grade_compiled` with {error}, empty if it compiles;
/// - `grade_outcome` with {lines, printed, failure, status, stopped} of each process.
///
/// The answers to the latter two have the next `process`, options of `program`; or the `grade` as
/// in `upsweep grade --json`, and as `text`. So has the first if the text is not allowed.
[[nodiscard]] nlohmann::ordered_json answer_grading(std::string const& verb,
                                                    nlohmann::ordered_json const& wanted);

}  // namespace upsweep::lab
