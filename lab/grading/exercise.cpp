/// Reads exercise.json.
#include <lab/grading/exercise.hpp>

#include <io/error.hpp>
#include <lab/grading/counter_names.hpp>
#include <lab/grading/embedded.hpp>
#include <text/nearest.hpp>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <stdexcept>

namespace upsweep::lab::grading {

namespace {

using json = nlohmann::json;

/// An error in an exercise.json.
class objection : public std::runtime_error {
  using std::runtime_error::runtime_error;
};

void expects(bool condition, std::string const& sentence) {
  if (!condition) throw objection(sentence);
}

template <class Names>
void expect_one_of(std::string const& word, Names const& names, std::string_view key) {
  if (std::find(names.begin(), names.end(), word) != names.end())
    return;  // fast path: every start of the tool runs this
  throw objection(fmt::format("\"{}\" is '{}', but must be one of {}{}", key, word,
                              fmt::join(names, ", "), text::did_you_mean(word, names)));
}

void expect_known_keys(json const& object, std::vector<std::string> const& keys) {
  for (auto const& [key, value] : object.items()) expect_one_of(key, keys, "key");
}

linear read_linear(json const& row, char const* constant, char const* per_element) {
  return {row.value(constant, 0.0), row.value(per_element, 0.0)};
}

std::string read_counter(json const& row) {
  auto const counter = row.at("counter").get<std::string>();
  expect_one_of(counter, counter_names(), "counter");
  return counter;
}

budget read_budget(json const& row, std::vector<std::string> const& cases) {
  expect_known_keys(row, {"title", "counter", "case", "n", "at_most", "at_most_per_element",
                          "at_least", "at_least_per_element", "points"});
  budget b;
  b.counter = read_counter(row);
  b.title = row.at("title").get<std::string>();
  b.which = row.value("case", cases.front());
  expect_one_of(b.which, cases, "case");
  b.n = row.at("n").get<std::uint64_t>();
  b.at_most = read_linear(row, "at_most", "at_most_per_element");
  b.at_least = read_linear(row, "at_least", "at_least_per_element");
  b.points = row.value("points", b.points);
  return b;
}

void read_lists(json const& text, exercise& e) {
  for (auto const& row : text.value("budgets", json::array()))
    e.budgets.push_back(read_budget(row, e.cases));
  for (auto const& row : text.value("floors", json::array())) {
    expect_known_keys(row, {"counter", "at_least", "at_least_per_element", "why"});
    e.floors.push_back({read_counter(row), row.at("why").get<std::string>(),
                        read_linear(row, "at_least", "at_least_per_element")});
  }
  json const not_allowed = text.value("not_allowed", json::object());
  for (auto const& [word, why] : not_allowed.items())
    e.not_allowed.push_back({word, why.get<std::string>()});
  for (auto const& row : text.value("needed", json::array())) {
    expect_known_keys(row, {"words", "why"});
    e.needed.push_back(
        {row.at("words").get<std::vector<std::string>>(), row.at("why").get<std::string>()});
  }
}

exercise read(json const& text) {
  expects(text.is_object(), "it must be an object");
  expect_known_keys(text, {"name", "title", "cases", "sizes", "more_sizes", "tile", "smallest",
                           "largest", "budgets", "floors", "not_allowed", "needed", "points"});
  exercise e;
  e.name = text.at("name").get<std::string>();
  e.title = text.at("title").get<std::string>();
  e.cases = text.at("cases").get<std::vector<std::string>>();
  expects(!e.cases.empty(), "\"cases\" is empty");
  e.sizes = text.at("sizes").get<std::vector<std::uint64_t>>();
  expects(!e.sizes.empty(), "\"sizes\" is empty");
  e.more_sizes = text.value("more_sizes", e.more_sizes);
  e.tile = text.value("tile", e.tile);
  expects(e.tile >= 1, "\"tile\" must be at least 1");
  e.smallest = text.value("smallest", e.smallest);
  e.largest = text.value("largest", e.largest);
  read_lists(text, e);
  json const points = text.value("points", json::object());
  expect_known_keys(points, {"sizes", "hidden", "schedules"});
  e.points_sizes = points.value("sizes", e.points_sizes);
  e.points_hidden = points.value("hidden", e.points_hidden);
  e.points_schedules = points.value("schedules", e.points_schedules);
  constexpr std::uint64_t most = std::uint64_t{1} << 22;
  for (auto const n : e.sizes) expects(n <= most, "\"sizes\" must be at most 4194304");
  for (auto const& b : e.budgets) expects(b.n <= most, "\"n\" of a budget must be at most 4194304");
  return e;
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
    for (auto const& file : embedded_exercises()) {
      read.push_back(parse_exercise(file.rules, std::string(file.name)));
      read.back().checker = file.checker;
    }
    return read;
  }();
  return all;
}

exercise const* find_exercise(std::string_view name) {
  for (auto const& e : known_exercises())
    if (e.name == name) return &e;
  return nullptr;
}

}  // namespace upsweep::lab::grading
