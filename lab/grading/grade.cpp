/// Uses one process per case and schedule.
#include <lab/grading/grade.hpp>

#include <io/error.hpp>
#include <lab/grading/compile.hpp>
#include <lab/program/program.hpp>

#include <chrono>
#include <cstdint>
#include <utility>

namespace upsweep::lab::grading {

grade grade_submission(submission const& what, grading_options const& how,
                       source::module_cache& cache) {
  if (!can_run_programs())
    throw io::unavailable_error(
        "this tool was built without libbacktrace, so it cannot run CUDA files; install g++ or "
        "libbacktrace-dev and build it again");
  auto const begin = std::chrono::steady_clock::now();
  grading_steps steps(what, compile(what, how.compiler, cache), how);
  while (auto const* const next = steps.next())
    steps.take(run_program({.module = steps.result().compiled.module,
                            .arguments = arguments_of(*next, what.file),
                            .machine = machine_of(*next),
                            .seconds = steps.seconds(),
                            .memory = std::uint64_t{4} << 30,
                            .printed = program_request::output::checked}));
  auto& done = steps.result();
  done.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  return std::move(done);
}

}  // namespace upsweep::lab::grading
