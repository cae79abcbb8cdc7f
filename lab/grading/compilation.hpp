/// What became of a student's file before it ran, and the checks that need no compiler.
#pragma once

#include <lab/grading/submission.hpp>

#include <string>
#include <string_view>

namespace upsweep::lab::grading {

struct compilation {
  std::string module;      ///< the file; empty if the student's was refused
  bool is_allowed = true;  ///< false: it contains what the exercise forbids
  std::string error;  ///< "kernel.cu:12:5: error: ...", with the source line; ends in a newline

  [[nodiscard]] bool good() const { return error.empty(); }
};

/// Looks for a kernel and for forbidden words in `text`, that of the student's file `name`.
[[nodiscard]] compilation inspect(exercise const& task, std::string_view text,
                                  std::string const& name);

/// The checker, including the student's file by its own name. Throws data_error if the checker
/// does not include kernel.cu.
[[nodiscard]] std::string checker_including(exercise const& task, std::string const& name);

}  // namespace upsweep::lab::grading
