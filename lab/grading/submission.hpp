/// A student's file, the exercise that it solves, and the checks that need no compiler.
#pragma once

#include <lab/grading/exercise.hpp>

#include <string>
#include <string_view>
#include <vector>

namespace upsweep::lab::grading {

struct submission {
  exercise task;
  std::string file;  ///< kernel.cu, or whatever the student calls it
};

/// The exercise of that name or number, or the one in that folder (exercise.json and check.cu).
/// Throws usage_error with the nearest name, and data_error for an invalid exercise.json.
[[nodiscard]] exercise exercise_named(std::string const& word);

/// The submission in `path`: a folder with kernel.cu, a .cu file, or the name or number of an
/// exercise in ./exercises. `which`, if not empty, names the exercise; else exercise.json beside
/// the file or the folder's name does. Throws as exercise_named.
[[nodiscard]] submission find_submission(std::string const& path, std::string const& which = {});
/// Every folder in `folder` with a kernel.cu, sorted by name. Throws usage_error if there is none.
[[nodiscard]] std::vector<submission> all_submissions(std::string const& folder,
                                                      std::string const& which = {});

/// The first thing in `text` that is not allowed, a word that the exercise forbids or one that
/// would change the checker, as "kernel.cu:12: sentence"; else empty. `name` is what messages call
/// the text.
[[nodiscard]] std::string refusal(exercise const& e, std::string_view text,
                                  std::string const& name);

/// What became of a student's file before it ran.
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
