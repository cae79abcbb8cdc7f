/// The grading of a compiled submission, one process after another.
#pragma once

#include <lab/grading/grade.hpp>

#include <cstddef>
#include <string>
#include <vector>

namespace upsweep::lab::grading {

/// The caller runs the processes: the tool in processes of the system, a page in workers.
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

/// The arguments of the program: the name of the file first.
[[nodiscard]] std::vector<std::string> arguments_of(process_request const& p,
                                                    std::string const& file);
[[nodiscard]] sim::options machine_of(process_request const& p);

}  // namespace upsweep::lab::grading
