/// What an exercise is: the plan to run, the elements, sizes and schedules that it meets, and what
/// it may cost.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace upsweep::lab::grading {

/// Elements of a type, combined by an operator.
struct typed_operator {
  std::string op, type;
};

/// A counter's limit in one run, in order, of n elements: at_most + per_element * n.
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
  std::string own_operator;  ///< of kernel.hpp, instead of the grader's; or nothing
  bool scan = false, exclusive = false;
  int threads = 128;
  std::vector<typed_operator> operators;
  std::vector<std::uint64_t> sizes;  ///< those that the student knows
  std::vector<budget> budgets;
  int points_sizes = 1, points_hidden = 2, points_schedules = 3;

  [[nodiscard]] std::uint64_t results(std::uint64_t n) const { return scan ? n : 1; }
};

/// Reads an exercise.json; `where` names it in the data_error about what is wrong with it.
[[nodiscard]] exercise parse_exercise(std::string_view text, std::string const& where);

/// Those that the tool carries, by name. Their rules are the tool's, whatever the exercise.json
/// beside a kernel says.
[[nodiscard]] std::span<exercise const> known_exercises();
[[nodiscard]] exercise const* find_exercise(std::string_view name);

/// An exercise and the folder that holds a solution of it.
struct submission {
  exercise task;
  std::string folder;
};

/// The submission in `path`: a folder with kernel.hpp, that file, or the name or number of an
/// exercise below ./exercises. Throws usage_error, which proposes the nearest, and data_error for
/// an exercise.json that makes no sense.
[[nodiscard]] submission find_submission(std::string const& path);
/// Every folder below `folder` that holds a kernel.hpp and is an exercise, by name. Throws
/// usage_error when there is none.
[[nodiscard]] std::vector<submission> all_submissions(std::string const& folder);

}  // namespace upsweep::lab::grading
