/// Counters and buffers as tables, findings as sentences.
#include <cli/report_tables.hpp>

#include <lab/counters.hpp>
#include <text/table.hpp>

#include <fmt/format.h>

#include <map>
#include <string>
#include <vector>

namespace upsweep::cli {

void print_counters(sim::report const& report, bool has_operator) {
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
    if (row.of(total) == 0 && (!row.always || (of_operator && !has_operator))) continue;
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
  if (!all.empty()) fmt::print("\n{}", table.text());
}

void print_findings(sim::report const& report) {
  for (auto const& f : report.findings)
    fmt::print("\n{}{}\n", f.sentence,
               f.occurrences > 1 ? fmt::format(" ({} times)", f.occurrences) : "");
}

}  // namespace upsweep::cli
