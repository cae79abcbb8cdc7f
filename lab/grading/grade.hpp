/// Grades a submission: compiles it, runs the checks in separate processes, and adds up points.
#pragma once

#include <lab/grading/compilation.hpp>
#include <lab/grading/judge.hpp>

#include <cstdint>
#include <string>
#include <vector>

namespace upsweep::lab::source {
class module_cache;
}

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
  double seconds = 0;  ///< of compiler and runs

  [[nodiscard]] int points() const;
  [[nodiscard]] int of() const;
  [[nodiscard]] bool passed() const { return compiled.good() && points() == of(); }
  /// The first failed check, or null.
  [[nodiscard]] check_grade const* failure() const;
};

struct grading_options {
  std::string compiler;    ///< empty: the default
  std::uint64_t seed = 1;  ///< of input, hidden sizes and random schedules
  double seconds = 5;      ///< the limit of one process
};

[[nodiscard]] grade grade_submission(submission const& what, grading_options const& how,
                                     source::module_cache& cache);

}  // namespace upsweep::lab::grading
