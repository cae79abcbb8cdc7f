/// `upsweep compare`: the counters of several textbook kernels on the same elements, side by side.
#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include <algorithm>
#include <memory>
#include <nlohmann/json.hpp>

#include "../io/error.hpp"
#include "../lab/counters.hpp"
#include "../lab/flags.hpp"

namespace upsweep::cli {

namespace {

struct compare_flags {
  std::vector<std::string> stems;
  lab::run_flags run;
};

struct entrant {
  lab::request asked;
  lab::outcome out;
  sim::counters total;
};

/// The best value of a row, or nothing where all are equal or none is better than another.
std::optional<double> best_of(lab::counter_row const& row, std::vector<entrant> const& all) {
  if (row.better == 0) return std::nullopt;
  auto const [least, most] =
      std::minmax_element(all.begin(), all.end(), [&](auto const& a, auto const& b) { return row.of(a.total) < row.of(b.total); });
  if (row.of(least->total) == row.of(most->total)) return std::nullopt;
  return row.of(row.better < 0 ? least->total : most->total);
}

void print_text(std::vector<entrant> const& all) {
  std::vector<std::string> head{""};
  for (auto const& e : all) head.push_back(e.asked.stem + " ");
  lab::text_table table(head);
  std::vector<std::string> launches{"launches"}, right{"result"};
  for (auto const& e : all) {
    launches.push_back(fmt::format("{} ", e.out.report.launches.size()));
    right.push_back(e.out.clean() ? "right " : e.out.agrees() ? "finding " : "WRONG ");
  }
  table.add(right);
  table.add(launches);
  for (auto const& row : lab::counter_rows()) {
    bool const any = row.always || std::any_of(all.begin(), all.end(), [&](auto const& e) { return row.of(e.total) != 0; });
    if (!any) continue;
    auto const best = best_of(row, all);
    std::vector<std::string> line{std::string(row.title)};
    for (auto const& e : all) line.push_back(lab::text_of(row, e.total) + (best && row.of(e.total) == *best ? "*" : " "));
    table.add(line);
  }
  fmt::print("{}", table.text());
}

void print_json(std::vector<entrant> const& all) {
  auto list = nlohmann::ordered_json::array();
  for (auto const& e : all)
    list.push_back({{"stem", e.asked.stem},
                    {"n", e.asked.n},
                    {"block", e.asked.threads},
                    {"clean", e.out.clean()},
                    {"launches", e.out.report.launches.size()},
                    {"total", lab::json_of(e.total)}});
  fmt::print("{}\n", list.dump());
}

int run(compare_flags const& flags) {
  if (flags.stems.size() < 2) throw usage_error("compare: name at least two algorithms");
  std::vector<entrant> all;
  for (auto const& stem : flags.stems) {
    entrant e{flags.run.of_emulated(stem), {}, {}};
    e.out = lab::run(e.asked);
    e.total = e.out.report.total();
    all.push_back(std::move(e));
  }
  if (flags.run.json)
    print_json(all);
  else
    print_text(all);
  int status = 0;
  for (auto const& e : all) {
    if (e.out.clean()) continue;
    status = 1;
    fmt::print(stderr, "upsweep: {}; again: {}\n",
               e.out.agrees() ? e.out.report.findings.front().sentence : lab::verdict(e.asked, e.out), lab::command_line(e.asked));
  }
  return status;
}

}  // namespace

void add_compare_command(registry& tool) {
  CLI::App* const command = add_command(tool, "compare");
  auto const flags = std::make_shared<compare_flags>();
  lab::stem_arguments(tool, *command, flags->stems)->required();
  lab::add_run_options(tool, *command, flags->run);
  command->add_flag("--json", flags->run.json, "Write JSON");
  command->callback([flags, &tool] { tool.status = run(*flags); });
}

}  // namespace upsweep::cli
