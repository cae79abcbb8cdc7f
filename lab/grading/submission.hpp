/// A student's file, and the exercise that it solves.
#pragma once

#include <lab/grading/exercise.hpp>

#include <string>
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

}  // namespace upsweep::lab::grading
