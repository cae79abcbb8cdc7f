/// Reads exercise.json. Some of its counters are sums of the emulator's.
#include <lab/grading/exercise.hpp>

#include <io/error.hpp>
#include <text/nearest.hpp>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <stdexcept>
#include <string_view>
#include <utility>

namespace upsweep::lab::grading {

namespace {

using value_of = std::uint64_t (*)(sim::counters const&);

template <std::uint64_t sim::counters::* member>
std::uint64_t one(sim::counters const& c) {
  return c.*member;
}

struct named_counter {
  char const* name;
  value_of value;
};
constexpr named_counter table[] = {
    {"applications", one<&sim::counters::applications>},
    {"span", one<&sim::counters::span>},
    {"steps", one<&sim::counters::steps>},
    {"divergent_steps", one<&sim::counters::divergent_steps>},
    {"barriers", one<&sim::counters::barriers>},
    {"warp_syncs", one<&sim::counters::warp_syncs>},
    {"shuffles", one<&sim::counters::shuffles>},
    {"votes", one<&sim::counters::votes>},
    {"shared_loads", one<&sim::counters::shared_loads>},
    {"shared_stores", one<&sim::counters::shared_stores>},
    {"shared_accesses", [](auto const& c) { return c.shared_loads + c.shared_stores; }},
    {"shared_wavefronts", one<&sim::counters::shared_wavefronts>},
    {"shared_conflicts", one<&sim::counters::shared_conflicts>},
    {"global_loads", one<&sim::counters::global_loads>},
    {"global_stores", one<&sim::counters::global_stores>},
    {"global_accesses", [](auto const& c) { return c.global_loads + c.global_stores; }},
    {"global_bytes", [](auto const& c) { return 32 * (c.sectors_loaded + c.sectors_stored); }},
    {"global_requests", one<&sim::counters::global_requests>},
    {"sectors_loaded", one<&sim::counters::sectors_loaded>},
    {"sectors_stored", one<&sim::counters::sectors_stored>},
    {"atomics", one<&sim::counters::atomics>},
    {"atomic_requests", one<&sim::counters::atomic_requests>},
    {"atomic_rounds", one<&sim::counters::atomic_rounds>},
    {"fences", one<&sim::counters::fences>},
};
constexpr char const *launches_counter = "launches", *global_atomics_counter = "global_atomics",
                     *longest_warp_counter = "longest_warp",
                     *exposed_copy_bytes_counter = "exposed_copy_bytes";

/// Of all buffers, but not of shared arrays, whose names begin otherwise.
std::uint64_t global_atomics(sim::launch_report const& launch) {
  std::uint64_t all = 0;
  for (auto const& [name, counts] : launch.buffers)
    if (!name.starts_with("shared:")) all += counts.atomics;
  return all;
}

}  // namespace

std::vector<std::string> const& counter_names() {
  static std::vector<std::string> const names = [] {
    std::vector<std::string> all{launches_counter, global_atomics_counter, longest_warp_counter,
                                 exposed_copy_bytes_counter};
    for (auto const& c : table) all.emplace_back(c.name);
    return all;
  }();
  return names;
}

std::string about_counter(std::string const& name) {
  static constexpr std::pair<std::string_view, std::string_view> sentences[] = {
      {"applications",
       "Applications are the work: how often op is called, by all threads together."},
      {"span",
       "The span is the longest chain of applications of which each needs the result of the one "
       "before: the steps of the algorithm, however many threads there are. A tree over n elements "
       "has log2 n, a loop of one thread n - 1."},
      {"steps",
       "A warp executes an instruction for all of its lanes in one step; what one thread does "
       "alone "
       "takes as many steps as what 32 do together."},
      {"longest_warp",
       "These are the steps of the warp with the most: the time that a GPU needs which has room "
       "for "
       "all warps. It grows where one warp, or one block, works while the others wait."},
      {"exposed_copy_bytes",
       "A thread that waits for an asynchronous copy right after it has started it waits as long "
       "as "
       "for a plain load. These are the bytes of such copies: their threads have accessed no "
       "memory "
       "in between."},
      {"barriers", "A barrier is a __syncthreads() of a whole block."},
      {"shuffles", "A shuffle is counted once for each warp."},
      {"shared_conflicts",
       "Lanes that access different words of one bank of shared memory take turns: one conflict "
       "for "
       "each further turn."},
      {"global_bytes",
       "Global memory is accessed in sectors of 32 bytes; each that a warp touches counts whole."},
      {"global_requests", "A warp's load or store is one request, for one lane as for 32 of them."},
      {"global_loads", "Each element that a thread loads from global memory is counted."},
      {"atomics", "Each thread's atomic function is counted."},
      {"global_atomics", "Each thread's atomic function on global memory is counted."},
  };
  for (auto const& [counter, sentence] : sentences)
    if (name == counter) return std::string(sentence);
  return {};
}

std::uint64_t counted(std::string const& name, std::span<sim::launch_report const> launches) {
  if (name == launches_counter) return launches.size();
  if (name == global_atomics_counter) {
    std::uint64_t all = 0;
    for (auto const& launch : launches) all += global_atomics(launch);
    return all;
  }
  if (name == longest_warp_counter || name == exposed_copy_bytes_counter) {
    auto const member = name == longest_warp_counter ? &sim::launch_report::longest_warp
                                                     : &sim::launch_report::exposed_copy_bytes;
    std::uint64_t all = 0;
    for (auto const& launch : launches) all += launch.*member;
    return all;
  }
  sim::counters sum;
  for (auto const& launch : launches) add_after(sum, launch.total);
  for (auto const& c : table)
    if (name == c.name) return c.value(sum);
  return 0;
}

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
