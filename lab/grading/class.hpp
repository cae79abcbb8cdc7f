/// Grades the submissions of a class: one process of the tool each, so that a crash or an endless
/// loop of one does not stop the others.
#pragma once

#include <lab/grading/grade.hpp>

#include <cstddef>
#include <functional>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

namespace upsweep::lab::grading {

struct student {
  std::string name;
  std::vector<std::string> paths;  ///< of submissions
};

/// The entries of `folder`, by name: a .cu file is a student's submission of the exercise `which`;
/// a folder holds a kernel.cu, or folders that do. Throws usage_error if there is none.
[[nodiscard]] std::vector<student> students_in(std::string const& folder, std::string const& which);

struct class_options {
  std::string exercise;  ///< of all submissions; empty: as in find_submission()
  grading_options how;
  unsigned jobs = 0;  ///< processes at a time; 0: one per core
};

/// {"seed", "students": [{"name", "points", "of", "exercises": [...]}]}, the exercises as in
/// json_of(). `tell(done, all, name)` is called after each submission, by one thread at a time.
[[nodiscard]] nlohmann::ordered_json grade_class(
    std::vector<student> const& students, class_options const& options,
    std::function<void(std::size_t, std::size_t, std::string const&)> const& tell);

/// The class as a table for a terminal, as CSV with a line for each submission, and as an HTML
/// page.
[[nodiscard]] std::string table_of_class(nlohmann::ordered_json const& graded);
[[nodiscard]] std::string csv_of_class(nlohmann::ordered_json const& graded);
[[nodiscard]] std::string page_of_class(nlohmann::ordered_json const& graded);

}  // namespace upsweep::lab::grading
