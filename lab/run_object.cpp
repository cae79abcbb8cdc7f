/// Names of fields are the names of options.
#include <lab/run_object.hpp>

#include <lab/counters.hpp>

#include <cstddef>
#include <nlohmann/json.hpp>

namespace upsweep::lab {

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

}  // namespace upsweep::lab
