/// JSON, an object of one member a line. A struct is an array of its members.
#include <lab/program/report_lines.hpp>

#include <io/error.hpp>

#include <unistd.h>

#include <array>
#include <bit>
#include <cerrno>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <nlohmann/json.hpp>
#include <optional>
#include <sstream>
#include <tuple>
#include <type_traits>
#include <vector>

namespace upsweep::lab {

namespace {

using json = nlohmann::json;

template <class X, class T>
concept is = std::same_as<std::remove_const_t<X>, T>;

// The members that are written and read.
auto members(is<simt::extent3> auto& e) {
  return std::tie(e.x, e.y, e.z);
}
auto members(is<simt::launch_shape> auto& s) {
  return std::tie(s.blocks, s.threads, s.cluster, s.shared_bytes);
}
auto members(is<sim::source_position> auto& p) {
  return std::tie(p.file, p.line);
}
auto members(is<sim::thread_number> auto& t) {
  return std::tie(t.block, t.thread);
}
auto members(is<sim::finding> auto& f) {
  return std::tie(f.kind, f.sentence, f.first, f.second, f.occurrences, f.launch, f.first_thread,
                  f.second_thread, f.group);
}
auto members(is<sim::number_field> auto& f) {
  return std::tie(f.kind, f.offset, f.bytes);
}
auto members(is<sim::element_layout> auto& e) {
  return std::tie(e.name, e.bytes, e.fields, e.extents);
}
auto members(is<sim::buffer_info> auto& b) {
  return std::tie(b.name, b.space, b.element_bytes, b.count, b.element);
}
auto members(is<sim::lane_event> auto& e) {
  return std::tie(e.lane, e.buffer, e.index, e.source, e.size, e.value, e.when, e.polls, e.changes,
                  e.failed, e.unwritten);
}
auto members(is<sim::step> auto& s) {
  return std::tie(s.block, s.warp, s.mask, s.kind, s.site, s.wavefronts, s.conflicts, s.sectors,
                  s.lines, s.lanes);
}
auto members(is<sim::traced_launch> auto& t) {
  return std::tie(t.name, t.shape, t.buffers, t.sites, t.site_elements, t.steps);
}
auto members(is<sim::element_counts> auto& c) {
  return std::tie(c.loads, c.stores, c.atomics);
}
auto members(is<sim::line_counts> auto& l) {
  return std::tie(l.line, l.counts);
}
auto members(is<sim::launch_report> auto& l) {
  return std::tie(l.name, l.shape, l.at, l.declared_shared_bytes, l.source, l.total, l.longest_warp,
                  l.exposed_copy_bytes, l.buffers, l.lines);
}
auto members(is<output_buffer> auto& b) {
  return std::tie(b.name, b.type, b.values);
}

template <class T>
concept has_members = requires(T& x) { members(x); };

}  // namespace

}  // namespace upsweep::lab

template <upsweep::lab::has_members T>
struct nlohmann::adl_serializer<T> {
  static void to_json(json& j, T const& x) {
    std::apply([&](auto const&... each) { j = json::array({each...}); }, upsweep::lab::members(x));
  }
  static void from_json(json const& j, T& x) {
    std::size_t i = 0;
    std::apply([&](auto&... each) { (j.at(i++).get_to(each), ...); }, upsweep::lab::members(x));
  }
};

template <class T>
struct nlohmann::adl_serializer<std::optional<T>> {
  static void to_json(json& j, std::optional<T> const& x) { j = x ? json(*x) : json(nullptr); }
  static void from_json(json const& j, std::optional<T>& x) {
    if (!j.is_null()) x = j.get<T>();
  }
};

/// Numbers in the order of the struct.
template <>
struct nlohmann::adl_serializer<upsweep::sim::counters> {
  using counters = upsweep::sim::counters;
  using words = std::array<std::uint64_t, sizeof(counters) / sizeof(std::uint64_t)>;
  static void to_json(json& j, counters const& c) { j = std::bit_cast<words>(c); }
  static void from_json(json const& j, counters& c) { c = std::bit_cast<counters>(j.get<words>()); }
};

namespace upsweep::lab {

namespace {

[[noreturn]] void refuse_report() {
  throw io::data_error("the program has written into the report of the emulator");
}

// A program can write lines of its own: what is used as an index must be one.
void check(simt::launch_shape const& s) {
  for (auto const& e : {s.blocks, s.threads, s.cluster})
    if (e.x == 0 || e.y == 0 || e.z == 0) refuse_report();
}
void check(sim::launch_report const& launch) {
  check(launch.shape);
  if (launch.source < sim::launch_source{} || launch.source > sim::launch_source::unmeasured)
    refuse_report();
}
void check(sim::traced_launch const& t) {
  constexpr std::uint64_t most = 1 << 20;
  auto const& s = t.shape;
  check(s);
  for (auto const count :
       {s.blocks.x, s.blocks.y, s.blocks.z, s.threads.x, s.threads.y, s.threads.z})
    if (count > most) refuse_report();
  std::uint64_t const blocks = s.blocks.count(), threads = s.threads.count();
  if (blocks > most || threads > most || blocks * threads > most) refuse_report();
  if (t.sites.size() != t.site_elements.size()) refuse_report();
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

/// One line.
template <class T>
std::string line(char const* key, T const& value) {
  return json{{key, value}}.dump(-1, ' ', false, json::error_handler_t::replace) + '\n';
}

}  // namespace

std::string line_of(sim::launch_report const& launch) {
  return line("launch", launch);
}

std::string line_of(std::vector<sim::finding> const& findings) {
  return line("findings", findings);
}

std::string line_of(sim::traced_launch const& launch) {
  return line("traced", launch);
}

std::string line_of(std::vector<output_buffer> const& outputs) {
  return line("outputs", outputs);
}

std::string error_line(std::string const& sentence, bool is_usage) {
  return line(is_usage ? "usage_error" : "data_error", sentence);
}

std::string crash_line(std::string const& sentence) {
  return line("crash", sentence);
}

std::string running_line(std::string const& who_and_where) {
  return line("running", who_and_where);
}

std::string note_line(std::string const& text) {
  return line("note", text);
}

void read_lines(std::string const& text, program_outcome& into) try {
  std::istringstream lines(text);
  for (std::string one; std::getline(lines, one);) {
    json const j = json::parse(one, nullptr, false);
    if (j.is_discarded()) continue;
    if (j.contains("launch")) {
      into.report.launches.push_back(j["launch"].get<sim::launch_report>());
      check(into.report.launches.back());
    } else if (j.contains("findings")) {
      j["findings"].get_to(into.report.findings);
    } else if (j.contains("crash")) {
      j["crash"].get_to(into.failure);
    } else if (j.contains("running")) {
      j["running"].get_to(into.running);
    } else if (j.contains("note")) {
      into.notes.push_back({j["note"].get<std::string>(), into.report.launches.size()});
    } else if (j.contains("traced")) {
      into.report.trace.launches.push_back(j["traced"].get<sim::traced_launch>());
      check(into.report.trace.launches.back());
    } else if (j.contains("outputs")) {
      j["outputs"].get_to(into.outputs);
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
