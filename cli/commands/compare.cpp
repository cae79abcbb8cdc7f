/// `upsweep compare`: the counters of several textbook kernels on the same input, side by side.
#include <cli/lab_flags.hpp>
#include <io/error.hpp>
#include <lab/counters.hpp>
#include <text/table.hpp>

#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include <algorithm>
#include <memory>
#include <nlohmann/json.hpp>

namespace upsweep::cli {

namespace {

struct compare_flags {
  std::vector<std::string> stems;
  run_flags run;
  bool one_tile = false;
};

struct entrant {
  lab::request asked;
  lab::outcome out;
  sim::counters total;
};

/// The best value of a row, or nothing if all are equal or the row has no order.
std::optional<double> best_of(lab::counter_row const& row, std::vector<entrant> const& all) {
  if (row.better == 0) return std::nullopt;
  auto const [least, most] = std::minmax_element(
      all.begin(), all.end(),
      [&](auto const& a, auto const& b) { return row.of(a.total) < row.of(b.total); });
  if (row.of(least->total) == row.of(most->total)) return std::nullopt;
  return row.of(row.better < 0 ? least->total : most->total);
}

void print_text(std::vector<entrant> const& all) {
  std::vector<std::string> head{""};
  for (auto const& e : all) head.push_back(e.asked.stem + " ");
  text::text_table table(head);
  std::vector<std::string> threads{"threads per block"}, launches{"launches"}, right{"result"};
  for (auto const& e : all) {
    threads.push_back(fmt::format("{} ", e.asked.threads));
    launches.push_back(fmt::format("{} ", e.out.report.launches.size()));
    right.push_back(e.out.clean() ? "right " : e.out.agrees() ? "finding " : "WRONG ");
  }
  table.add(right);
  table.add(threads);
  table.add(launches);
  for (auto const& row : lab::counter_rows()) {
    bool const any = row.always || std::any_of(all.begin(), all.end(),
                                               [&](auto const& e) { return row.of(e.total) != 0; });
    if (!any) continue;
    auto const best = best_of(row, all);
    std::vector<std::string> line{std::string(row.title)};
    for (auto const& e : all)
      line.push_back(lab::text_of(row, e.total) + (best && row.of(e.total) == *best ? "*" : " "));
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

entrant entrant_of(run_flags const& flags, std::string const& stem) {
  entrant e{flags.of_emulated(stem), {}, {}};
  e.out = lab::run(e.asked);
  e.total = e.out.report.total();
  return e;
}

/// The run with the smallest block for which all elements are one tile: one launch of one block.
entrant one_tile(run_flags flags, std::string const& stem) {
  for (flags.block = 32; flags.block <= 1024; flags.block *= 2) {
    entrant e = entrant_of(flags, stem);
    auto const& launches = e.out.report.launches;
    if (launches.size() == 1 && launches[0].shape.blocks.count() == 1) return e;
  }
  throw io::usage_error(fmt::format(
      "compare --one-tile: no block size of {} makes {} elements one tile; give a smaller -n", stem,
      flags.n));
}

int run(compare_flags const& flags) {
  if (flags.stems.size() < 2) throw io::usage_error("compare: name at least two algorithms");
  std::vector<entrant> all;
  for (auto const& stem : flags.stems)
    all.push_back(flags.one_tile ? one_tile(flags.run, stem) : entrant_of(flags.run, stem));
  if (flags.run.json)
    print_json(all);
  else
    print_text(all);
  int status = 0;
  for (auto const& e : all) {
    if (e.out.clean()) continue;
    status = 1;
    fmt::print(
        stderr, "upsweep: {}; repeat with: {}\n",
        e.out.agrees() ? e.out.report.findings.front().sentence : lab::verdict(e.asked, e.out),
        lab::command_line(e.asked));
  }
  return status;
}

}  // namespace

void add_compare_command(registry& tool) {
  CLI::App* const command = add_command(tool, "compare");
  auto const flags = std::make_shared<compare_flags>();
  stem_arguments(tool, *command, flags->stems)->required();
  add_run_options(tool, *command, flags->run);
  command
      ->add_flag("--one-tile", flags->one_tile,
                 "Run each kernel with the smallest block for which all elements are one tile")
      ->excludes("--block");
  command->add_flag("--json", flags->run.json, "Write JSON");
  command->callback([flags, &tool] { tool.status = run(*flags); });
}

}  // namespace upsweep::cli
