/// One grading at a time. The processes run in other instances of this module.
#include <lab/wasm/grading.hpp>

#include <io/error.hpp>
#include <lab/grading/embedded.hpp>
#include <lab/grading/report.hpp>
#include <lab/grading/steps.hpp>
#include <lab/program/report_lines.hpp>
#include <lab/run.hpp>

#include <cstdint>
#include <memory>
#include <nlohmann/json.hpp>
#include <span>
#include <utility>

namespace upsweep::lab {

namespace grading {

/// Pages bring their exercises.
std::span<embedded_exercise const> embedded_exercises() {
  return {};
}

}  // namespace grading

namespace {

using object = nlohmann::ordered_json;

struct begun_grading {
  grading::submission what;
  grading::grading_options how;
  std::unique_ptr<grading::grading_steps> steps;
};
begun_grading current;

object next_process() {
  auto& steps = *current.steps;
  auto const* const next = steps.next();
  if (next == nullptr) {
    auto const& done = steps.result();
    return {{"grade", grading::json_of({done})}, {"text", grading::text_of(done)}};
  }
  auto const machine = grading::machine_of(*next);
  return {{"process",
           {{"arguments", grading::arguments_of(*next, current.what.file)},
            {"schedule", name_of(machine.how)},
            {"seed", machine.seed},
            {"resident", machine.resident_blocks},
            {"measured", machine.measured_launches},
            {"count", machine.count},
            {"step_limit", machine.step_limit},
            {"reports", true},
            {"seconds", steps.seconds()}}}};
}

object begin_steps(grading::compilation compiled) {
  current.steps =
      std::make_unique<grading::grading_steps>(current.what, std::move(compiled), current.how);
  return next_process();
}

object begin(object const& wanted) {
  auto const text = wanted.at("text").get<std::string>();
  current = {};
  current.what.file = wanted.value("file", "kernel.cu");
  current.what.task =
      grading::parse_exercise(wanted.at("rules").get<std::string>(), "exercise.json");
  current.what.task.checker = wanted.at("checker").get<std::string>();
  current.how.seed = wanted.value("seed", current.how.seed);
  current.how.seconds = wanted.value("seconds", current.how.seconds);
  auto refused = grading::inspect(current.what.task, text, current.what.file);
  if (!refused.good()) return begin_steps(std::move(refused));
  return {{"checker", grading::checker_including(current.what.task, current.what.file)}};
}

program_outcome outcome_of(object const& wanted) {
  program_outcome got;
  read_lines(wanted.at("lines").get<std::string>(), got);
  got.printed = wanted.value("printed", "");
  got.status = wanted.value("status", 0);
  got.stopped_by_limit = wanted.value("stopped", false);
  if (got.failure.empty()) got.failure = wanted.value("failure", "");
  return got;
}

}  // namespace

object answer_grading(std::string const& verb, object const& wanted) {
  if (verb == "grade") return begin(wanted);
  if (verb == "grade_compiled") return begin_steps({"", true, wanted.value("error", "")});
  if (verb != "grade_outcome" || current.steps == nullptr || current.steps->next() == nullptr)
    throw io::usage_error("the laboratory of programs has no verb '" + verb + "' now");
  current.steps->take(outcome_of(wanted));
  return next_process();
}

}  // namespace upsweep::lab
