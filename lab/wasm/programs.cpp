/// The laboratory without kernels of its own: rewrites a .cu file, and runs the program that a
/// compiler has made of it, which the page has loaded beside this module. Grades exercises.
#include <io/error.hpp>
#include <lab/grading/exercise.hpp>
#include <lab/grading/grade.hpp>
#include <lab/program/report_lines.hpp>
#include <lab/reports.hpp>
#include <lab/run.hpp>
#include <lab/source/rewrite.hpp>
#include <lab/tracing.hpp>
#include <lab/wasm/answers.hpp>
#include <upsweep/sim/fiber.hpp>
#include <upsweep/sim/hook_calls.hpp>
#include <upsweep/sim/modules/runtime.hpp>
#include <upsweep/sim/wasm/linked_module.hpp>

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <exception>
#include <memory>
#include <nlohmann/json.hpp>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace upsweep::lab {

// One grading at a time. The processes run in other instances of this module.

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

/// The page asks in this order:
///
/// - `grade` with {rules, checker, text, file, seed, seconds}: the checker to compile, in which the
///   text is the file that it includes;
/// - `grade_compiled` with {error}, empty if it compiles;
/// - `grade_outcome` with {lines, printed, failure, status, stopped} of each process.
///
/// The answers to the latter two have the next `process`, options of `program`; or the `grade` as
/// in `upsweep grade --json`, and as `text`. So has the first if the text is not allowed.
object answer_grading(std::string const& verb, object const& wanted) {
  if (verb == "grade") return begin(wanted);
  if (verb == "grade_compiled") return begin_steps({"", true, wanted.value("error", "")});
  if (verb != "grade_outcome" || current.steps == nullptr || current.steps->next() == nullptr)
    throw io::usage_error("the laboratory of programs has no verb '" + verb + "' now");
  current.steps->take(outcome_of(wanted));
  return next_process();
}

/// Of the program that runs. Its lines, if it `reports`, go to a descriptor of which lab.mjs knows.
program_reporter* reporter = nullptr;
constexpr int lines_of_report = 3;

/// What exit() of a program throws.
struct program_end {
  int status;
};

template <class T>
T* at(object const& o, char const* name) {
  return reinterpret_cast<T*>(o.value(name, std::uintptr_t{0}));
}

/// {"text", "kept": [[rewritten, original, length]...], "findings": [{line, sentence}...]}
object answer_rewrite(object const& wanted) {
  auto const text = wanted.at("text").get<std::string>();
  auto const done = source::rewrite(text);
  object answer{{"text", done.text},
                {"has_kernel", done.has_kernel},
                {"has_main", done.has_main},
                {"findings", object::array()}};
  for (auto const& f : done.findings)
    answer["findings"].push_back(
        {{"line", f.line}, {"sentence", note_of(f)}, {"refuses", f.refuses}});
  return answer;
}

sim::options options_of(object const& o) {
  sim::options how;
  how.how = schedule_named(o.value("schedule", "in-order"));
  how.seed = o.value("seed", std::uint64_t{0});
  how.resident_blocks = o.value("resident", 16u);
  how.measured_launches = o.value("measured", std::size_t{32});  // as `upsweep run`
  how.count = o.value("count", true);
  how.step_limit = o.value("step_limit", how.step_limit);
  if (o.contains("traced")) {
    how.trace = true;
    how.traced_launch = o.at("traced").get<std::size_t>();
  }
  return how;
}

/// The status with which the program ended. Its constructors run first.
int run_main(object const& o) {
  auto const words = o.value("arguments", std::vector<std::string>{"program"});
  std::vector<char*> arguments;
  for (auto const& word : words) arguments.push_back(const_cast<char*>(word.c_str()));
  arguments.push_back(nullptr);
  int status = 0;
  try {
    if (auto* const construct = at<void()>(o, "constructors"); construct != nullptr) construct();
    status = o.value("takes_arguments", false)
                 ? at<int(int, char**)>(o, "main")(static_cast<int>(words.size()), arguments.data())
                 : at<int()>(o, "main")();
  } catch (program_end const& end) {
    status = end.status;
  }
  std::fflush(nullptr);
  return status;
}

object rows_of(sim::counters const& total) {
  object rows = object::array();
  for (auto const& row : counter_rows())
    if (row.of(total) != 0 || row.always) rows.push_back({row.title, text_of(row, total)});
  return rows;
}

object answer_program(object const& wanted) {
  sim::use_module(*at<sim::linked_module const>(wanted, "module"),
                  {at<std::byte>(wanted, "data"), at<std::byte>(wanted, "data_end")});
  sim::exchange_program_stack = at<std::byte*(std::byte*)>(wanted, "stack");
  bool const reports = wanted.value("reports", false);
  program_reporter current{sim::machine(options_of(wanted)), lines_of_report, reports};
  reporter = &current;
  int status = 0;
  {
    sim::runtime const runtime(current.machine, [&] {
      if (reports) current.report();
    });
    status = run_main(wanted);
  }
  if (reports) current.report();
  std::string const failure =
      status == 0 ? "" : "the program ended with status " + std::to_string(status);
  object answer{{"status", status}, {"failure", failure}};
  if (reports) return answer;
  auto const& report = current.machine.result();
  answer.update(json_of(report));
  answer["rows"] = rows_of(report.total());
  if (wanted.contains("traced")) {
    auto const drawn = drawn_launch(report, wanted.at("traced").get<std::size_t>());
    answer["page"] = page(drawn.shape, drawn.words);
  }
  return answer;
}

}  // namespace

object answer_to(object const& wanted) {
  auto const verb = wanted.value("verb", "");
  if (verb == "rewrite") return answer_rewrite(wanted);
  return verb == "program" ? answer_program(wanted) : answer_grading(verb, wanted);
}

}  // namespace upsweep::lab

// For checkers: upsweep/simt/check/upsweep_check.h.
UPSWEEP_SIM_EXPORTED int upsweep_check_say(char const* line) {
  return upsweep::lab::reporter->take_note(line) ? 1 : 0;
}
UPSWEEP_SIM_EXPORTED int upsweep_check_is_clean() {
  return upsweep::lab::reporter->machine.result().findings.empty() ? 1 : 0;
}
/// What the loader gives a program for exit(), abort() and the like.
UPSWEEP_SIM_EXPORTED void upsweep_lab_exit(int status) {
  throw upsweep::lab::program_end{status};
}
