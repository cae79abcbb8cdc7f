/// `upsweep grade`: compiles solutions of the exercises, runs them on hidden sizes and schedules,
/// and explains what is wrong.
#include <cli/output/progress.hpp>
#include <cli/registry.hpp>
#include <io/error.hpp>
#include <io/output_file.hpp>
#include <io/shown.hpp>
#include <lab/compiler/toolchain.hpp>
#include <lab/grading/class.hpp>
#include <lab/grading/grade.hpp>
#include <lab/source/module_cache.hpp>

#include <fmt/format.h>

#include <cstddef>
#include <cstdio>
#include <nlohmann/json.hpp>
#include <optional>
#include <random>
#include <string>
#include <utility>
#include <vector>

namespace upsweep::cli {

namespace {

struct grade_flags {
  std::vector<std::string> folders;
  bool all = false, force = false;
  std::string exercise, class_folder, json, junit, csv, html;
  unsigned jobs = 0;
  lab::grading::grading_options how;
};

/// A file that is opened before the work, so that an error does not come after it.
class later_output {
 public:
  later_output(std::string const& name, bool force) {
    if (!name.empty()) file_.emplace(name, force);
  }
  [[nodiscard]] bool is_standard_output() const { return file_ && file_->is_standard_output(); }
  template <class Text>
  void write(Text const& text) {
    if (!file_) return;
    file_->write(text());
    file_->commit();
  }

 private:
  std::optional<io::output_file> file_;
};

std::string dumped(nlohmann::ordered_json const& object) {
  return object.dump(2, ' ', false, nlohmann::ordered_json::error_handler_t::replace) + '\n';
}

std::vector<lab::grading::submission> submissions(grade_flags const& flags) {
  if (!flags.all && flags.folders.empty())
    throw io::usage_error(
        "grade: no exercise given; name a folder, such as exercises/01-in-place-race, or give "
        "--all or --class");
  std::vector<lab::grading::submission> found;
  if (!flags.all)
    for (auto const& path : flags.folders)
      found.push_back(lab::grading::find_submission(path, flags.exercise));
  else if (flags.folders.empty())
    found = lab::grading::all_submissions("exercises", flags.exercise);
  else
    for (auto const& folder : flags.folders)
      for (auto& one : lab::grading::all_submissions(folder, flags.exercise))
        found.push_back(std::move(one));
  return found;
}

void tell(std::size_t done, std::size_t all, std::string const& name) {
  show_status(done == all ? "" : fmt::format("{} of {}: {}", done, all, io::printable(name)));
}

int run_class(grade_flags const& flags) {
  if (flags.all || !flags.folders.empty() || !flags.junit.empty())
    throw io::usage_error(
        "grade: --class can be combined only with --exercise, --json, --csv and --html");
  if (!flags.exercise.empty()) (void)lab::grading::exercise_named(flags.exercise);
  auto const students = lab::grading::students_in(flags.class_folder, flags.exercise);
  (void)lab::find_toolchain(flags.how.compiler);
  later_output json(flags.json, flags.force), csv(flags.csv, flags.force),
      html(flags.html, flags.force);
  auto const graded =
      lab::grading::grade_class(students, {flags.exercise, flags.how, flags.jobs}, tell);
  if (!json.is_standard_output() && !csv.is_standard_output() && !html.is_standard_output())
    fmt::print("{}\n--seed {} repeats this grading\n",
               io::printable(lab::grading::table_of_class(graded)), flags.how.seed);
  json.write([&] { return dumped(graded); });
  csv.write([&] { return lab::grading::csv_of_class(graded); });
  html.write([&] { return lab::grading::page_of_class(graded); });
  for (auto const& s : graded["students"])
    if (s["points"] != s["of"] || s["of"] == 0) return 1;
  return 0;
}

int run(grade_flags const& flags) {
  if (!flags.class_folder.empty()) return run_class(flags);
  if (!flags.csv.empty() || !flags.html.empty())
    throw io::usage_error("grade: --csv and --html need --class");
  auto const found = submissions(flags);
  (void)lab::find_toolchain(flags.how.compiler);
  lab::source::module_cache cache;
  later_output json(flags.json, flags.force), junit(flags.junit, flags.force);
  bool const quiet = json.is_standard_output() || junit.is_standard_output();
  std::vector<lab::grading::grade> grades;
  int status = 0;
  for (auto const& what : found) {
    tell(grades.size(), found.size(), what.task.name);
    auto const& g = grades.emplace_back(lab::grading::grade_submission(what, flags.how, cache));
    tell(found.size(), found.size(), {});
    if (!quiet)
      fmt::print("{}{}", grades.size() > 1 ? "\n" : "", io::printable(lab::grading::text_of(g)));
    std::fflush(stdout);
    if (!g.compiled.good() && g.compiled.is_allowed)
      status = 3;
    else if (!g.passed() && status == 0)
      status = 1;
  }
  auto sum = lab::grading::json_of(grades);
  sum["seed"] = flags.how.seed;
  if (!quiet && grades.size() > 1)
    fmt::print("\n{} exercises: {} of {} points\n", grades.size(), sum["points"].get<int>(),
               sum["of"].get<int>());
  if (!quiet && status == 1) fmt::print("\n--seed {} repeats this grading\n", flags.how.seed);
  json.write([&] { return dumped(sum); });
  junit.write([&] { return lab::grading::junit_of(grades); });
  return status;
}

void add_outputs(options const& add, grade_flags& flags) {
  add("--json FILE", flags.json, "Write the grades as JSON; - is standard output");
  add("--junit FILE", flags.junit, "Write the grades as JUnit XML; - is standard output");
  add("--csv FILE", flags.csv, "Write the grades of a class as CSV");
  add("--html FILE", flags.html, "Write the grades of a class as a page");
  add("--force", flags.force, "Replace files that exist");
}

void print_exercises(bool json) {
  auto all = nlohmann::ordered_json::array();
  for (auto const& e : lab::grading::known_exercises())
    if (json)
      all.push_back({{"name", e.name}, {"title", e.title}});
    else
      fmt::print("{:<24} {}\n", e.name, e.title);
  if (json) fmt::print("{}\n", all.dump());
}

}  // namespace

void add_grade_command(registry& tool) {
  tool.print_exercises = print_exercises;
  auto const [add, flags] = add_command<grade_flags>(tool, "grade");
  std::vector<std::string> exercises;
  for (auto const& e : lab::grading::known_exercises()) exercises.push_back(e.name);
  flags.how.seed = std::random_device{}() % 1000000;
  add("SUBMISSION", flags.folders,
      "Folders with a kernel.cu, .cu files, or numbers of exercises in ./exercises",
      completed_by(exercises));
  add("--all", flags.all, "Grade every exercise in the folders, or in ./exercises");
  add("--class FOLDER", flags.class_folder,
      "Grade a folder of submissions: a folder or a .cu file for each student");
  add("--exercise EXERCISE", flags.exercise,
      "The exercise that is solved: a name, a number, or a folder with your exercise",
      completed_by(exercises));
  add_outputs(add, flags);
  add("--jobs,-j N", flags.jobs, "Submissions of a class at a time (default: cores)");
  add("--compiler PROGRAM", flags.how.compiler, "The C++ compiler (default: $CXX, g++, c++)");
  add("--seed N", flags.how.seed,
      "Random seed for the hidden sizes, the input and the schedules (default: a new one each "
      "time)",
      not_negative);
  add("--limit S", flags.how.seconds, "Time limit of a process in seconds (default: 5)",
      in_range(1, 3600));
}

}  // namespace upsweep::cli
