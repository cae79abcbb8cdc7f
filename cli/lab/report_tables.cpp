/// Counters and buffers as tables, findings as sentences.
#include <cli/lab/report_tables.hpp>

#include <io/shown.hpp>
#include <io/small_file.hpp>
#include <lab/reports.hpp>
#include <text/figures.hpp>
#include <text/table.hpp>

#include <fmt/format.h>

#include <cstddef>
#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

namespace upsweep::cli {

void print_counters(sim::report const& report, std::string_view stem) {
  constexpr std::size_t most_columns =
      6;  // kernels that launch once per level have more than fit on a terminal
  bool const each = report.launches.size() > 1 && report.launches.size() <= most_columns;
  std::vector<std::string> head{""};
  if (each)
    for (auto const& launch : report.launches) head.push_back(launch.name);
  head.push_back(report.launches.size() == 1 ? report.launches[0].name
                                             : fmt::format("{} launches", report.launches.size()));
  text::text_table table(head);
  auto const total = report.total();
  for (auto const& row : lab::counter_rows()) {
    bool const of_operator = row.key == "applications" || row.key == "span";
    if (row.of(total) == 0 && (!row.always || (of_operator && stem.empty()))) continue;
    if (!lab::has_counter(stem, row)) continue;
    std::vector<std::string> line{std::string(row.title)};
    if (each)
      for (auto const& launch : report.launches) line.push_back(lab::text_of(row, launch.total));
    line.push_back(lab::text_of(row, total));
    table.add(line);
  }
  fmt::print("{}", table.text());
}

void print_buffers(sim::report const& report) {
  text::text_table table({"buffer", "read", "written", "atomics"});
  std::map<std::string, sim::element_counts> all;
  for (auto const& launch : report.launches)
    for (auto const& [name, b] : launch.buffers) {
      if (name.starts_with("shared:")) continue;
      all[name].loads += b.loads;
      all[name].stores += b.stores;
      all[name].atomics += b.atomics;
    }
  for (auto const& [name, b] : all)
    table.add({name, fmt::format("{}", b.loads), fmt::format("{}", b.stores),
               fmt::format("{}", b.atomics)});
  if (!all.empty()) fmt::print("\n{}", io::printable(table.text()));
}

void print_findings(sim::report const& report, bool with_launches) {
  for (auto const& f : sim::grouped(report)) {
    std::string const times = f.occurrences > 1 ? fmt::format("{} times", f.occurrences) : "";
    std::string const lines =
        f.others == 0 ? "" : fmt::format(", of {} pairs of lines", f.others + 1);
    fmt::print("\n{}: {}{}\n", lab::page_of(f.kind), io::printable(f.sentence),
               times.empty() ? "" : fmt::format(" ({}{})", times, lines));
    if (!with_launches || report.launches.size() < 2 || f.launch >= report.launches.size())
      continue;
    auto const& launch = report.launches[f.launch];
    if (launch.at.line != 0)
      fmt::print("  in launch {}, of '{}' at {}:{}\n", f.launch + 1, launch.name,
                 launch.at.file.substr(launch.at.file.rfind('/') + 1), launch.at.line);
  }
}

namespace {

/// The launches of one kernel.
struct kernel_estimate {
  double seconds = 0, longest = 0;
  char const* bound = "";  // of the longest
  lab::occupancy resident{};
  bool waits = false;
};

}  // namespace

void print_estimates(sim::report const& report, lab::gpu_limits const& gpu) {
  std::vector<std::string> names;
  std::map<std::string, kernel_estimate> kernels;
  for (auto const& launch : report.launches) {
    if (!kernels.contains(launch.name)) names.push_back(launch.name);
    auto& k = kernels[launch.name];
    k.resident = lab::occupancy_of(gpu, launch);
    auto const t = lab::estimate(launch, gpu);
    k.waits = k.waits || !t;
    if (!t) continue;
    k.seconds += t->seconds;
    if (t->seconds < k.longest) continue;
    k.longest = t->seconds;
    k.bound = t->bound;
  }
  text::text_table table(
      {fmt::format("estimate for {}", gpu.name), "time", "bound by", "occupancy", "limited by"});
  for (auto const& name : names) {
    auto const& k = kernels[name];
    table.add({name, k.waits ? "-" : text::duration(k.seconds),
               k.waits ? "blocks wait for each other" : k.bound,
               fmt::format("{:.0f} %", 100 * k.resident.share), k.resident.limit});
  }
  fmt::print("\n{}", io::printable(table.text()));
}

nlohmann::ordered_json estimate_object(sim::launch_report const& launch,
                                       lab::gpu_limits const& gpu) {
  auto const resident = lab::occupancy_of(gpu, launch);
  nlohmann::ordered_json object{
      {"gpu", gpu.name}, {"occupancy", resident.share}, {"occupancy_limit", resident.limit}};
  if (auto const t = lab::estimate(launch, gpu)) {
    object["seconds"] = t->seconds;
    object["bound"] = t->bound;
    object["issue"] = t->issue;
    object["shared"] = t->shared;
    object["memory"] = t->memory;
    object["latency"] = t->latency;
  }
  return object;
}

void print_sources(sim::report const& report) {
  for (auto const& name : lab::files_of(report)) {
    auto const text = io::small_file(name);
    if (!text) continue;
    fmt::print("\n{}\n{}", io::printable(name),
               io::printable(lab::source_listing(report, name, *text)));
  }
}

}  // namespace upsweep::cli
