/// Keeps the checks that are done, and how far the next one is.
#include <lab/grading/grade.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

namespace upsweep::lab::grading {

grading_steps::grading_steps(submission what, compilation compiled, grading_options const& how)
    : grade_{std::move(what), std::move(compiled), {}, 0},
      seconds_(how.seconds),
      checks_(checks_of(grade_.what.task, how.seed)) {
  if (grade_.compiled.good()) return;
  char const* const refused = grade_.compiled.is_allowed ? "does not compile" : "not allowed";
  for (auto const& c : checks_)
    grade_.checks.push_back({c.title, 0, c.points, {refused, grade_.compiled.error, {}, {}, {}}});
}

process_request const* grading_steps::next() const {
  auto const done = grade_.checks.size();
  return done == checks_.size() ? nullptr : &checks_[done].processes.at(process_);
}

void grading_steps::take(program_outcome const& got) {
  auto const& c = checks_.at(grade_.checks.size());
  auto failure = judge(grade_.what.task, c, c.processes.at(process_), got, seconds_);
  bool const passed = failure.passed();
  if (passed && ++process_ < c.processes.size()) return;
  // A program that hung once will probably hang again: shorten the limit of the other checks.
  if (failure.kind == "time limit") seconds_ = std::min(seconds_, 1.0);
  grade_.checks.push_back({c.title, passed ? c.points : 0, c.points, std::move(failure)});
  process_ = 0;
}

std::vector<std::string> arguments_of(process_request const& p, std::string const& file) {
  std::vector<std::string> words{file, p.which, fmt::format("{}", p.seed)};
  for (auto const n : p.sizes) words.push_back(fmt::format("{}", n));
  return words;
}

sim::options machine_of(process_request const& p) {
  sim::options machine;
  machine.how = p.how;
  machine.seed = p.schedule_seed;
  machine.resident_blocks = p.resident;
  machine.count = p.count;
  machine.step_limit = 1u << 20;  // exercises are small: a loop without end is found soon
  return machine;
}

int grade::points() const {
  int sum = 0;
  for (auto const& c : checks) sum += c.points;
  return sum;
}

int grade::of() const {
  int sum = 0;
  for (auto const& c : checks) sum += c.of;
  return sum;
}

check_grade const* grade::failure() const {
  for (auto const& c : checks)
    if (!c.failure.passed()) return &c;
  return nullptr;
}

}  // namespace upsweep::lab::grading
