/// Reads exercise.json, and identifies the exercise of a folder.
#include <lab/grading/exercise.hpp>

#include <io/error.hpp>
#include <lab/grading/embedded.hpp>
#include <lab/grading/results.hpp>
#include <text/nearest.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>

namespace upsweep::lab::grading {

namespace {

namespace fs = std::filesystem;
using json = nlohmann::json;

/// An error in an exercise.json.
class objection : public std::runtime_error {
  using std::runtime_error::runtime_error;
};

void expects(bool condition, std::string const& sentence) {
  if (!condition) throw objection(sentence);
}

/// Names are inserted into the program that is compiled around the kernel.
void expect_identifier(std::string const& name, std::string_view key) {
  bool const good = !name.empty() && (name[0] < '0' || name[0] > '9') &&
                    std::all_of(name.begin(), name.end(), [](char c) {
                      return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
                             (c >= '0' && c <= '9') || c == '_';
                    });
  expects(good, fmt::format("\"{}\" is '{}', which is not a C++ identifier", key, name));
}

template <class Names>
void expect_one_of(std::string const& word, Names const& names, std::string_view key) {
  if (std::find(names.begin(), names.end(), word) != names.end())
    return;  // fast path: every start of the tool runs this
  throw objection(fmt::format("\"{}\" is '{}', but must be one of {}{}", key, word,
                              fmt::join(names, ", "), text::did_you_mean(word, names)));
}

typed_operator read_operator(json const& row) {
  static std::vector<std::string> const ops{"sum", "product", "max", "min", "composition"},
      types{"i32", "i64", "f64", "affine"};
  typed_operator const w{row.at("op").get<std::string>(), row.at("type").get<std::string>()};
  expect_one_of(w.op, ops, "op");
  expect_one_of(w.type, types, "type");
  expects((w.op == "composition") == (w.type == "affine"),
          "\"composition\" goes with type \"affine\", and with no other");
  return w;
}

budget read_budget(json const& row) {
  budget b;
  b.counter = row.at("counter").get<std::string>();
  expect_one_of(b.counter, counter_names(), "counter");
  b.title = row.at("title").get<std::string>();
  b.n = row.at("n").get<std::uint64_t>();
  b.at_most = row.value("at_most", 0.0);
  b.per_element = row.value("per_element", 0.0);
  b.points = row.value("points", b.points);
  return b;
}

exercise read(json const& text) {
  exercise e;
  e.name = text.at("name").get<std::string>();
  e.title = text.at("title").get<std::string>();
  e.plan = text.at("plan").get<std::string>();
  expect_identifier(e.plan, "plan");
  if (text.contains("operator")) {
    e.own_operator = text.at("operator").get<std::string>();
    expect_identifier(e.own_operator, "operator");
  }
  auto const kind = text.at("kind").get<std::string>();
  expect_one_of(kind, std::vector<std::string>{"reduce", "inclusive scan", "exclusive scan"},
                "kind");
  e.scan = kind != "reduce";
  e.exclusive = kind == "exclusive scan";
  e.threads = text.value("threads", e.threads);
  expects(e.threads >= 1 && e.threads <= 1024, "\"threads\" must be 1 to 1024");
  for (auto const& row : text.at("elements")) e.operators.push_back(read_operator(row));
  expects(!e.operators.empty(), "\"elements\" is empty");
  e.sizes = text.at("sizes").get<std::vector<std::uint64_t>>();
  expects(!e.sizes.empty(), "\"sizes\" is empty");
  if (text.contains("budgets"))
    for (auto const& row : text.at("budgets")) e.budgets.push_back(read_budget(row));
  json const points = text.value("points", json::object());
  e.points_sizes = points.value("sizes", e.points_sizes);
  e.points_hidden = points.value("hidden", e.points_hidden);
  e.points_schedules = points.value("schedules", e.points_schedules);
  constexpr std::uint64_t most = std::uint64_t{1} << 22;
  for (auto const n : e.sizes) expects(n <= most, "\"sizes\" must be at most 4194304");
  for (auto const& b : e.budgets) expects(b.n <= most, "\"n\" of a budget must be at most 4194304");
  return e;
}

std::string text_of(fs::path const& file) {
  std::ifstream in(file, std::ios::binary);
  std::ostringstream text;
  text << in.rdbuf();
  if (!in) throw io::io_error(fmt::format("Cannot read '{}'.", file.string()));
  return text.str();
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

/// The exercise named by the folder's exercise.json, or by the folder's name if there is none.
submission submission_in(fs::path const& folder) {
  submission s;
  s.folder = folder.string();
  std::error_code none;
  auto const name = fs::canonical(folder, none).filename().string();
  fs::path const rules = folder / "exercise.json";
  if (!fs::exists(rules)) {
    auto const* const known = find_exercise(name);
    if (known == nullptr)
      throw io::usage_error(
          fmt::format("'{}' has a kernel.hpp but no exercise.json, and '{}' is not an exercise of "
                      "the tool{}",
                      s.folder, name, text::did_you_mean(name, names())));
    s.task = *known;
    return s;
  }
  std::string const text = text_of(rules);
  if (auto const* const known = find_exercise(name_in(text)))
    s.task = *known;
  else
    s.task = parse_exercise(text, rules.string());
  return s;
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

}  // namespace

exercise parse_exercise(std::string_view text, std::string const& where) {
  try {
    return read(json::parse(text));
  } catch (json::exception const& e) {
    throw io::data_error(fmt::format("{}: {}", where, e.what()));
  } catch (objection const& e) {
    throw io::data_error(fmt::format("{}: {}", where, e.what()));
  }
}

std::span<exercise const> known_exercises() {
  static std::vector<exercise> const all = [] {
    std::vector<exercise> read;
    for (auto const& file : embedded_exercises())
      read.push_back(parse_exercise(file.text, std::string(file.name)));
    return read;
  }();
  return all;
}

exercise const* find_exercise(std::string_view name) {
  for (auto const& e : known_exercises())
    if (e.name == name) return &e;
  return nullptr;
}

submission find_submission(std::string const& path) {
  std::error_code none;
  if (fs::is_regular_file(path, none) && fs::path(path).filename() == "kernel.hpp") {
    auto const folder = fs::path(path).parent_path();
    return submission_in(folder.empty() ? "." : folder);
  }
  if (fs::is_directory(path, none)) {
    if (fs::exists(fs::path(path) / "kernel.hpp", none)) return submission_in(path);
    throw io::usage_error(
        fmt::format("'{}' has no kernel.hpp; name the folder of one exercise, or use --all for "
                    "the folders in it",
                    path));
  }
  std::string const word = fs::path(path).filename().string(), name = named(word);
  fs::path const here = fs::path("exercises") / name;
  if (!name.empty() && word == path) {
    if (fs::exists(here / "kernel.hpp", none)) return submission_in(here);
    throw io::usage_error(fmt::format(
        "there is no '{}' here; change to the folder that contains 'exercises', or name "
        "the folder with your kernel.hpp",
        here.string()));
  }
  throw io::usage_error(
      fmt::format("there is no folder '{}'{}; 'upsweep list exercises' lists the exercises", path,
                  text::did_you_mean(word, names())));
}

std::vector<submission> all_submissions(std::string const& folder) {
  std::error_code none;
  std::vector<fs::path> folders;
  for (auto const& entry : fs::directory_iterator(folder, none))
    if (fs::exists(entry.path() / "kernel.hpp", none)) folders.push_back(entry.path());
  if (folders.empty())
    throw io::usage_error(fmt::format(
        "no folder in '{}' contains a kernel.hpp; name the folder that contains the exercises",
        folder));
  std::sort(folders.begin(), folders.end());
  std::vector<submission> all;
  for (auto const& f : folders) all.push_back(submission_in(f));
  return all;
}

}  // namespace upsweep::lab::grading
