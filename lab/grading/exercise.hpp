/// An exercise: the plan to run, the elements and sizes of its runs, and its cost limits.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace upsweep::lab::grading {

/// An element_type type and an operator.
struct typed_operator {
  std::string op, type;
};

/// The limit of a counter in one in-order run of n elements: at_most + per_element * n.
struct budget {
  std::string title, counter;
  std::uint64_t n = 0;
  double at_most = 0, per_element = 0;
  int points = 2;

  [[nodiscard]] std::uint64_t limit() const {
    return static_cast<std::uint64_t>(at_most + per_element * static_cast<double>(n));
  }
};

struct exercise {
  std::string name;   ///< "02-missing-barrier"
  std::string title;  ///< a sentence
  std::string plan;  ///< of kernel.hpp: a struct template over the threads of a block, in namespace
                     ///< upsweep::exercise
  std::string own_operator;  ///< an operator of kernel.hpp that replaces the grader's; or empty
  bool scan = false, exclusive = false;
  int threads = 128;
  std::vector<typed_operator> operators;
  std::vector<std::uint64_t> sizes;  ///< the sizes that the student knows
  std::vector<budget> budgets;
  int points_sizes = 1, points_hidden = 2, points_schedules = 3;

  [[nodiscard]] std::uint64_t results(std::uint64_t n) const { return scan ? n : 1; }
};

/// Reads an exercise.json; throws a data_error, in which `where` names the file.
[[nodiscard]] exercise parse_exercise(std::string_view text, std::string const& where);

/// The exercises embedded in the tool, sorted by name. Their rules take precedence over an
/// exercise.json beside a kernel.
[[nodiscard]] std::span<exercise const> known_exercises();
[[nodiscard]] exercise const* find_exercise(std::string_view name);

/// An exercise and the folder that holds a solution of it.
struct submission {
  exercise task;
  std::string folder;
};

/// The submission in `path`: a folder with kernel.hpp, that file, or the name or number of an
/// exercise in ./exercises. Throws usage_error with the nearest name, and data_error for an invalid
/// exercise.json.
[[nodiscard]] submission find_submission(std::string const& path);
/// Every folder in `folder` with a kernel.hpp, sorted by name. Throws usage_error if there is none.
[[nodiscard]] std::vector<submission> all_submissions(std::string const& folder);

}  // namespace upsweep::lab::grading
