/// `upsweep run`: runs a textbook kernel on the emulator, with counters, or on a GPU, with its
/// time, and checks the result; or runs a program in CUDA C++ on the emulator.
#include <cli/cuda/gpu.hpp>
#include <cli/lab/lab_flags.hpp>
#include <cli/lab/report_tables.hpp>
#include <cli/lab/run_file.hpp>
#include <io/error.hpp>
#include <lab/counters.hpp>
#include <lab/on_gpu.hpp>
#include <lab/run_object.hpp>
#include <text/figures.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

namespace upsweep::cli {

namespace {

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

int run(CLI::App const& command, command_flags const& flags) {
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
  CLI::App* const command = add_command(tool, "run");
  auto const flags = std::make_shared<command_flags>();
  stem_argument(tool, *command, flags->what)
      ->description("Algorithm (see upsweep list reduce and upsweep list scan), or a .cu file");
  add_run_options(tool, *command, flags->run);
  add_values_option(*command, flags->run);
  add_file_options(tool, *command, flags->file);
  command->add_flag("--json", flags->run.json,
                    "Write JSON: counters in total, by launch and by line; on a GPU the time");
  std::vector<std::string> names;
  for (auto const& gpu : lab::known_gpus()) names.emplace_back(gpu.name);
  add_option(*command, "--gpu NAME", flags->run.gpu,
             fmt::format("Estimate the time on a GPU: {}", fmt::join(names, ", ")));
  command->callback([flags, command, &tool] { tool.status = run(*command, *flags); });
}

}  // namespace upsweep::cli
