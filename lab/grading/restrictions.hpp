/// What a student's text may not contain: words that the exercise forbids, and words that would
/// change the checker.
#pragma once

#include <lab/grading/exercise.hpp>

#include <string>
#include <string_view>

namespace upsweep::lab::grading {

/// The first thing in `text` that is not allowed, as "kernel.cu:12: sentence"; else empty. `name`
/// is what messages call the text.
[[nodiscard]] std::string refusal(exercise const& e, std::string_view text,
                                  std::string const& name);

}  // namespace upsweep::lab::grading
