/// Grades a submission: compiles it, runs the checks in a process of their own, and adds up points.
#pragma once

#include <lab/grading/judge.hpp>
#include <lab/grading/toolchain.hpp>

#include <functional>
#include <string>
#include <vector>

namespace upsweep::lab::grading {

struct check_grade {
  std::string title;
  int points = 0, of = 0;
  verdict failure;  ///< the first of its runs that is wrong
};

struct grade {
  submission what;
  compilation compiled;
  std::vector<check_grade> checks;
  double seconds = 0;  ///< compiler and runs

  [[nodiscard]] int points() const;
  [[nodiscard]] int of() const;
  [[nodiscard]] bool passed() const { return compiled.good && points() == of(); }
  /// The first check that failed, or null.
  [[nodiscard]] check_grade const* failure() const;
};

struct grading_options {
  std::string compiler;    ///< empty: the usual one
  std::uint64_t seed = 1;  ///< of hidden sizes, elements and random schedules
  double seconds = 20;     ///< that one check may take
  bool keep = false;       ///< leave the program and its files where they were made
};

/// Grades `what`. With `keep`, `kept` is told the folder. Ctrl-C leaves no folder behind: it is
/// thrown as `interrupted` and then ends the process.
[[nodiscard]] grade grade_submission(submission const& what, toolchain const& tools,
                                     grading_options const& how,
                                     std::function<void(std::string const&)> const& kept);

}  // namespace upsweep::lab::grading
