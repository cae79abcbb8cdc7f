/// Every submission is graded by a run of this tool, whose JSON is collected.
#include <lab/grading/class.hpp>

#include <io/error.hpp>
#include <io/small_file.hpp>
#include <lab/compiler/private_folder.hpp>
#include <lab/compiler/process.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <exception>
#include <filesystem>
#include <mutex>
#include <optional>
#include <system_error>
#include <thread>
#include <utility>

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

}  // namespace upsweep::lab::grading
