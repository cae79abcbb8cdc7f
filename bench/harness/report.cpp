/// Writes a run as JSON with nlohmann-json.
#include <bench/harness/clock.hpp>
#include <bench/harness/report.hpp>

#include <nlohmann/json.hpp>

#include <array>
#include <cstdio>
#include <fstream>

namespace upsweep::bench {
namespace {

using json = nlohmann::ordered_json;

json object(machine const& m) {
  json caches = json::array();
  for (auto const& c : m.caches)
    caches.push_back(
        {{"level", c.level}, {"kind", c.kind}, {"bytes", c.bytes}, {"shared_by", c.shared_by}});
  return {{"cpu", m.cpu},
          {"family", m.family},
          {"online", m.online},
          {"affinity", m.affinity},
          {"quota", m.quota},
          {"threads", m.threads},
          {"simd", m.simd},
          {"caches", caches},
          {"memory", m.memory},
          {"huge_pages", m.huge_pages},
          {"virtual", m.is_virtual},
          {"real_time", m.real_time},
          {"system", m.system},
          {"distribution", m.distribution}};
}

json object(gpu_description const& g) {
  return {
      {"name", g.name},     {"capability", g.capability}, {"multiprocessors", g.multiprocessors},
      {"memory", g.memory}, {"l2_bytes", g.l2_bytes},     {"toolkit", g.toolkit},
      {"driver", g.driver}};
}

json object(build const& b) {
  return {{"version", b.version}, {"revision", b.revision}, {"compiler", b.compiler},
          {"type", b.type},       {"flags", b.flags},       {"peer_flags", b.peer_flags}};
}

/// Rounds to four significant digits, more than any timing has.
double rounded(double seconds) {
  std::array<char, 32> text{};
  std::snprintf(text.data(), text.size(), "%.3e", seconds);
  return std::stod(text.data());
}

std::string line_for(series const& s) {
  json seconds = json::array();
  for (double const value : s.seconds) seconds.push_back(rounded(value));
  json line{
      {"name", s.name}, {"correct", s.correct()}, {"repeats", s.repeats}, {"seconds", seconds}};
  if (s.threads > 0) line["threads"] = s.threads;
  if (!s.correct()) line["difference"] = s.difference;
  return line.dump();
}

json head_of(work const& w) {
  return {{"verb", name_of(w.verb)}, {"op", name_of(w.op)}, {"type", name_of(w.type)}};
}

/// A cell with its list of competitors, on one line.
std::string with_all(json const& head, std::vector<series> const& all) {
  std::string text = head.dump();
  text.back() = ',';  // replaces the closing brace, which moves after the list
  text += "\"all\":[";
  for (std::size_t i = 0; i < all.size(); ++i) {
    if (i > 0) text += ',';
    text += line_for(all[i]);
  }
  return text + "]}";
}

std::string lines_for(cell const& c) {
  json head = head_of(c.work);
  head["in_place"] = c.work.in_place;
  head["n"] = c.n;
  head["cold"] = c.cold;
  if (!c.launch.empty()) head["launch"] = c.launch;
  head["traffic"] = traffic(c.work, c.n);
  return with_all(head, c.all);
}

std::string lines_for(verb_cell const& c) {
  return with_all({{"verb", c.verb},
                   {"op", c.op},
                   {"type", c.type},
                   {"data", c.data},
                   {"n", c.n},
                   {"cold", c.cold},
                   {"traffic", c.traffic}},
                  c.all);
}

template <class Cell>
std::string list_of(std::vector<Cell> const& cells) {
  std::string text = "[";
  for (std::size_t i = 0; i < cells.size(); ++i)
    text += (i == 0 ? "\n " : ",\n ") + lines_for(cells[i]);
  return text + "\n ]";
}

/// The command line of this process, with the program's name only instead of its path.
std::string command_line() {
  std::ifstream in("/proc/self/cmdline");
  std::string text;
  for (std::string word; std::getline(in, word, '\0');)
    text += text.empty() ? word.substr(word.rfind('/') + 1) : ' ' + word;
  return text;
}

}  // namespace

run new_run(int threads) {
  run r;
  r.date = now_in_utc();
  r.command = command_line();
  r.where = this_machine();
  r.what = this_build();
  r.threads = threads > 0 ? threads : r.where.threads;
  return r;
}

std::string as_json(run const& r) {
  json competitors = json::array(), absent = json::array();
  for (auto const& c : r.competitors)
    competitors.push_back({{"name", c.name}, {"title", c.title}, {"role", name_of(c.role)}});
  for (auto const& a : r.absent) absent.push_back({{"name", a.name}, {"reason", a.reason}});
  json head{{"format", report_format},    {"date", r.date},          {"command", r.command},
            {"machine", object(r.where)}, {"build", object(r.what)}, {"threads", r.threads},
            {"competitors", competitors}, {"absent", absent}};
  if (r.gpu) {
    head["gpu"] = object(*r.gpu);
    head["note"] = "GPU times are for data already on the device.";
  }
  for (auto const& s : r.skipped) {
    json one = head_of(s.what.work);
    one["n"] = s.what.n;
    one["reason"] = s.reason;
    head["skipped"].push_back(one);
  }
  std::string text = head.dump(1);
  text.resize(text.size() - 2);  // removes the final newline and closing brace
  text += ",\n \"cells\": " + list_of(r.cells);
  if (!r.by_threads.empty()) text += ",\n \"by_threads\": " + list_of(r.by_threads);
  if (!r.verbs.empty()) text += ",\n \"verbs\": " + list_of(r.verbs);
  return text + "\n}\n";
}

std::string as_json(machine const& m) {
  return object(m).dump(1);
}
std::string as_json(build const& b) {
  return object(b).dump(1);
}

}  // namespace upsweep::bench
