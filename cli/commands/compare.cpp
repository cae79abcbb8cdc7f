/// `upsweep compare`: the counters of several textbook kernels on the same input, and of kernels
/// of files, side by side.
#include <cli/lab/program_flags.hpp>
#include <io/error.hpp>
#include <io/shown.hpp>
#include <lab/reports.hpp>
#include <text/table.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace upsweep::cli {

namespace {

struct compare_flags {
  std::vector<std::string> names;
  run_flags run;
  program_flags program;
  bool one_tile = false;
};

/// A kernel of the textbook, or launches of a file.
struct entrant {
  std::string name, again, threads;
  std::size_t launches = 0;
  sim::counters total{};
  bool agrees = true;
  std::string failure{};  ///< empty: right, and without findings

  [[nodiscard]] bool clean() const { return failure.empty(); }
};

/// The best value of a row, or nothing if all are equal or the row has no order.
std::optional<double> best_of(lab::counter_row const& row, std::vector<entrant> const& all) {
  if (row.better == 0) return std::nullopt;
  std::vector<double> values;
  for (auto const& e : all)
    if (lab::has_counter(e.name, row)) values.push_back(row.of(e.total));
  if (values.empty()) return std::nullopt;
  auto const [least, most] = std::ranges::minmax(values);
  if (least == most) return std::nullopt;
  return row.better < 0 ? least : most;
}

void print_text(std::vector<entrant> const& all) {
  std::vector<std::string> head{""};
  for (auto const& e : all) head.push_back(e.name.substr(e.name.rfind('/') + 1) + " ");
  text::text_table table(head);
  std::vector<std::string> threads{"threads per block"}, launches{"launches"}, right{"result"};
  for (auto const& e : all) {
    threads.push_back(e.threads + " ");
    launches.push_back(fmt::format("{} ", e.launches));
    right.push_back(e.clean() ? "right " : e.agrees ? "finding " : "WRONG ");
  }
  table.add(right);
  table.add(threads);
  table.add(launches);
  for (auto const& row : lab::counter_rows()) {
    bool const any = std::ranges::any_of(all, [&](auto const& e) {
      return lab::has_counter(e.name, row) && (row.always || row.of(e.total) != 0);
    });
    if (!any) continue;
    auto const best = best_of(row, all);
    std::vector<std::string> line{std::string(row.title)};
    for (auto const& e : all)
      line.push_back(!lab::has_counter(e.name, row)
                         ? "- "
                         : lab::text_of(row, e.total) +
                               (best && row.of(e.total) == *best ? "*" : " "));
    table.add(line);
  }
  fmt::print("{}", io::printable(table.text()));
}

void print_json(std::vector<entrant> const& all, std::uint64_t n) {
  auto list = nlohmann::ordered_json::array();
  for (auto const& e : all)
    list.push_back({{"stem", e.name},
                    {"n", n},
                    {"block", nlohmann::ordered_json::parse(e.threads, nullptr, false)},
                    {"clean", e.clean()},
                    {"launches", e.launches},
                    {"total", lab::json_of(e.total)}});
  fmt::print("{}\n", list.dump(-1, ' ', false, nlohmann::ordered_json::error_handler_t::replace));
}

entrant entrant_of(lab::request const& asked) {
  auto const out = lab::run(asked);
  entrant e{asked.stem, lab::command_line(asked), fmt::format("{}", asked.threads)};
  e.launches = out.report.launches.size();
  e.total = out.report.total();
  e.agrees = out.agrees();
  if (!out.clean())
    e.failure = e.agrees ? out.report.findings.front().sentence : lab::verdict(asked, out);
  return e;
}

/// The run with the smallest block for which all elements are one tile: one launch of one block.
entrant one_tile(run_flags flags, std::string const& stem) {
  for (int threads = 32; threads <= 1024; threads *= 2) {
    flags.block = fmt::format("{}", threads);
    auto const asked = flags.of_emulated(stem);
    auto const report = lab::run(asked).report;
    if (report.launches.size() == 1 && report.launches[0].shape.blocks.count() == 1)
      return entrant_of(asked);
  }
  throw io::usage_error(
      "compare --one-tile: no block size of {} makes {} elements one tile; give a smaller -n", stem,
      flags.n);
}

/// "scan<float>" is the kernel `scan`.
bool is_launch_of(sim::launch_report const& launch, std::string const& kernel) {
  return launch.name == kernel || launch.name.starts_with(kernel + "<");
}

/// The launches of `kernel`, or all.
void add_launches(sim::report const& report, std::string const& kernel, entrant& to) {
  for (auto const& launch : report.launches) {
    if (!kernel.empty() && !is_launch_of(launch, kernel)) continue;
    ++to.launches;
    add_after(to.total, launch.total);
    auto const threads = fmt::format("{}", launch.shape.threads.count());
    to.threads = to.threads.empty() || to.threads == threads ? threads : "several";
  }
}

/// What is wrong with the launches of `kernel`, or with all; empty if nothing is.
std::string failure_of(lab::program_outcome const& out, std::string const& kernel) {
  for (auto const& f : out.report.findings)
    if (kernel.empty() || f.launch >= out.report.launches.size() ||
        is_launch_of(out.report.launches[f.launch], kernel))
      return f.sentence;
  return out.report.findings.empty() ? out.failure : std::string();
}

/// "scan.cu" is all that its main launches, and "scan.cu:add" the launches of one kernel; with
/// --arg, that kernel is launched instead.
entrant file_entrant(compare_flags const& flags, std::string const& name) {
  std::size_t const colon = name.rfind(':');
  std::string const file = name.substr(0, colon);
  std::string kernel = colon == name.npos ? "" : name.substr(colon + 1);
  program_flags program = flags.program;
  if (!program.kernel.arguments.empty()) {
    if (!kernel.empty()) program.kernel.kernel = std::exchange(kernel, "");
    if (program.kernel.kernel.empty())
      throw io::usage_error("compare: --arg is for a kernel of '{0}': name it, as in {0}:scan",
                            file);
  }
  auto const made = compiled(file, program);  // its cache holds the module that runs
  auto asked = request_of(made, flags.run, program);
  asked.printed = lab::program_request::output::none;
  auto const out = lab::run_program(asked);
  entrant e{name, command_line(file, flags.run, program), {}};
  e.failure = failure_of(out, kernel);
  e.agrees = !out.report.findings.empty() || out.failure.empty();
  add_launches(out.report, kernel, e);
  if (e.launches > 0 || (out.report.launches.empty() && !e.clean())) return e;
  std::vector<std::string> names;
  for (auto const& launch : out.report.launches) names.push_back(launch.name);
  throw io::usage_error(names.empty()
                            ? fmt::format("compare: the main of '{}' launches no kernel", file)
                            : fmt::format("compare: the main of '{}' does not launch '{}', only {}",
                                          file, kernel, fmt::join(names, ", ")));
}

entrant entrant_of(compare_flags const& flags, std::string const& name) {
  if (is_file(name)) return file_entrant(flags, name);
  return flags.one_tile ? one_tile(flags.run, name) : entrant_of(flags.run.of_emulated(name));
}

/// Options of files are refused if there is none.
void check(compare_flags const& flags, CLI::App const& command) {
  if (flags.names.size() < 2)
    throw io::usage_error("compare: name at least two algorithms, or kernels of files");
  if (std::ranges::none_of(flags.names, is_file)) check_options(command, flags.names.front());
  if (flags.one_tile && std::ranges::all_of(flags.names, is_file))
    throw io::usage_error("compare: --one-tile is for kernels of the textbook");
}

int run(compare_flags flags, CLI::App const& command) {
  check(flags, command);
  if (!std::ranges::all_of(flags.names, is_file)) settle_values(command, flags.run);
  std::vector<entrant> all;
  for (auto const& name : flags.names) all.push_back(entrant_of(flags, name));
  if (flags.run.json)
    print_json(all, flags.run.n);
  else
    print_text(all);
  int status = 0;
  for (auto const& e : all) {
    if (e.clean()) continue;
    status = 1;
    fmt::print(stderr, "upsweep: {}; repeat with: {}\n", io::printable(e.failure),
               io::printable(e.again));
  }
  return status;
}

}  // namespace

void add_compare_command(registry& tool) {
  auto const [add, flags] = add_command<compare_flags>(tool, "compare");
  add("STEM", flags.names, "Algorithms, .cu files, or kernels of files: scan.cu:add", required,
      a_stem());
  add_run_options(add, flags.run);
  add_values_option(add, flags.run);
  add("--one-tile", flags.one_tile,
      "Run each kernel with the smallest block for which all elements are one tile",
      excludes({"--block"}));
  add("--json", flags.run.json, "Write JSON");
  add_program_options(add, flags.program);
  add_program_words(add, flags.program);
}

}  // namespace upsweep::cli
