/// JSON, one array a line; counters are arrays of numbers in the order of the struct.
#include <lab/program/report_lines.hpp>

#include <io/error.hpp>

#include <unistd.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <nlohmann/json.hpp>
#include <optional>
#include <sstream>
#include <utility>
#include <vector>

namespace upsweep::lab {

namespace {

using json = nlohmann::json;
using words = std::array<std::uint64_t, sizeof(sim::counters) / sizeof(std::uint64_t)>;

[[noreturn]] void refuse_report() {
  throw io::data_error("the program has written into the report of the emulator");
}

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

json json_of(simt::launch_shape const& s) {
  return {s.blocks.x,  s.blocks.y,  s.blocks.z,  s.threads.x, s.threads.y,
          s.threads.z, s.cluster.x, s.cluster.y, s.cluster.z};
}
simt::launch_shape shape_of(json const& j) {
  auto const shape = j.get<std::array<unsigned, 9>>();
  if (std::ranges::find(shape, 0U) != shape.end()) refuse_report();
  simt::launch_shape made;
  made.blocks = {shape[0], shape[1], shape[2]};
  made.threads = {shape[3], shape[4], shape[5]};
  made.cluster = {shape[6], shape[7], shape[8]};
  return made;
}

json json_of(std::optional<sim::thread_number> const& t) {
  return t ? json{t->block, t->thread} : json(nullptr);
}
std::optional<sim::thread_number> thread_of(json const& j) {
  if (j.is_null()) return {};
  return sim::thread_number{j.at(0).get<std::uint64_t>(), j.at(1).get<unsigned>()};
}

sim::finding finding_of(json const& f) {
  return {static_cast<sim::finding_kind>(f.at(0).get<int>()),
          f.at(1).get<std::string>(),
          position_of(f.at(2)),
          position_of(f.at(3)),
          f.at(4).get<std::uint64_t>(),
          f.at(5).get<std::size_t>(),
          thread_of(f.at(6)),
          thread_of(f.at(7)),
          f.at(8).get<std::string>()};
}

json json_of(sim::element_layout const& e) {
  json fields = json::array();
  for (auto const& f : e.fields) fields.push_back({static_cast<int>(f.kind), f.offset, f.bytes});
  return {e.name, e.bytes, fields, e.extents};
}
sim::element_layout layout_of(json const& j) {
  sim::element_layout e{j.at(0), j.at(1), {}, j.at(3).get<std::vector<std::uint64_t>>()};
  for (auto const& f : j.at(2))
    e.fields.push_back({static_cast<sim::number_kind>(f.at(0).get<int>()), f.at(1).get<unsigned>(),
                        f.at(2).get<unsigned>()});
  return e;
}

sim::step step_of(json const& j) {
  sim::step s{j.at(0), j.at(1), j.at(2), static_cast<sim::step_kind>(j.at(3).get<int>()),
              j.at(4), j.at(5), j.at(6), j.at(7),
              j.at(8), {}};
  for (auto const& e : j.at(9))
    s.lanes.push_back(
        {e.at(0), e.at(1), e.at(2), e.at(3), e.at(4),
         std::bit_cast<std::array<std::byte, 16>>(e.at(5).get<std::array<std::uint64_t, 2>>()),
         e.at(6), e.at(7), e.at(8), e.at(9), e.at(10)});
  return s;
}

/// A program can write lines of its own: what is used as an index must be one.
void check(sim::traced_launch const& t) {
  constexpr std::uint64_t most = 1 << 20;
  auto const& s = t.shape;
  for (auto const count :
       {s.blocks.x, s.blocks.y, s.blocks.z, s.threads.x, s.threads.y, s.threads.z})
    if (count > most) refuse_report();
  std::uint64_t const blocks = s.blocks.count(), threads = s.threads.count();
  if (blocks > most || threads > most || blocks * threads > most) refuse_report();
  auto const is_right = [&](sim::step const& step, sim::lane_event const& e) {
    auto const buffers = static_cast<int>(t.buffers.size());
    auto const sources = e.buffer >= 0 ? static_cast<int>(blocks) : 32;
    return e.lane < 32 && step.warp * 32 + e.lane < threads && e.size <= e.value.size() &&
           e.buffer >= -1 && e.buffer < buffers && e.source >= -1 && e.source < sources;
  };
  for (auto const& step : t.steps) {
    bool const is_step = step.block < blocks && step.warp < (threads + 31) / 32 &&
                         step.kind <= sim::step_kind::fence;
    if (!is_step) refuse_report();
    for (auto const& e : step.lanes)
      if (!is_right(step, e)) refuse_report();
  }
}

sim::traced_launch traced_of(json const& j) {
  sim::traced_launch t;
  t.name = j.at("traced").get<std::string>();
  t.shape = shape_of(j.at("shape"));
  for (auto const& b : j.at("buffers"))
    t.buffers.push_back({b.at(0), static_cast<sim::memory_space>(b.at(1).get<int>()), b.at(2),
                         b.at(3), layout_of(b.at(4))});
  for (auto const& s : j.at("sites")) {
    t.sites.push_back(position_of(s.at(0)));
    t.site_elements.push_back(layout_of(s.at(1)));
  }
  for (auto const& s : j.at("steps")) t.steps.push_back(step_of(s));
  check(t);
  return t;
}

sim::launch_report launch_of(json const& j) {
  sim::launch_report launch;
  launch.name = j.at("name").get<std::string>();
  launch.shape = shape_of(j.at("shape"));
  launch.shape.shared_bytes = j.at("shared").get<std::size_t>();
  launch.at = position_of(j.at("at"));
  launch.declared_shared_bytes = j.at("declared").get<std::size_t>();
  auto const source = j.at("source").get<unsigned>();
  if (source > static_cast<unsigned>(sim::launch_source::unmeasured)) refuse_report();
  launch.source = static_cast<sim::launch_source>(source);
  launch.total = counters_of(j.at("total"));
  launch.longest_warp = j.at("longest").get<std::uint64_t>();
  launch.exposed_copy_bytes = j.at("exposed").get<std::uint64_t>();
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
  return line({{"name", launch.name},
               {"shape", json_of(s)},
               {"shared", s.shared_bytes},
               {"at", json_of(launch.at)},
               {"declared", launch.declared_shared_bytes},
               {"source", static_cast<int>(launch.source)},
               {"total", std::bit_cast<words>(launch.total)},
               {"longest", launch.longest_warp},
               {"exposed", launch.exposed_copy_bytes},
               {"buffers", buffers},
               {"lines", lines}});
}

std::string line_of(std::vector<sim::finding> const& findings) {
  json all = json::array();
  for (auto const& f : findings)
    all.push_back({static_cast<int>(f.kind), f.sentence, json_of(f.first), json_of(f.second),
                   f.occurrences, f.launch, json_of(f.first_thread), json_of(f.second_thread),
                   f.group});
  return line({{"findings", all}});
}

std::string line_of(sim::traced_launch const& launch) {
  json buffers = json::array(), sites = json::array(), steps = json::array();
  for (auto const& b : launch.buffers)
    buffers.push_back(
        {b.name, static_cast<int>(b.space), b.element_bytes, b.count, json_of(b.element)});
  for (std::size_t i = 0; i < launch.sites.size(); ++i)
    sites.push_back({json_of(launch.sites[i]), json_of(launch.site_elements[i])});
  for (auto const& s : launch.steps) {
    json lanes = json::array();
    for (auto const& e : s.lanes)
      lanes.push_back({e.lane, e.buffer, e.index, e.source, e.size,
                       std::bit_cast<std::array<std::uint64_t, 2>>(e.value), e.when, e.polls,
                       e.changes, e.failed, e.unwritten});
    steps.push_back({s.block, s.warp, s.mask, static_cast<int>(s.kind), s.site, s.wavefronts,
                     s.conflicts, s.sectors, s.lines, std::move(lanes)});
  }
  return line({{"traced", launch.name},
               {"shape", json_of(launch.shape)},
               {"buffers", buffers},
               {"sites", sites},
               {"steps", steps}});
}

std::string line_of(std::vector<output_buffer> const& outputs) {
  json all = json::array();
  for (auto const& o : outputs) all.push_back({o.name, o.type, o.values});
  return line({{"outputs", all}});
}

std::string error_line(std::string const& sentence, bool is_usage) {
  return line({{is_usage ? "usage_error" : "data_error", sentence}});
}

std::string crash_line(std::string const& sentence) {
  return line({{"crash", sentence}});
}

std::string running_line(std::string const& who_and_where) {
  return line({{"running", who_and_where}});
}

std::string note_line(std::string const& text) {
  return line({{"note", text}});
}

void read_lines(std::string const& text, program_outcome& into) try {
  std::istringstream lines(text);
  for (std::string one; std::getline(lines, one);) {
    json const j = json::parse(one, nullptr, false);
    if (j.is_discarded()) continue;
    if (j.contains("name")) {
      into.report.launches.push_back(launch_of(j));
    } else if (j.contains("findings")) {
      into.report.findings.clear();
      for (auto const& f : j["findings"]) into.report.findings.push_back(finding_of(f));
    } else if (j.contains("crash")) {
      into.failure = j["crash"].get<std::string>();
    } else if (j.contains("running")) {
      into.running = j["running"].get<std::string>();
    } else if (j.contains("note")) {
      into.notes.push_back({j["note"].get<std::string>(), into.report.launches.size()});
    } else if (j.contains("traced")) {
      into.report.trace.launches.push_back(traced_of(j));
    } else if (j.contains("outputs")) {
      for (auto const& o : j["outputs"])
        into.outputs.push_back({o.at(0), o.at(1), o.at(2).get<std::vector<std::string>>()});
    } else if (j.contains("usage_error")) {
      throw io::usage_error(j["usage_error"].get<std::string>());
    } else if (j.contains("data_error")) {
      throw io::data_error(j["data_error"].get<std::string>());
    }
  }
} catch (json::exception const&) {  // the program can write wherever it likes
  refuse_report();
}

void program_reporter::write_line(std::string const& line) const {
  for (std::size_t done = 0; done < line.size();) {
    auto const n = ::write(to, line.data() + done, line.size() - done);
    if (n < 0 && errno != EINTR) return;
    if (n > 0) done += static_cast<std::size_t>(n);
  }
}

void program_reporter::report() {
  auto const& result = machine.result();
  for (; launches < result.launches.size(); ++launches)
    write_line(line_of(result.launches[launches]));
  for (; traced < result.trace.launches.size(); ++traced)
    write_line(line_of(result.trace.launches[traced]));
  std::uint64_t seen = 0;
  for (auto const& f : result.findings) seen += f.occurrences;
  if (seen == occurrences && findings == result.findings.size()) return;
  occurrences = seen;
  findings = result.findings.size();
  write_line(line_of(result.findings));
}

bool program_reporter::take_note(char const* line) const {
  if (takes_notes) write_line(note_line(line));
  return takes_notes;
}

}  // namespace upsweep::lab
