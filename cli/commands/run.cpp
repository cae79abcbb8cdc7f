/// `upsweep run`: runs a textbook kernel on the emulator, with counters, or on a GPU, with its
/// time, and checks the result; or runs a program in CUDA C++ on the emulator.
#include <cli/cuda/gpu.hpp>
#include <cli/lab/lab_flags.hpp>
#include <cli/lab/program_flags.hpp>
#include <cli/lab/report_tables.hpp>
#include <io/error.hpp>
#include <io/output_file.hpp>
#include <io/shown.hpp>
#include <lab/reports.hpp>
#include <lab/run.hpp>
#include <text/figures.hpp>
#include <text/table.hpp>

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace upsweep::cli {

namespace {

struct file_flags {
  program_flags program;
  bool unchecked = false, source = false, force = false, every_launch = false;
  std::string sarif;  ///< a file for the findings
};

struct command_flags {
  std::string what;
  run_flags run;
  file_flags file;
};

void print_json(lab::request const& asked, lab::outcome const& out, std::string const& gpu) {
  auto object = lab::json_of(asked, out);
  if (!gpu.empty())
    for (std::size_t i = 0; i < out.report.launches.size(); ++i)
      object["launches"][i]["estimate"] =
          estimate_object(out.report.launches[i], lab::gpu_named(gpu));
  fmt::print("{}\n", object.dump());
}

int run_and_time(lab::request const& asked, bool json) {
  auto const device = gpu::require("run", "");
  auto const out = lab::run_on_gpu(asked);
  if (json) {
    auto object = lab::verdict_object(asked, out.result);
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

void print_text(lab::request const& asked, lab::outcome const& out, std::string const& gpu) {
  fmt::print("{} of {} {} elements, {}{} threads per block, {} schedule: {}\n\n", name_of(asked.op),
             asked.n, name_of(asked.type), asked.exclusive ? "exclusive, " : "", asked.threads,
             lab::name_of(asked.machine.how), lab::verdict(asked, out));
  if (!out.report.launches.empty()) {
    print_counters(out.report, asked.stem);
    print_buffers(out.report);
    if (!gpu.empty()) print_estimates(out.report, lab::gpu_named(gpu));
  } else {
    fmt::print("no kernel was launched: the input is empty\n");
  }
  print_findings(out.report);
}

std::string shape_text(simt::extent3 const& e) {
  return e.z != 1   ? fmt::format("{} x {} x {}", e.x, e.y, e.z)
         : e.y != 1 ? fmt::format("{} x {}", e.x, e.y)
                    : fmt::format("{}", e.x);
}

/// "scan.cu:35"
std::string line_text(sim::source_position const& at) {
  return at.line == 0 ? std::string()
                      : fmt::format("{}:{}", at.file.substr(at.file.rfind('/') + 1), at.line);
}

/// A line for each kernel, shape and position of the launch, in order of their first launches.
void print_launches(sim::report const& report) {
  struct row {
    std::vector<std::string> cells;
    std::size_t launches = 0;
  };
  std::vector<row> rows;
  for (auto const& launch : report.launches) {
    auto const& s = launch.shape;
    std::vector<std::string> cells{
        launch.name, shape_text(s.blocks), shape_text(s.threads),
        s.shared_bytes == 0 ? std::string() : fmt::format("{} B", s.shared_bytes),
        line_text(launch.at)};
    auto const same =
        std::find_if(rows.begin(), rows.end(), [&](row const& r) { return r.cells == cells; });
    if (same == rows.end())
      rows.push_back({std::move(cells), 1});
    else
      ++same->launches;
  }
  text::text_table table(
      {"kernel", "blocks", "threads", "dynamic shared", "launched at", "launches"});
  for (auto& r : rows) {
    r.cells.push_back(fmt::format("{}", r.launches));
    table.add(r.cells);
  }
  fmt::print("{}\n", io::printable(table.text()));
}

/// Which launches did not run, or were not measured.
void print_repetitions(sim::report const& report) {
  std::map<std::string, std::array<std::size_t, 3>> all;
  for (auto const& launch : report.launches)
    ++all[launch.name][static_cast<std::size_t>(launch.source)];
  for (auto const& [name, counts] : all) {
    auto const [measured, repeated, unmeasured] = counts;
    if (repeated > 0)
      fmt::print(
          "{} launches of '{}' did not run: they would have repeated the one before on the same "
          "memory; their counts are the same\n",
          repeated, name);
    if (unmeasured > 0)
      fmt::print(
          "{} launches of '{}' ran without counts and checks; their counts are those of an earlier "
          "one (--every-launch measures all)\n",
          unmeasured, name);
  }
}

/// Launches of the same kernel as one, if there are too many for columns of their own.
sim::report by_kernel(sim::report const& report) {
  constexpr std::size_t most_columns = 6;
  if (report.launches.size() <= most_columns) return report;
  sim::report all;
  std::map<std::string, std::size_t> place, times;
  for (auto const& launch : report.launches) {
    ++times[launch.name];
    auto const [at, is_new] = place.try_emplace(launch.name, all.launches.size());
    if (is_new) {
      all.launches.push_back(launch);
      continue;
    }
    auto& sum = all.launches[at->second];
    add_after(sum.total, launch.total);
    for (auto const& [name, b] : launch.buffers) {
      sum.buffers[name].loads += b.loads;
      sum.buffers[name].stores += b.stores;
      sum.buffers[name].atomics += b.atomics;
    }
  }
  for (auto& launch : all.launches)
    if (auto const n = times[launch.name]; n > 1)
      launch.name = fmt::format("{} ({} launches)", launch.name, n);
  all.findings = report.findings;
  return all;
}

/// The first elements of each buffer.
void print_outputs(std::vector<lab::output_buffer> const& outputs) {
  constexpr std::size_t most = 16;
  for (auto const& o : outputs) {
    std::size_t const shown = std::min(o.values.size(), most);
    fmt::print(
        "{}: {}{}\n", o.name,
        fmt::join(o.values.begin(), o.values.begin() + static_cast<std::ptrdiff_t>(shown), " "),
        shown < o.values.size() ? fmt::format(" ... ({} elements)", o.values.size()) : "");
  }
}

void print_text(lab::program_outcome const& out, run_flags const& run, file_flags const& flags) {
  print_outputs(out.outputs);
  if (out.report.launches.empty()) {
    fmt::print("\n{}\n", out.running.empty() ? "no kernel was launched" : "no launch has ended");
  } else {
    fmt::print("\n");  // after what the program printed
    print_launches(out.report);
    print_repetitions(out.report);
    auto const shown = by_kernel(out.report);
    print_counters(shown, {});
    print_buffers(shown);
    if (!run.gpu.empty()) print_estimates(out.report, lab::gpu_named(run.gpu));
  }
  if (flags.source) print_sources(out.report);
  print_findings(out.report, true);
  if (!out.failure.empty()) fmt::print("\n{}\n", io::printable(out.failure));
}

/// {"out": {"type": "float", "values": [1, 2.5]}}; what JSON has no number for is a string.
nlohmann::ordered_json json_of(std::vector<lab::output_buffer> const& outputs) {
  auto object = nlohmann::ordered_json::object();
  for (auto const& o : outputs) {
    auto values = nlohmann::ordered_json::array();
    for (auto const& v : o.values) {
      auto const number = nlohmann::ordered_json::parse(v, nullptr, false);
      values.push_back(number.is_discarded() ? nlohmann::ordered_json(v) : number);
    }
    object[o.name] = {{"type", o.type}, {"values", values}};
  }
  return object;
}

void print_json(std::string const& file, run_flags const& run, file_flags const& flags,
                lab::program_outcome const& out) {
  nlohmann::ordered_json object{{"file", file},
                                {"schedule", run.schedule},
                                {"seed", run.seed},
                                {"resident", run.resident},
                                {"device", flags.program.device},
                                {"status", out.status},
                                {"failure", out.failure}};
  if (!out.outputs.empty()) object["outputs"] = json_of(out.outputs);
  object.update(lab::json_of(out.report));
  if (!run.gpu.empty())
    for (std::size_t i = 0; i < out.report.launches.size(); ++i)
      object["launches"][i]["estimate"] =
          estimate_object(out.report.launches[i], lab::gpu_named(run.gpu));
  object["seconds"] = out.seconds;
  fmt::print("{}\n", object.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace));
}

/// The options of a program, ARGUMENT..., --no-check, --every-launch, --source, --sarif,
/// --force.
void add_file_options(options const& add, file_flags& flags) {
  add_program_options(add, flags.program);
  add_program_arguments(add, flags.program);
  option_group const group(add.command, file_group);
  add("--no-check", flags.unchecked,
      "Do not look for races, uninitialized reads and divergent barriers: faster");
  add("--every-launch", flags.every_launch,
      "Run, count and check every launch of a kernel that is launched again and again");
  add("--source", flags.source, "Print the source with the counts and findings beside its lines");
  add("--sarif FILE", flags.sarif, "Write the findings to this file in SARIF, for editors");
  add("--force", flags.force, "Replace the file of --sarif if it exists");
}

/// Compiles and runs `file`, and prints its report. Returns the exit status: 1 after a finding or a
/// failure of the program.
int run_file(std::string const& file, run_flags const& run, file_flags const& given) {
  file_flags flags = given;
  take_sources(flags.program);
  auto const program = compiled(file, flags.program);
  auto asked = request_of(program, run, flags.program);
  if (run.json) asked.printed = lab::program_request::output::to_errors;
  asked.shows_progress = ::isatty(STDERR_FILENO) == 1;
  asked.machine.check = !flags.unchecked;
  // Enough for the passes of a tree over any array.
  asked.machine.measured_launches = flags.every_launch ? 0 : 32;
  if (!run.gpu.empty()) (void)lab::gpu_named(run.gpu);  // refused before anything runs
  std::optional<io::output_file> sarif;
  if (!flags.sarif.empty()) sarif.emplace(flags.sarif, flags.force);
  auto const out = lab::run_program(asked);
  if (sarif) {
    sarif->write(
        lab::sarif_of(out.report).dump(2, ' ', false, nlohmann::json::error_handler_t::replace) +
        '\n');
    sarif->commit();
  }
  if (run.json)
    print_json(file, run, flags, out);
  else
    print_text(out, run, flags);
  return out.clean() ? 0 : 1;
}

int run(command_flags const& flags, CLI::App const& command) {
  check_options(command, flags.what);
  if (is_file(flags.what)) return run_file(flags.what, flags.run, flags.file);
  run_flags how = flags.run;
  settle_values(command, how);
  auto const asked = how.of(flags.what);
  if (!flags.run.gpu.empty()) (void)lab::gpu_named(flags.run.gpu);  // refused before anything runs
  if (asked.on == lab::machine_name::cuda) return run_and_time(asked, flags.run.json);
  auto const out = lab::run(asked);
  if (flags.run.json)
    print_json(asked, out, flags.run.gpu);
  else
    print_text(asked, out, flags.run.gpu);
  return out.clean() ? 0 : 1;
}

}  // namespace

void add_run_command(registry& tool) {
  auto const [add, flags] = add_command<command_flags>(tool, "run");
  add("STEM", flags.what,
      "Algorithm (see upsweep list reduce and upsweep list scan), or a .cu file", required,
      a_stem());
  add_run_options(add, flags.run);
  add_values_option(add, flags.run);
  add_file_options(add, flags.file);
  add("--json", flags.run.json,
      "Write JSON: counters in total, by launch and by line; on a GPU the time");
  std::vector<std::string> names;
  for (auto const& gpu : lab::known_gpus()) names.emplace_back(gpu.name);
  add("--gpu NAME", flags.run.gpu,
      fmt::format("Estimate the time on a GPU: {}", fmt::join(names, ", ")));
}

}  // namespace upsweep::cli
