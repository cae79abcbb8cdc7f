/// Uses one process per case and schedule.
#include <lab/grading/grade.hpp>

#include <io/error.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <filesystem>

namespace upsweep::lab::grading {

namespace {

program_request request_for(std::filesystem::path const& module, std::string const& file,
                            process_request const& p, double seconds) {
  program_request asked{.module = module,
                        .arguments = {file, p.which, fmt::format("{}", p.seed)},
                        .seconds = seconds,
                        .memory = std::uint64_t{4} << 30,
                        .printed = program_request::output::checked};
  for (auto const n : p.sizes) asked.arguments.push_back(fmt::format("{}", n));
  asked.machine.how = p.how;
  asked.machine.seed = p.schedule_seed;
  asked.machine.resident_blocks = p.resident;
  asked.machine.count = p.count;
  asked.machine.step_limit = 1u << 20;  // exercises are small: a loop without end is found soon
  return asked;
}

check_grade run_check(submission const& what, check const& c, std::filesystem::path const& module,
                      double seconds) {
  check_grade g{c.title, 0, c.points, {}};
  for (auto const& p : c.processes) {
    auto const got = run_program(request_for(module, what.file, p, seconds));
    g.failure = judge(what.task, c, p, got, seconds);
    if (!g.failure.passed()) return g;
  }
  g.points = c.points;
  return g;
}

}  // namespace

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

grade grade_submission(submission const& what, grading_options const& how,
                       source::module_cache& cache) {
  if (!can_run_programs())
    throw io::unavailable_error(
        "this tool was built without libbacktrace, so it cannot run CUDA files; install g++ or "
        "libbacktrace-dev and build it again");
  auto const begin = std::chrono::steady_clock::now();
  grade g{what, compile(what, how.compiler, cache), {}, 0};
  double seconds = how.seconds;
  char const* const refused = g.compiled.is_allowed ? "does not compile" : "not allowed";
  for (auto const& c : checks_of(g.what.task, how.seed)) {
    if (g.compiled.good())
      g.checks.push_back(run_check(g.what, c, g.compiled.module, seconds));
    else
      g.checks.push_back({c.title, 0, c.points, {refused, g.compiled.error, {}, {}, {}}});
    // A program that hung once will probably hang again: shorten the limit of the other checks.
    if (g.checks.back().failure.kind == "time limit") seconds = std::min(seconds, 1.0);
  }
  g.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  return g;
}

}  // namespace upsweep::lab::grading
