/// Uses one temporary folder per submission and one process per check.
#include <lab/grading/grade.hpp>

#include <io/error.hpp>
#include <lab/compiler/process.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>

namespace upsweep::lab::grading {

namespace {

namespace fs = std::filesystem;

/// A new temporary folder, removed at the end unless it is kept.
class work_folder {
 public:
  explicit work_folder(bool keep) : keep_(keep) {
    std::string name = (fs::temp_directory_path() / "upsweep-grade-XXXXXX").string();
    if (::mkdtemp(name.data()) == nullptr)
      throw io::io_error(fmt::format("Cannot create a folder '{}'.", name));
    path_ = name;
  }
  ~work_folder() {
    std::error_code none;
    if (!keep_) fs::remove_all(path_, none);
  }
  work_folder(work_folder const&) = delete;
  work_folder& operator=(work_folder const&) = delete;

  [[nodiscard]] fs::path const& path() const { return path_; }

 private:
  fs::path path_;
  bool keep_;
};

std::string text_of(fs::path const& file) {
  std::ifstream in(file, std::ios::binary);
  std::ostringstream text;
  text << in.rdbuf();
  return text.str();
}

/// Why the program ended prematurely, and in which run.
verdict untimely(process_end const& end, double most, fs::path const& log, run_request const& at) {
  verdict v;
  v.run = describe(at);
  std::string printed = text_of(log);
  if (printed.size() > 500) printed = printed.substr(0, 500) + " ...";
  while (printed.ends_with('\n')) printed.pop_back();
  if (end.timed_out) {
    v.kind = "time limit";
    v.sentence = fmt::format("the program was stopped after {} s, its time limit", most);
    v.advice = "Does every loop end, in the kernel and in the host plan?";
  } else {
    v.kind = "crash";
    v.sentence =
        end.status > 128
            ? fmt::format("the program was killed by signal {} during a run", end.status - 128)
            : fmt::format("the program exited with status {} during a run", end.status);
    v.advice =
        "The emulator checks the kernel's memory, so look at the host plan: vectors, pointers, "
        "recursion.";
  }
  if (!printed.empty()) v.sentence += fmt::format("; it printed: {}", printed);
  return v;
}

check_grade run_check(exercise const& e, check const& c, fs::path const& folder,
                      toolchain const& tools, double seconds) {
  check_grade g{c.title, 0, c.points, {}};
  fs::path const jobs = folder / "jobs.txt", results = folder / "results.bin",
                 log = folder / "program.log";
  std::string text;
  for (auto const& run : c.runs) text += run.line();
  if (std::ofstream out(jobs); !(out << text).flush())
    throw io::io_error(fmt::format("Cannot write '{}'.", jobs.string()));
  std::error_code none;
  fs::remove(results, none);
  process_limits const limits{.seconds = seconds,
                              .memory = tools.limit_memory ? std::size_t{4} << 30 : 0,
                              .file_bytes = std::size_t{1} << 30};
  auto const end = run_process({(folder / "graded").string(), jobs.string(), results.string()},
                               folder.string(), log.string(), limits);
  auto const got = parse_results(text_of(results));
  for (std::size_t i = 0; i < c.runs.size(); ++i) {
    g.failure =
        i < got.size() ? judge(e, c, c.runs[i], got[i]) : untimely(end, seconds, log, c.runs[i]);
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

grade grade_submission(submission const& what, toolchain const& tools, grading_options const& how,
                       std::function<void(std::string const&)> const& kept) {
  held_signals const held;  // until the folder is removed
  work_folder const folder(how.keep);
  grade g;
  g.what = what;
  g.compiled = compile(tools, what, folder.path());
  g.seconds = g.compiled.seconds;
  double seconds = how.seconds;
  for (auto const& c : checks_of(what.task, how.seed)) {
    if (g.compiled.good)
      g.checks.push_back(run_check(what.task, c, folder.path(), tools, seconds));
    else
      g.checks.push_back(
          {c.title, 0, c.points, {"does not compile", "kernel.hpp does not compile", {}, {}, {}}});
    // A program that hung once will probably hang again: shorten the limit of the other checks.
    if (g.checks.back().failure.kind == "time limit") seconds = std::max(1.0, how.seconds / 10);
  }
  if (how.keep) kept(folder.path().string());
  return g;
}

}  // namespace upsweep::lab::grading
