/// Every submission is graded by a run of this tool, whose JSON is collected.
#include <lab/grading/class.hpp>

#include <io/error.hpp>
#include <io/small_file.hpp>
#include <lab/compiler/private_folder.hpp>
#include <lab/compiler/process.hpp>
#include <text/markup.hpp>
#include <text/table.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <filesystem>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <system_error>
#include <thread>
#include <utility>
#include <vector>

namespace upsweep::lab::grading {

namespace {

namespace fs = std::filesystem;
using json = nlohmann::ordered_json;

constexpr double most_seconds = 900;  // of one submission

/// The folders in `folder` with a kernel.cu, or the folder itself.
std::vector<std::string> submissions_in(fs::path const& folder) {
  std::error_code none;
  if (fs::exists(folder / "kernel.cu", none)) return {folder.string()};
  std::vector<std::string> found;
  for (auto const& entry : fs::directory_iterator(folder, none))
    if (fs::exists(entry.path() / "kernel.cu", none)) found.push_back(entry.path().string());
  std::sort(found.begin(), found.end());
  return found;
}

/// A temporary folder, removed at the end.
class temporary_folder {
 public:
  temporary_folder() : path_(new_temporary_folder()) {}
  ~temporary_folder() {
    std::error_code none;
    fs::remove_all(path_, none);
  }
  temporary_folder(temporary_folder const&) = delete;
  temporary_folder& operator=(temporary_folder const&) = delete;

  [[nodiscard]] fs::path const& path() const { return path_; }

 private:
  fs::path path_;
};

std::string text_of(fs::path const& file) {
  return io::small_file(file.string()).value_or("");
}

/// Grades one submission; what the tool could not grade gets no points and the tool's message.
json graded(std::string const& path, class_options const& options, fs::path const& folder) {
  fs::path const result = folder / "grade.json", log = folder / "log";
  fs::create_directories(folder);
  std::vector<std::string> words{fs::canonical("/proc/self/exe").string(),
                                 "grade",
                                 "--seed",
                                 fmt::format("{}", options.how.seed),
                                 "--limit",
                                 fmt::format("{}", options.how.seconds),
                                 "--json",
                                 result.string()};
  if (!options.how.compiler.empty()) words.push_back("--compiler=" + options.how.compiler);
  if (!options.exercise.empty()) words.push_back("--exercise=" + options.exercise);
  words.insert(words.end(), {"--", path});
  auto const end = run_process(words, ".", log.string(), {.seconds = most_seconds});
  json const text = json::parse(text_of(result), nullptr, false);
  if (text.is_object() && !text["exercises"].empty()) return text["exercises"][0];
  std::string said =
      end.timed_out ? fmt::format("stopped after {} s", most_seconds) : text_of(log).substr(0, 500);
  while (said.ends_with('\n')) said.pop_back();
  return {{"name", options.exercise}, {"title", ""},   {"file", path},
          {"state", "not graded"},    {"points", 0},   {"of", 0},
          {"seconds", end.seconds},   {"error", said}, {"checks", json::array()}};
}

}  // namespace

std::vector<student> students_in(std::string const& folder, std::string const& which) {
  std::error_code failed;
  std::vector<student> all;
  for (auto const& entry : fs::directory_iterator(folder, failed)) {
    fs::path const& path = entry.path();
    std::error_code none;
    if (path.filename().string().starts_with('.')) continue;
    if (fs::is_directory(path, none)) {
      if (auto found = submissions_in(path); !found.empty())
        all.push_back({path.filename().string(), std::move(found)});
    } else if (path.extension() == ".cu") {
      if (which.empty())
        throw io::usage_error(fmt::format(
            "'{}' does not say which exercise it solves; name it with --exercise", path.string()));
      all.push_back({path.stem().string(), {path.string()}});
    }
  }
  if (all.empty())
    throw io::usage_error(fmt::format(
        "there is no submission in '{}': it should hold a folder with a kernel.cu, or a .cu file, "
        "for each student",
        folder));
  std::sort(all.begin(), all.end(), [](auto const& a, auto const& b) { return a.name < b.name; });
  return all;
}

nlohmann::ordered_json grade_class(
    std::vector<student> const& students, class_options const& options,
    std::function<void(std::size_t, std::size_t, std::string const&)> const& tell) {
  held_signals const held;  // until the folder is removed
  temporary_folder const folder;
  struct job {
    student const* of;
    std::string path;
    json result;
  };
  std::vector<job> jobs;
  for (auto const& s : students)
    for (auto const& path : s.paths) jobs.push_back({&s, path, {}});
  std::atomic<std::size_t> next = 0;
  std::size_t done = 0;
  std::mutex telling;
  std::exception_ptr thrown;
  auto const work = [&] {
    for (std::size_t i; (i = next++) < jobs.size();) try {
        jobs[i].result = graded(jobs[i].path, options, folder.path() / fmt::format("{}", i));
        std::lock_guard const lock(telling);
        tell(++done, jobs.size(), jobs[i].of->name);
      } catch (...) {
        std::lock_guard const lock(telling);
        thrown = std::current_exception();
        next = jobs.size();
      }
  };
  std::size_t const wanted =
      options.jobs != 0 ? options.jobs : std::max(1u, std::thread::hardware_concurrency());
  {
    std::vector<std::jthread> workers;
    for (std::size_t i = 0; i < std::min(wanted, jobs.size()); ++i) workers.emplace_back(work);
  }
  if (thrown) std::rethrow_exception(thrown);
  json all{{"seed", options.how.seed}, {"students", json::array()}};
  for (auto const& s : students) {
    json one{{"name", s.name}, {"points", 0}, {"of", 0}, {"exercises", json::array()}};
    for (auto& j : jobs) {
      if (j.of != &s) continue;
      one["points"] = one["points"].get<int>() + j.result["points"].get<int>();
      one["of"] = one["of"].get<int>() + j.result["of"].get<int>();
      one["exercises"].push_back(std::move(j.result));
    }
    all["students"].push_back(std::move(one));
  }
  return all;
}

// The grades of a class as a table, as CSV and as a page.

namespace {

using text::escaped;

using json = nlohmann::ordered_json;

/// The exercises of all students, by name.
std::vector<std::string> exercises_of(json const& graded) {
  std::vector<std::string> names;
  for (auto const& s : graded["students"])
    for (auto const& e : s["exercises"]) names.push_back(e["name"].get<std::string>());
  std::sort(names.begin(), names.end());
  names.erase(std::unique(names.begin(), names.end()), names.end());
  return names;
}

/// The student's best submission of that exercise, or null.
json const* best_of(json const& student, std::string const& exercise) {
  json const* best = nullptr;
  for (auto const& e : student["exercises"])
    if (e["name"] == exercise && (best == nullptr || e["points"] > (*best)["points"])) best = &e;
  return best;
}

std::string points_text(json const& e) {
  std::string const state = e["state"];
  bool const ran = state == "passed" || state == "failed";
  return ran ? fmt::format("{}/{}", e["points"].get<int>(), e["of"].get<int>()) : state;
}

/// The first failed check, or null.
json const* failure_of(json const& e) {
  for (auto const& c : e["checks"])
    if (!c["passed"].get<bool>()) return &c;
  return nullptr;
}

/// What went wrong, in one sentence.
std::string explanation_of(json const& e) {
  if (e.contains("error")) return e["error"];
  if (e.contains("compiler")) return e["compiler"];
  auto const* const failed = failure_of(e);
  return failed == nullptr ? std::string() : (*failed)["explanation"].get<std::string>();
}

/// A spreadsheet would compute a text that begins like a formula, and students choose the names.
std::string csv_field(std::string text) {
  std::replace(text.begin(), text.end(), '\n', ' ');
  std::replace(text.begin(), text.end(), '\r', ' ');
  if (text.find_first_of("=+-@\t") == 0) text.insert(0, 1, '\'');
  if (text.find_first_of(",\"") == std::string::npos) return text;
  for (std::size_t at = 0; (at = text.find('"', at)) != std::string::npos; at += 2)
    text.insert(at, "\"");
  return '"' + text + '"';
}

/// Points, the checks and the first failure with its lines.
std::string section_of(json const& e) {
  std::string text =
      fmt::format("<details><summary><b>{}</b> {} <span class=\"{}\">{}</span></summary>\n",
                  escaped(e["name"].get<std::string>()), escaped(e["title"].get<std::string>()),
                  e["state"] == "passed" ? "full" : "part", escaped(points_text(e)));
  if (e["state"] == "passed" || e["state"] == "failed") {
    text += "<ul>\n";
    for (auto const& c : e["checks"])
      text += fmt::format("<li class=\"{}\">{}/{} {}</li>\n",
                          c["passed"].get<bool>() ? "full" : "none", c["points"].get<int>(),
                          c["of"].get<int>(), escaped(c["title"].get<std::string>()));
    text += "</ul>\n";
  }
  auto const* const failed = failure_of(e);
  bool const ran = e["state"] == "failed" && failed != nullptr;
  if (ran)
    text += fmt::format("<p>{}: <b>{}</b>: {}</p>\n", escaped((*failed)["run"].get<std::string>()),
                        escaped((*failed)["kind"].get<std::string>()),
                        escaped((*failed)["explanation"].get<std::string>()));
  else if (auto const why = explanation_of(e); !why.empty())
    text += fmt::format("<pre>{}</pre>\n", escaped(why));
  if (ran) {
    for (auto const& at : (*failed)["at"])
      text += fmt::format("<pre>{}:{}  {}</pre>\n", escaped(at["file"].get<std::string>()),
                          at["line"].get<int>(), escaped(at["text"].get<std::string>()));
    text += fmt::format("<p>{}</p>\n", escaped((*failed)["advice"].get<std::string>()));
  }
  return text + "</details>\n";
}

constexpr std::string_view head = R"(<!doctype html>
<html lang="en"><head><meta charset="utf-8"><title>Grades</title>
<meta name="viewport" content="width=device-width, initial-scale=1">
<style>
:root { color-scheme: light dark; font: 16px/1.5 system-ui, sans-serif; }
body { max-width: 70rem; margin: 2rem auto; padding: 0 1rem; }
.scroll { overflow-x: auto; }
table { border-collapse: collapse; }
th, td { padding: .3rem .7rem; text-align: left; white-space: nowrap; }
td { border-top: 1px solid #8884; }
.full { color: #188038; } .part { color: #b06000; } .none { color: #c5221f; }
@media (prefers-color-scheme: dark) {
  .full { color: #81c995; } .part { color: #fdd663; } .none { color: #f28b82; }
}
pre { overflow-x: auto; background: #8882; padding: .4rem .6rem; }
summary { cursor: pointer; }
</style></head><body>
)";

}  // namespace

std::string table_of_class(json const& graded) {
  auto const exercises = exercises_of(graded);
  std::vector<std::string> titles{"student"};
  titles.insert(titles.end(), exercises.begin(), exercises.end());
  titles.emplace_back("points");
  text::text_table table(titles);
  for (auto const& s : graded["students"]) {
    std::vector<std::string> row{s["name"].get<std::string>()};
    for (auto const& name : exercises) {
      auto const* const e = best_of(s, name);
      row.push_back(e == nullptr ? "-" : points_text(*e));
    }
    row.push_back(fmt::format("{}/{}", s["points"].get<int>(), s["of"].get<int>()));
    table.add(row);
  }
  return table.text();
}

std::string csv_of_class(json const& graded) {
  std::string text = "student,exercise,state,points,of,seconds,kind,line,explanation\n";
  for (auto const& s : graded["students"])
    for (auto const& e : s["exercises"]) {
      auto const* const failed = failure_of(e);
      bool const ran = e["state"] == "failed" && failed != nullptr;
      auto const at = ran ? (*failed)["at"] : json::array();
      text += fmt::format("{},{},{},{},{},{:.1f},{},{},{}\n", csv_field(s["name"]),
                          csv_field(e["name"]), e["state"].get<std::string>(),
                          e["points"].get<int>(), e["of"].get<int>(), e["seconds"].get<double>(),
                          ran ? (*failed)["kind"].get<std::string>() : "",
                          at.empty() ? "" : fmt::format("{}", at[0]["line"].get<int>()),
                          csv_field(explanation_of(e)));
    }
  return text;
}

std::string page_of_class(json const& graded) {
  auto const exercises = exercises_of(graded);
  std::string text(head);
  text += fmt::format("<h1>Grades</h1>\n<p>Seed {}.</p>\n<div class=\"scroll\"><table>\n<tr>",
                      graded["seed"].get<std::uint64_t>());
  text += "<th>student</th>";
  for (auto const& name : exercises) text += fmt::format("<th>{}</th>", escaped(name));
  text += "<th>points</th></tr>\n";
  std::string sections;
  std::size_t number = 0;
  for (auto const& s : graded["students"]) {
    std::string const name = escaped(s["name"].get<std::string>());
    text += fmt::format("<tr><td><a href=\"#s{}\">{}</a></td>", number, name);
    for (auto const& exercise : exercises) {
      auto const* const e = best_of(s, exercise);
      text += e == nullptr ? "<td>-</td>"
                           : fmt::format("<td class=\"{}\">{}</td>",
                                         (*e)["state"] == "passed"       ? "full"
                                         : (*e)["points"].get<int>() > 0 ? "part"
                                                                         : "none",
                                         escaped(points_text(*e)));
    }
    text += fmt::format("<td>{}/{}</td></tr>\n", s["points"].get<int>(), s["of"].get<int>());
    sections += fmt::format("<h2 id=\"s{}\">{}</h2>\n", number++, name);
    for (auto const& e : s["exercises"]) sections += section_of(e);
  }
  return text + "</table></div>\n" + sections + "</body></html>\n";
}

}  // namespace upsweep::lab::grading
