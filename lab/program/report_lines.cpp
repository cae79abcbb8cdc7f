/// JSON, one array a line; counters are arrays of numbers in the order of the struct.
#include <lab/program/report_lines.hpp>

#include <io/error.hpp>

#include <array>
#include <bit>
#include <nlohmann/json.hpp>
#include <sstream>

namespace upsweep::lab {

namespace {

using json = nlohmann::json;
using words = std::array<std::uint64_t, sizeof(sim::counters) / sizeof(std::uint64_t)>;

json json_of(sim::source_position const& p) {
  return {p.file, p.line};
}
sim::source_position position_of(json const& j) {
  return {j.at(0).get<std::string>(), j.at(1).get<std::uint32_t>()};
}
sim::counters counters_of(json const& j) {
  return std::bit_cast<sim::counters>(j.get<words>());
}
std::string line(json const& j) {
  return j.dump(-1, ' ', false, json::error_handler_t::replace) + '\n';
}

sim::launch_report launch_of(json const& j) {
  sim::launch_report launch;
  launch.name = j.at("name").get<std::string>();
  auto const shape = j.at("shape").get<std::array<unsigned, 7>>();
  launch.shape.blocks = {shape[0], shape[1], shape[2]};
  launch.shape.threads = {shape[3], shape[4], shape[5]};
  launch.shape.cluster = shape[6];
  launch.shape.shared_bytes = j.at("shared").get<std::size_t>();
  launch.declared_shared_bytes = j.at("declared").get<std::size_t>();
  launch.total = counters_of(j.at("total"));
  for (auto const& b : j.at("buffers"))
    launch.buffers[b.at(0).get<std::string>()] = {
        b.at(1).get<std::uint64_t>(), b.at(2).get<std::uint64_t>(), b.at(3).get<std::uint64_t>()};
  for (auto const& l : j.at("lines"))
    launch.lines.push_back({position_of(l.at(0)), counters_of(l.at(1))});
  return launch;
}

}  // namespace

std::string line_of(sim::launch_report const& launch) {
  auto const& s = launch.shape;
  json buffers = json::array(), lines = json::array();
  for (auto const& [name, b] : launch.buffers)
    buffers.push_back({name, b.loads, b.stores, b.atomics});
  for (auto const& l : launch.lines)
    lines.push_back({json_of(l.line), std::bit_cast<words>(l.counts)});
  return line(
      {{"name", launch.name},
       {"shape",
        {s.blocks.x, s.blocks.y, s.blocks.z, s.threads.x, s.threads.y, s.threads.z, s.cluster}},
       {"shared", s.shared_bytes},
       {"declared", launch.declared_shared_bytes},
       {"total", std::bit_cast<words>(launch.total)},
       {"buffers", buffers},
       {"lines", lines}});
}

std::string line_of(std::vector<sim::finding> const& findings) {
  json all = json::array();
  for (auto const& f : findings)
    all.push_back(
        {static_cast<int>(f.kind), f.sentence, json_of(f.first), json_of(f.second), f.occurrences});
  return line({{"findings", all}});
}

std::string load_error_line(std::string const& sentence) {
  return line({{"load_error", sentence}});
}

std::string crash_line(std::string const& sentence) {
  return line({{"crash", sentence}});
}

std::string note_line(std::string const& text) {
  return line({{"note", text}});
}

void read_lines(std::string const& text, program_outcome& into) {
  std::istringstream lines(text);
  for (std::string one; std::getline(lines, one);) {
    json const j = json::parse(one, nullptr, false);
    if (j.is_discarded()) continue;
    if (j.contains("name")) {
      into.report.launches.push_back(launch_of(j));
    } else if (j.contains("findings")) {
      into.report.findings.clear();
      for (auto const& f : j["findings"])
        into.report.findings.push_back({static_cast<sim::finding_kind>(f.at(0).get<int>()),
                                        f.at(1).get<std::string>(), position_of(f.at(2)),
                                        position_of(f.at(3)), f.at(4).get<std::uint64_t>()});
    } else if (j.contains("crash")) {
      into.failure = j["crash"].get<std::string>();
    } else if (j.contains("note")) {
      into.notes.push_back({j["note"].get<std::string>(), into.report.launches.size()});
    } else if (j.contains("load_error")) {
      throw io::data_error(j["load_error"].get<std::string>());
    }
  }
}

}  // namespace upsweep::lab
