/// Grades a submission: compiles it, runs the checks in separate processes, and adds up points.
#pragma once

#include <lab/grading/judge.hpp>
#include <lab/grading/submission.hpp>

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <nlohmann/json_fwd.hpp>
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

/// The grading of a compiled submission, one process after another. The caller runs the processes:
/// the tool in processes of the system, a page in workers.
class grading_steps {
 public:
  grading_steps(submission what, compilation compiled, grading_options const& how);
  grading_steps(grading_steps const&) = delete;
  grading_steps& operator=(grading_steps const&) = delete;

  /// The process to run next; null if everything is graded.
  [[nodiscard]] process_request const* next() const;
  /// The time limit of the next process.
  [[nodiscard]] double seconds() const { return seconds_; }
  /// What became of the next process.
  void take(program_outcome const& got);

  [[nodiscard]] grade& result() { return grade_; }

 private:
  grade grade_;
  double seconds_;
  std::vector<check> checks_;
  std::size_t process_ = 0;  ///< the next one of its check
};

// Grades as text for a terminal, and as JSON and JUnit XML for tools that collect those of a class.

/// The points of each check, then the first failure in sentences with the lines of the kernel.
[[nodiscard]] std::string text_of(grade const& g);

/// {"exercises": [...], "points", "of", "passed"}; docs/exercises.md lists the keys.
[[nodiscard]] nlohmann::ordered_json json_of(std::vector<grade> const& all);

/// JUnit XML: a suite per exercise, a test case per check and one for the compiler.
[[nodiscard]] std::string junit_of(std::vector<grade> const& all);

/// The arguments of the program: the name of the file first.
[[nodiscard]] std::vector<std::string> arguments_of(process_request const& p,
                                                    std::string const& file);
[[nodiscard]] sim::options machine_of(process_request const& p);

/// The checker is compiled as check.cu beside the student's file, which it includes; neither is
/// changed. Throws io_error if the file cannot be read, and unavailable_error without a compiler.
[[nodiscard]] compilation compile(submission const& what, std::string const& compiler,
                                  source::module_cache& cache,
                                  std::vector<std::string> const& definitions = {});

struct checker_build {
  std::string compiler;  ///< empty: the default
  std::vector<std::string> definitions{};
  std::vector<std::filesystem::path> include_folders{};
};
/// Compiles the text of a checker as if it were that file. Throws what source::build() throws.
[[nodiscard]] std::filesystem::path compile_checker(std::filesystem::path const& file,
                                                    std::string const& text,
                                                    checker_build const& how,
                                                    source::module_cache& cache);

}  // namespace upsweep::lab::grading
