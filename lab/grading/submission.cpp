/// Finds submissions by path, name or number.
#include <lab/grading/submission.hpp>

#include <io/error.hpp>
#include <io/small_file.hpp>
#include <text/nearest.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <system_error>
#include <utility>

namespace upsweep::lab::grading {

namespace {

namespace fs = std::filesystem;
using json = nlohmann::json;

constexpr char const *kernel_file = "kernel.cu", *rules_file = "exercise.json",
                     *checker_file = "check.cu";

std::string text_of(fs::path const& file) {
  auto text = io::small_file(file.string());
  if (!text)
    throw io::io_error(fmt::format("cannot read '{}': {}", file.string(), std::strerror(errno)));
  return *std::move(text);
}

std::vector<std::string> names() {
  std::vector<std::string> all;
  for (auto const& e : known_exercises()) all.push_back(e.name);
  return all;
}

/// The "name" in an exercise.json, even if the rest is invalid.
std::string name_in(std::string const& text) {
  json const rules = json::parse(text, nullptr, false);
  return rules.is_object() && rules.contains("name") && rules["name"].is_string()
             ? rules["name"].get<std::string>()
             : std::string();
}

/// The exercise whose exercise.json is in `folder`: the tool's own if it knows the name.
exercise exercise_in(fs::path const& folder) {
  fs::path const rules = folder / rules_file;
  std::string const text = text_of(rules);
  if (auto const* const known = find_exercise(name_in(text))) return *known;
  exercise e = parse_exercise(text, rules.string());
  if (!fs::exists(folder / checker_file))
    throw io::data_error(
        fmt::format("'{}' has rules but no {}, the checker that launches the kernel",
                    folder.string(), checker_file));
  e.checker = text_of(folder / checker_file);
  return e;
}

exercise exercise_of_folder(fs::path const& folder) {
  std::error_code none;
  auto const name = fs::canonical(folder, none).filename().string();
  if (fs::exists(folder / rules_file, none)) return exercise_in(folder);
  if (auto const* const known = find_exercise(name)) return *known;
  throw io::usage_error(fmt::format(
      "'{}' has no {}, and '{}' is not an exercise of the tool{}; name it with --exercise",
      folder.string(), rules_file, name, text::did_you_mean(name, names())));
}

/// The exercise for "3", "03" or "03-barrier-in-branch".
std::string named(std::string const& word) {
  bool const number =
      !word.empty() && word.size() <= 2 &&
      std::all_of(word.begin(), word.end(), [](char c) { return c >= '0' && c <= '9'; });
  for (auto const& e : known_exercises())
    if (e.name == word || (number && e.name.starts_with(fmt::format("{:0>2}-", word))))
      return e.name;
  return {};
}

submission submission_in(fs::path const& folder, std::string const& which) {
  return {which.empty() ? exercise_of_folder(folder) : exercise_named(which),
          (folder / kernel_file).string()};
}

}  // namespace

exercise exercise_named(std::string const& word) {
  std::error_code none;
  if (auto const name = named(word); !name.empty()) return *find_exercise(name);
  if (fs::exists(fs::path(word) / rules_file, none)) return exercise_in(word);
  throw io::usage_error(fmt::format(
      "there is no exercise '{}'{}; 'upsweep list exercises' lists those of the tool, and a folder "
      "with your exercise needs an {}",
      word, text::did_you_mean(word, names()), rules_file));
}

submission find_submission(std::string const& path, std::string const& which) {
  std::error_code none;
  if (fs::is_regular_file(path, none)) {
    auto const folder = fs::path(path).parent_path();
    return {
        which.empty() ? exercise_of_folder(folder.empty() ? "." : folder) : exercise_named(which),
        path};
  }
  if (fs::is_directory(path, none)) {
    if (fs::exists(fs::path(path) / kernel_file, none)) return submission_in(path, which);
    throw io::usage_error(
        fmt::format("'{}' has no {}; name the folder of one exercise, or use --all for the folders "
                    "in it",
                    path, kernel_file));
  }
  std::string const word = fs::path(path).filename().string(), name = named(word);
  fs::path const here = fs::path("exercises") / name;
  if (!name.empty() && word == path) {
    if (fs::exists(here / kernel_file, none)) return submission_in(here, which);
    throw io::usage_error(
        fmt::format("there is no '{}' here; change to the folder that contains 'exercises', or "
                    "name the folder with your {}",
                    here.string(), kernel_file));
  }
  throw io::usage_error(
      fmt::format("there is no folder '{}'{}; 'upsweep list exercises' lists the exercises", path,
                  text::did_you_mean(word, names())));
}

std::vector<submission> all_submissions(std::string const& folder, std::string const& which) {
  std::error_code none;
  std::vector<fs::path> folders;
  for (auto const& entry : fs::directory_iterator(folder, none))
    if (fs::exists(entry.path() / kernel_file, none)) folders.push_back(entry.path());
  if (folders.empty())
    throw io::usage_error(
        fmt::format("no folder in '{}' contains a {}; name the folder that contains the exercises",
                    folder, kernel_file));
  std::sort(folders.begin(), folders.end());
  std::vector<submission> all;
  for (auto const& f : folders) all.push_back(submission_in(f, which));
  return all;
}

}  // namespace upsweep::lab::grading
