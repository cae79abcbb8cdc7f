/// The parts of SARIF that findings need.
#include <upsweep/core/version.h>
#include <lab/reports.hpp>

#include <fmt/format.h>

#include <nlohmann/json.hpp>
#include <set>
#include <string>

namespace upsweep::lab {

namespace {

using json = nlohmann::ordered_json;

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
