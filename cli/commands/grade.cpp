/// `upsweep grade`: compiles solutions of the exercises, runs them on hidden sizes and schedules,
/// and explains what is wrong.
#include <cli/registry.hpp>
#include <io/error.hpp>
#include <io/output_file.hpp>
#include <lab/grading/report.hpp>

#include <fmt/format.h>
#include <unistd.h>
#include <CLI/CLI.hpp>

#include <memory>
#include <nlohmann/json.hpp>
#include <optional>

namespace upsweep::cli {

namespace {

struct grade_flags {
  std::vector<std::string> folders;
  bool all = false, force = false;
  std::string json, junit;
  lab::grading::grading_options how;
};

std::vector<lab::grading::submission> submissions(grade_flags const& flags) {
  if (!flags.all && flags.folders.empty())
    throw io::usage_error(
        "grade: no exercise given; name a folder, such as exercises/01-in-place-race, or give "
        "--all");
  std::vector<lab::grading::submission> found;
  if (!flags.all)
    for (auto const& path : flags.folders) found.push_back(lab::grading::find_submission(path));
  else if (flags.folders.empty())
    found = lab::grading::all_submissions("exercises");
  else
    for (auto const& folder : flags.folders)
      for (auto& one : lab::grading::all_submissions(folder)) found.push_back(std::move(one));
  return found;
}

int run(grade_flags const& flags) {
  auto const found = submissions(flags);
  auto const tools = lab::find_toolchain(flags.how.compiler);
  std::optional<io::output_file> json,
      junit;  // opened first, so that an error does not come after all the work
  if (!flags.json.empty()) json.emplace(flags.json, flags.force);
  if (!flags.junit.empty()) junit.emplace(flags.junit, flags.force);
  bool const quiet = (json && json->is_standard_output()) || (junit && junit->is_standard_output());
  bool const terminal = isatty(STDERR_FILENO) == 1;
  std::vector<lab::grading::grade> grades;
  int status = 0;
  for (auto const& what : found) {
    if (terminal)
      fmt::print(stderr, "\r\033[K{} of {}: {}", grades.size() + 1, found.size(), what.task.name);
    auto const kept = [](std::string const& folder) { fmt::print(stderr, "kept: {}\n", folder); };
    auto const& g =
        grades.emplace_back(lab::grading::grade_submission(what, tools, flags.how, kept));
    if (terminal) fmt::print(stderr, "\r\033[K");
    if (!quiet) fmt::print("{}{}", grades.size() > 1 ? "\n" : "", lab::grading::text_of(g));
    std::fflush(stdout);
    if (!g.compiled.good)
      status = 3;
    else if (!g.passed() && status == 0)
      status = 1;
  }
  if (!quiet && grades.size() > 1) {
    auto const sum = lab::grading::json_of(grades);
    fmt::print("\n{} exercises: {} of {} points\n", grades.size(), sum["points"].get<int>(),
               sum["of"].get<int>());
  }
  if (json) {
    json->write(lab::grading::json_of(grades).dump(
                    2, ' ', false, nlohmann::ordered_json::error_handler_t::replace) +
                '\n');
    json->commit();
  }
  if (junit) {
    junit->write(lab::grading::junit_of(grades));
    junit->commit();
  }
  return status;
}

}  // namespace

void add_grade_command(registry& tool) {
  CLI::App* const command = add_command(tool, "grade");
  auto const flags = std::make_shared<grade_flags>();
  auto* const folders =
      command->add_option("EXERCISE", flags->folders,
                          "Folders with a kernel.hpp, or numbers of exercises in ./exercises");
  for (auto const& e : lab::grading::known_exercises()) tool.choices[folders].push_back(e.name);
  command->add_flag("--all", flags->all, "Grade every exercise in the folders, or in ./exercises");
  command->add_option("--json", flags->json, "Write the grades as JSON; - is standard output")
      ->type_name("FILE");
  command
      ->add_option("--junit", flags->junit, "Write the grades as JUnit XML; - is standard output")
      ->type_name("FILE");
  command->add_flag("--force", flags->force, "Replace files that exist");
  command
      ->add_option("--compiler", flags->how.compiler, "The C++ compiler (default: $CXX, g++, c++)")
      ->type_name("PROGRAM");
  command
      ->add_option("--seed", flags->how.seed,
                   "Random seed for the hidden sizes, the elements and the schedules")
      ->type_name("N")
      ->check(CLI::Validator(CLI::NonNegativeNumber).description(""));
  command
      ->add_option("--limit", flags->how.seconds, "Time limit of a check in seconds (default: 20)")
      ->type_name("S")
      ->check(CLI::Range(1, 3600).description(""));
  command->add_flag("--keep", flags->how.keep, "Keep the compiled program and print its folder");
  command->callback([flags, &tool] { tool.status = run(*flags); });
}

}  // namespace upsweep::cli
