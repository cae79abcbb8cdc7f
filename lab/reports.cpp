/// The list of counters, reports in text and JSON, and the pages of findings.
#include <lab/reports.hpp>

#include <upsweep/core/version.h>
#include <embedded_finding_pages.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <nlohmann/json.hpp>
#include <set>
#include <string>

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

// Names of fields are the names of options.

nlohmann::ordered_json verdict_object(request const& asked, outcome const& out) {
  nlohmann::ordered_json object{{"stem", asked.stem},
                                {"n", asked.n},
                                {"op", name_of(asked.op)},
                                {"dtype", name_of(asked.type)},
                                {"block", asked.threads},
                                {"exclusive", asked.exclusive},
                                {"on", asked.on == machine_name::cuda ? "cuda" : "sim"},
                                {"seed", asked.machine.seed},
                                {"agrees", out.agrees()},
                                {"value", out.value}};
  if (out.first)
    object["first_difference"] = {{"index", out.first->index},
                                  {"expected", out.first->expected},
                                  {"got", out.first->got},
                                  {"wrong", out.different}};
  return object;
}

nlohmann::ordered_json json_of(request const& asked, outcome const& out) {
  auto object = verdict_object(asked, out);
  object["schedule"] = name_of(asked.machine.how);
  object["resident"] = asked.machine.resident_blocks;
  object["findings"] = nlohmann::ordered_json::array();
  for (auto const& f : sim::grouped(out.report)) object["findings"].push_back(json_of(f));
  object["total"] = json_of(out.report.total());
  object["launches"] = nlohmann::ordered_json::array();
  for (auto const& launch : out.report.launches) object["launches"].push_back(json_of(launch));
  object["seconds"] = out.seconds;
  return object;
}

nlohmann::ordered_json json_of(sim::report const& report) {
  nlohmann::ordered_json object;
  object["findings"] = nlohmann::ordered_json::array();
  for (auto const& f : sim::grouped(report)) object["findings"].push_back(json_of(f));
  object["total"] = json_of(report.total());
  object["launches"] = nlohmann::ordered_json::array();
  for (auto const& launch : report.launches) {
    auto one = json_of(launch);
    auto const &b = launch.shape.blocks, &t = launch.shape.threads;
    one["grid"] = {b.x, b.y, b.z};
    one["block"] = {t.x, t.y, t.z};
    one["at"] = launch.at.line == 0
                    ? nlohmann::ordered_json(nullptr)
                    : nlohmann::ordered_json{{"file", launch.at.file}, {"line", launch.at.line}};
    constexpr char const* sources[]{"measured", "repeated", "unmeasured"};
    one["counts"] = sources[static_cast<std::size_t>(launch.source)];
    one["shared_bytes"] = launch.shape.shared_bytes;
    one["declared_shared_bytes"] = launch.declared_shared_bytes;
    object["launches"].push_back(one);
  }
  return object;
}

namespace {

std::string stem_of(std::string_view name) {
  std::string stem(name);
  std::ranges::replace_if(stem, [](char c) { return c == ' ' || c == '-'; }, '_');
  return stem;
}

}  // namespace

std::string page_of(sim::finding_kind kind) {
  return stem_of(sim::name_of(kind));
}

std::vector<std::string> pages_of_findings() {
  std::vector<std::string> all;
  for (auto const& page : finding_pages)
    if (page.stem != "index") all.emplace_back(page.stem);
  return all;
}

std::string text_of_page(std::string_view name) {
  std::string text;
  for (auto const& page : finding_pages)
    if (page.stem == stem_of(name))
      for (auto const piece : page.pieces) text += piece;
  return text;
}

// SARIF: the parts that findings need.

namespace {

/// "race in a block" as "race-in-a-block".
std::string rule_of(sim::finding_kind kind) {
  std::string id = name_of(kind);
  for (char& c : id)
    if (c == ' ') c = '-';
  return id;
}

json location(sim::source_position const& at) {
  json region{{"startLine", at.line}};
  if (at.column != 0) region["startColumn"] = at.column;
  return {{"physicalLocation", {{"artifactLocation", {{"uri", at.file}}}, {"region", region}}}};
}

json result(sim::finding const& f) {
  json object{{"ruleId", rule_of(f.kind)},
              {"level", "error"},
              {"message", {{"text", f.sentence}}},
              {"occurrenceCount", f.occurrences}};
  bool const is_pair = f.second.line != 0;
  if (auto const& at = is_pair ? f.second : f.first; at.line != 0)
    object["locations"] = json::array({location(at)});
  if (is_pair && f.first.line != 0) {
    json earlier = location(f.first);
    earlier["message"] = {{"text", "the earlier access"}};
    object["relatedLocations"] = json::array({earlier});
  }
  return object;
}

}  // namespace

json sarif_of(sim::report const& report) {
  std::set<std::string> kinds;
  json results = json::array(), rules = json::array();
  for (auto const& f : report.findings) {
    results.push_back(result(f));
    if (kinds.insert(rule_of(f.kind)).second)
      rules.push_back({{"id", rule_of(f.kind)}, {"shortDescription", {{"text", name_of(f.kind)}}}});
  }
  std::string const version =
      fmt::format("{}.{}.{}", UPSWEEP_VERSION_MAJOR, UPSWEEP_VERSION_MINOR, UPSWEEP_VERSION_PATCH);
  json const driver{{"name", "upsweep"}, {"version", version}, {"rules", rules}};
  return {{"$schema", "https://json.schemastore.org/sarif-2.1.0.json"},
          {"version", "2.1.0"},
          {"runs", json::array({{{"tool", {{"driver", driver}}}, {"results", results}}})}};
}

}  // namespace upsweep::lab
