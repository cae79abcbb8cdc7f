/// `upsweep trace`: writes a run of a textbook kernel, or a launch of a program, as an
/// interactive page, as an SVG picture or as text.
#include <cli/lab/program_flags.hpp>
#include <io/error.hpp>
#include <io/output_file.hpp>
#include <io/shown.hpp>
#include <lab/tracing.hpp>

#include <fmt/format.h>

#include <cstddef>
#include <string>

namespace upsweep::cli {

namespace {

struct trace_flags {
  std::string stem, path, view = "all";
  run_flags run;
  program_flags program;
  std::size_t launch = 0;  ///< from 1; 0: the first with a finding, else the first
  bool force = false;
};

/// The steps, then the combining tree of a textbook kernel.
std::string text_of(lab::drawing const& drawn) {
  std::string all = lab::terminal_steps(drawn.shape, drawn.words);
  if (!drawn.shape.nodes.empty())
    all += "\nThe elements that each combination covers; results in brackets:\n\n" +
           lab::terminal_tree(drawn.shape);
  return all;
}

void write(trace_flags const& flags, lab::drawing const& drawn) {
  if (flags.path.empty()) {
    fmt::print("{}", io::printable(text_of(drawn)));
    return;
  }
  io::output_file out(flags.path, flags.force);
  auto const what = flags.view == "tree"    ? lab::view::tree
                    : flags.view == "steps" ? lab::view::steps
                                            : lab::view::all;
  out.write(flags.path.ends_with(".svg")   ? lab::svg(drawn.shape, drawn.words, what)
            : flags.path.ends_with(".txt") ? text_of(drawn)
                                           : lab::page(drawn.shape, drawn.words));
  out.commit();
}

/// The launch to draw, by its number from 0.
std::size_t chosen_launch(trace_flags const& flags, sim::report const& report) {
  std::size_t const count = report.launches.size();
  if (count == 0)
    throw io::data_error(
        "trace: '{}' launches no kernel{}", flags.stem,
        report.findings.empty() ? std::string() : ": " + report.findings.front().sentence);
  if (flags.launch > count)
    throw io::usage_error(
        "trace --launch {}: the program has {} launch{}; upsweep run {} lists them", flags.launch,
        count, count == 1 ? "" : "es", flags.stem);
  if (flags.launch > 0) return flags.launch - 1;
  for (auto const& f : report.findings)
    if (f.launch < count) return f.launch;
  return 0;
}

/// The first run, without a trace, tells which launch to draw and whether it is small enough.
int trace_file(trace_flags flags) {
  auto const program = compiled(flags.stem, flags.program);
  auto asked = request_of(program, flags.run, flags.program);
  asked.printed = lab::program_request::output::to_errors;
  auto const first = lab::run_program(asked);
  std::size_t const number = chosen_launch(flags, first.report);
  lab::check_size(first.report.launches[number]);
  asked.machine.trace = true;
  asked.machine.traced_launch = number;
  asked.printed = lab::program_request::output::none;
  auto const out = lab::run_program(asked);
  if (out.report.trace.launches.empty() || out.report.launches.size() <= number)
    throw io::data_error("trace: '{}' did not launch the same kernels when it ran again",
                         flags.stem);
  auto const drawn = lab::drawn_launch(out.report, number);
  write(flags, drawn);
  bool const is_text = flags.path.empty() || flags.path.ends_with(".txt");  // it has the findings
  for (auto const& f : out.report.findings)
    if (!is_text || f.launch != number)
      fmt::print(stderr, "upsweep: {}\n", io::printable(f.sentence));
  if (!out.failure.empty()) fmt::print(stderr, "upsweep: {}\n", io::printable(out.failure));
  return out.clean() ? 0 : 1;
}

int run(trace_flags flags, CLI::App const& command) {
  auto const is_given = [&](char const* option) { return command.get_option(option)->count() > 0; };
  if (!flags.path.ends_with(".svg") && flags.view != "all")
    throw io::usage_error(
        "trace: --view is for pictures, such as -o picture.svg; a page shows both views");
  check_options(command, flags.stem);
  if (is_file(flags.stem)) {
    if (!is_given("--n")) flags.run.n = 16;
    if (!is_given("--block")) flags.run.block = "32";
    return trace_file(flags);
  }
  if (!is_given("--n")) flags.run.n = lab::picture_size(flags.stem);
  settle_values(command, flags.run);
  auto asked = flags.run.of_emulated(flags.stem);
  if (!is_given("--block")) asked.threads = lab::picture_block(asked);
  auto const drawn = lab::traced(asked);
  write(flags, drawn);
  if (drawn.words.correct) return 0;
  fmt::print(stderr, "upsweep: {}\n", drawn.words.verdict);
  for (auto const& sentence : drawn.words.findings)
    if (!flags.path.empty()) fmt::print(stderr, "upsweep: {}\n", sentence);
  return 1;
}

}  // namespace

void add_trace_command(registry& tool) {
  auto const [add, flags] = add_command<trace_flags>(tool, "trace");
  add("STEM", flags.stem,
      "Algorithm (see upsweep list reduce and upsweep list scan), or a .cu file", required,
      a_stem());
  add("-o,--output FILE", flags.path,
      "File to write: a page, a picture if the name ends in .svg, or text if it ends in .txt; - is "
      "standard output for a page; without -o text is printed");
  add("--force", flags.force, "Replace a file that exists");
  add("--view VIEW", flags.view, "Content of a picture: all (default), steps or tree",
      one_of({"all", "steps", "tree"}));
  add_run_options(add, flags.run);
  add.command.get_option("--n")->description(
      "Number of elements (default: 16, for a grid 24 or 40)");
  add.command.get_option("--block")->description(
      "Threads per block (default: the smallest for the picture; of a kernel in a file 32)");
  add_values_option(add, flags.run);
  add_program_options(add, flags.program);
  add_program_arguments(add, flags.program);
  add("--launch K", flags.launch,
      "Number of the launch to draw, from 1 (default: the first with a diagnostic, otherwise the "
      "first)",
      at_least_one)
      ->group(file_group);
}

}  // namespace upsweep::cli
