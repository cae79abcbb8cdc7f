/// `upsweep run`: runs a textbook kernel on the emulator, with counters, or on a GPU, with its
/// time, and checks the result.
#include <cli/cuda/gpu.hpp>
#include <cli/lab_flags.hpp>
#include <lab/counters.hpp>
#include <lab/on_gpu.hpp>
#include <text/figures.hpp>
#include <text/table.hpp>

#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include <memory>
#include <nlohmann/json.hpp>

namespace upsweep::cli {

namespace {

struct command_flags {
  std::string stem;
  run_flags run;
};

/// The request and the verdict on the result, for either machine.
nlohmann::ordered_json object_of(lab::request const& asked, lab::outcome const& out) {
  nlohmann::ordered_json object{{"stem", asked.stem},
                                {"n", asked.n},
                                {"op", name_of(asked.op)},
                                {"dtype", name_of(asked.type)},
                                {"block", asked.threads},
                                {"exclusive", asked.exclusive},
                                {"on", asked.on == lab::machine_name::cuda ? "cuda" : "sim"},
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

void print_json(lab::request const& asked, lab::outcome const& out) {
  auto object = object_of(asked, out);
  object["schedule"] = lab::name_of(asked.machine.how);
  object["resident"] = asked.machine.resident_blocks;
  object["findings"] = nlohmann::ordered_json::array();
  for (auto const& f : out.report.findings) object["findings"].push_back(lab::json_of(f));
  object["total"] = lab::json_of(out.report.total());
  object["launches"] = nlohmann::ordered_json::array();
  for (auto const& launch : out.report.launches) object["launches"].push_back(lab::json_of(launch));
  object["seconds"] = out.seconds;
  fmt::print("{}\n", object.dump());
}

int run_and_time(lab::request const& asked, bool json) {
  auto const device = gpu::require("run", "");
  auto const out = lab::run_on_gpu(asked);
  if (json) {
    auto object = object_of(asked, out.result);
    object["device"] = {{"name", device.name}, {"capability", device.capability}};
    object["launches"] = out.launches;
    object["runs"] = out.runs;
    object["seconds"] = out.seconds;
    object["gigabytes_per_second"] = out.gigabytes_per_second;
    fmt::print("{}\n", object.dump());
  } else {
    fmt::print("{} of {} {} elements, {}{} threads per block, on {}: {}\n\n", name_of(asked.op),
               asked.n, name_of(asked.type), asked.exclusive ? "exclusive, " : "", asked.threads,
               device.name, lab::verdict(asked, out.result));
    fmt::print("time      {:>10}  {}, data already on the device\n", text::duration(out.seconds),
               out.runs == 1
                   ? std::string("one run")
                   : fmt::format("median of {} runs, {} to {}", out.runs,
                                 text::duration(out.fastest), text::duration(out.slowest)));
    fmt::print(
        "speed     {:>5} GB/s  of the input{}\n", text::gigabytes_text(out.gigabytes_per_second),
        out.result.results == 1 && lab::catalog_row(asked.stem).what == textbook::kind::reduce
            ? ""
            : " and the output");
    fmt::print("launches  {:>10}\n", out.launches);
  }
  return out.result.agrees() ? 0 : 1;
}

/// Prints one column per launch, and one for the total.
void print_counters(sim::report const& report) {
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
    if (!row.always && row.of(total) == 0) continue;
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

void print_text(lab::request const& asked, lab::outcome const& out) {
  fmt::print("{} of {} {} elements, {}{} threads per block, {} schedule: {}\n\n", name_of(asked.op),
             asked.n, name_of(asked.type), asked.exclusive ? "exclusive, " : "", asked.threads,
             lab::name_of(asked.machine.how), lab::verdict(asked, out));
  if (!out.report.launches.empty()) {
    print_counters(out.report);
    print_buffers(out.report);
  } else {
    fmt::print("no kernel was launched: the input is empty\n");
  }
  for (auto const& f : out.report.findings)
    fmt::print("\n{}{}\n", f.sentence,
               f.occurrences > 1 ? fmt::format(" ({} times)", f.occurrences) : "");
}

int run(command_flags const& flags) {
  auto const asked = flags.run.of(flags.stem);
  if (asked.on == lab::machine_name::cuda) return run_and_time(asked, flags.run.json);
  auto const out = lab::run(asked);
  if (flags.run.json)
    print_json(asked, out);
  else
    print_text(asked, out);
  return out.clean() ? 0 : 1;
}

}  // namespace

void add_run_command(registry& tool) {
  CLI::App* const command = add_command(tool, "run");
  auto const flags = std::make_shared<command_flags>();
  stem_argument(tool, *command, flags->stem);
  add_run_options(tool, *command, flags->run);
  command->add_flag("--json", flags->run.json,
                    "Write JSON: counters in total, by launch and by line; on a GPU the time");
  command->callback([flags, &tool] { tool.status = run(*flags); });
}

}  // namespace upsweep::cli
