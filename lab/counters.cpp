/// The list of counters, and their format in text and JSON.
#include <lab/counters.hpp>

#include <lab/finding_pages.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <nlohmann/json.hpp>

namespace upsweep::lab {

namespace {

using sim::counters;
using json = nlohmann::ordered_json;

template <std::uint64_t counters::* member>
double value(counters const& c) {
  return static_cast<double>(c.*member);
}

constexpr counter_row rows[] = {
    {"applications", "applications", value<&counters::applications>, -1, false, true},
    {"span", "span", value<&counters::span>, -1, false, true},
    {"steps", "warp instructions", value<&counters::steps>, -1, false, true},
    {"efficiency", "active lanes", [](counters const& c) { return c.efficiency(); }, 1, true, true},
    {"divergent_steps", "divergent instructions", value<&counters::divergent_steps>, -1, false,
     true},
    {"barriers", "barriers", value<&counters::barriers>, -1, false, true},
    {"cluster_barriers", "cluster barriers", value<&counters::cluster_barriers>},
    {"warp_syncs", "warp barriers", value<&counters::warp_syncs>},
    {"shared_requests", "shared requests", value<&counters::shared_requests>},
    {"shared_wavefronts", "shared wavefronts", value<&counters::shared_wavefronts>},
    {"shared_conflicts", "bank conflicts", value<&counters::shared_conflicts>},
    {"shared_loads", "shared elements read", value<&counters::shared_loads>},
    {"shared_stores", "shared elements written", value<&counters::shared_stores>},
    {"global_requests", "global requests", value<&counters::global_requests>, -1, false, true},
    {"global_loads", "global elements read", value<&counters::global_loads>, -1, false, true},
    {"global_stores", "global elements written", value<&counters::global_stores>, -1, false, true},
    {"sectors_loaded", "sectors read", value<&counters::sectors_loaded>, -1, false, true},
    {"sectors_stored", "sectors written", value<&counters::sectors_stored>, -1, false, true},
    {"lines_loaded", "lines read", value<&counters::lines_loaded>},
    {"lines_stored", "lines written", value<&counters::lines_stored>},
    {"atomics", "atomics", value<&counters::atomics>},
    {"atomic_rounds", "serialized atomic passes", value<&counters::atomic_rounds>},
    {"polls", "polls", value<&counters::polls>, 0},
    {"fences", "fences", value<&counters::fences>},
    {"shuffles", "shuffles", value<&counters::shuffles>},
    {"votes", "votes, warp reductions", value<&counters::votes>},
};

/// 12345 as "12,345".
std::string grouped(double count) {
  std::string const digits = fmt::format("{:.0f}", count);
  std::string text;
  for (std::size_t i = 0; i < digits.size(); ++i) {
    if (i > 0 && (digits.size() - i) % 3 == 0) text += ',';
    text += digits[i];
  }
  return text;
}

json position(sim::source_position const& p) {
  return p.line == 0 ? json(nullptr) : json{{"file", p.file}, {"line", p.line}};
}

}  // namespace

std::span<counter_row const> counter_rows() {
  return rows;
}

bool has_warps(std::string_view stem) {
  return !stem.starts_with("tasklet_");
}

bool has_counter(std::string_view stem, counter_row const& row) {
  constexpr std::string_view of_warps[] = {
      "steps",           "efficiency",        "divergent_steps",  "warp_syncs",
      "shared_requests", "shared_wavefronts", "shared_conflicts", "global_requests",
      "sectors_loaded",  "sectors_stored",    "lines_loaded",     "lines_stored",
      "atomic_rounds"};
  return has_warps(stem) || std::ranges::find(of_warps, row.key) == std::end(of_warps);
}

std::string text_of(counter_row const& row, counters const& c) {
  double const x = row.of(c);
  return row.percent ? fmt::format("{:.1f} %", 100 * x) : grouped(x);
}

json json_of(counters const& c) {
  json object;
  for (auto const& row : rows)
    object[std::string(row.key)] =
        row.percent ? json(row.of(c)) : json(static_cast<std::uint64_t>(row.of(c)));
  object["elements_loaded"] = c.elements_loaded;
  object["active_lanes"] = c.active_lanes;
  object["operator_steps"] = c.operator_steps;
  object["atomic_requests"] = c.atomic_requests;
  return object;
}

json json_of(sim::launch_report const& launch) {
  json object{{"name", launch.name},
              {"blocks", launch.shape.blocks.count()},
              {"threads", launch.shape.threads.count()}};
  object["counters"] = json_of(launch.total);
  object["buffers"] = json::object();
  for (auto const& [name, b] : launch.buffers)
    object["buffers"][name] = {{"loads", b.loads}, {"stores", b.stores}, {"atomics", b.atomics}};
  object["lines"] = json::array();
  for (auto const& line : launch.lines)
    object["lines"].push_back({{"at", position(line.line)}, {"counters", json_of(line.counts)}});
  return object;
}

json json_of(sim::finding const& f) {
  return {{"kind", sim::name_of(f.kind)},
          {"sentence", f.sentence},
          {"first", position(f.first)},
          {"second", position(f.second)},
          {"page", page_of(f.kind)},
          {"occurrences", f.occurrences},
          {"others", f.others},
          {"launch", f.launch == sim::finding::no_launch ? json(nullptr) : json(f.launch)}};
}

}  // namespace upsweep::lab
