/// `upsweep ladder`: from the plain loop to the best kernel, on one set of elements.
#include <fmt/format.h>
#include <unistd.h>
#include <CLI/CLI.hpp>

#include <memory>
#include <nlohmann/json.hpp>
#include <thread>

#include "../io/error.hpp"
#include "../lab/counters.hpp"
#include "../lab/flags.hpp"
#include "../lab/library.hpp"
#include "../progress.hpp"

namespace upsweep::cli {

namespace {

struct ladder_flags {
  std::string what = "both";
  lab::run_flags run;
  std::uint64_t emulate = 65536;
};

struct rung {
  lab::request asked;
  lab::outcome out;
  sim::counters total;
};

std::vector<std::string> stems_of(textbook::kind what) {
  std::vector<std::string> stems;
  for (auto const& row : textbook::algorithms)
    if (row.what == what) stems.emplace_back(row.stem);
  return stems;
}

/// Per element with two digits: "1.99".
std::string per_element(double count, std::uint64_t n) {
  return fmt::format("{:.2f}", count / static_cast<double>(std::max<std::uint64_t>(n, 1)));
}

/// "69.1 µs", "6.91 ms", "1.3 s".
std::string duration(double seconds) {
  if (seconds < 1e-3) return fmt::format("{:.3g} µs", seconds * 1e6);
  return seconds < 1 ? fmt::format("{:.3g} ms", seconds * 1e3) : fmt::format("{:.3g} s", seconds);
}

void print_head(lab::library_times const& t, char const* what) {
  fmt::print("{} by the library, {} elements:\n", what, t.n);
  fmt::print("  one thread   {:>9}  {:>6.1f} GB/s  {}\n", duration(t.serial_seconds), t.gigabytes / t.serial_seconds, t.value);
  fmt::print("  {:<2} threads   {:>9}  {:>6.1f} GB/s  {}\n", t.threads, duration(t.parallel_seconds),
             t.gigabytes / t.parallel_seconds, t.agree() ? "the same bits" : "DIFFERS: " + t.difference);
}

void print_table(std::vector<rung> const& rungs) {
  lab::text_table table(
      {"kernel", "n", "result", "applications/n", "span", "warp steps/n", "elements moved/n", "seconds emulated"});
  for (auto const& r : rungs)
    table.add({r.asked.stem, fmt::format("{}", r.asked.n),
               r.out.clean()    ? "agrees: " + r.out.value
               : r.out.agrees() ? "finding"
                                : "DIFFERS",
               per_element(static_cast<double>(r.total.applications), r.asked.n), fmt::format("{}", r.total.span),
               per_element(static_cast<double>(r.total.steps), r.asked.n),
               per_element(static_cast<double>(r.total.global_loads + r.total.global_stores), r.asked.n),
               fmt::format("{:.2f}", r.out.seconds)});
  fmt::print("{}", table.text());
}

nlohmann::ordered_json json_of(lab::library_times const& t, std::vector<rung> const& rungs, char const* what) {
  nlohmann::ordered_json object{{"what", what},
                                {"n", t.n},
                                {"bytes", t.bytes},
                                {"value", t.value},
                                {"agree", t.agree()},
                                {"serial_seconds", t.serial_seconds},
                                {"parallel_seconds", t.parallel_seconds},
                                {"threads", t.threads},
                                {"kernels", nlohmann::ordered_json::array()}};
  if (!t.agree()) object["difference"] = t.difference;
  for (auto const& r : rungs)
    object["kernels"].push_back({{"stem", r.asked.stem},
                                 {"n", r.asked.n},
                                 {"on", "sim"},
                                 {"agrees", r.out.agrees()},
                                 {"findings", r.out.report.findings.size()},
                                 {"value", r.out.value},
                                 {"seconds", r.out.seconds},
                                 {"total", lab::json_of(r.total)}});
  return object;
}

std::vector<rung> climb(ladder_flags const& flags, textbook::kind what, int& status) {
  bool const terminal = isatty(STDERR_FILENO) == 1;
  std::vector<rung> rungs;
  for (auto const& stem : stems_of(what)) {
    auto asked = flags.run;
    asked.n = std::min(flags.run.n, flags.emulate);
    auto const op = lab::parse_operation(asked.op);
    if (!lab::catalog_row(stem).keeps_order && !lab::commutes(op)) continue;
    lab::request wanted;
    try {
      wanted = asked.of(stem);
    } catch (usage_error const& e) {
      fmt::print(stderr, "upsweep: ladder: {} does not take part: {}\n", stem, e.what());
      continue;
    }
    if (terminal) fmt::print(stderr, "\r\033[K{}", stem);
    wanted.machine.check = false;
    rung r{wanted, lab::run(wanted), {}};
    r.total = r.out.report.total();
    if (terminal) fmt::print(stderr, "\r\033[K");
    if (!r.out.clean()) {
      status = 1;
      fmt::print(stderr, "upsweep: {}; again: {}\n", lab::verdict(r.asked, r.out), lab::command_line(r.asked));
    }
    rungs.push_back(std::move(r));
  }
  return rungs;
}

int run(ladder_flags const& flags) {
  int status = 0;
  auto const type = !flags.run.type.empty()    ? lab::parse_element(flags.run.type)
                    : flags.run.op == "affine" ? lab::element::affine
                                               : lab::element::i32;
  auto const op = lab::parse_operation(flags.run.op);
  if (!lab::combine(op, type))
    throw usage_error(fmt::format("ladder: {} does not combine elements of type {}", name_of(op), name_of(type)));
  if (flags.run.on == "cuda")
    throw cli_error(5,
                    "this build has no CUDA machine, so it cannot use a GPU even if there is one; --on sim, the default, runs the "
                    "kernels on the emulator");
  if (!flags.run.json) {
    fmt::print("machine: {} threads of this processor; no CUDA machine in this build, kernels run on the emulator\n",
               std::max(1u, std::thread::hardware_concurrency()));
    fmt::print("data: {} elements of {}, {}\n", flags.run.n, name_of(type),
               byte_count(static_cast<double>(flags.run.n) * lab::elements[static_cast<std::size_t>(type)].bytes));
  }
  auto json = nlohmann::ordered_json::array();
  bool const terminal = isatty(STDERR_FILENO) == 1;
  for (auto const what : {textbook::kind::reduce, textbook::kind::scan}) {
    bool const scan = what == textbook::kind::scan;
    if (flags.what == (scan ? "reduce" : "scan")) continue;
    char const* const name = scan ? "scan" : "reduction";
    if (terminal) fmt::print(stderr, "\r\033[K{} of {} elements by the library", name, flags.run.n);
    auto const times = lab::time_library(op, type, flags.run.n, flags.run.seed, scan);
    if (terminal) fmt::print(stderr, "\r\033[K");
    if (!times.agree()) status = 1;
    if (!flags.run.json) {
      fmt::print("\n");
      print_head(times, name);
      std::fflush(stdout);
    }
    auto const rungs = climb(flags, what, status);
    if (flags.run.json) {
      json.push_back(json_of(times, rungs, name));
      continue;
    }
    fmt::print("\n{} by the textbook's kernels on the emulator, {} elements, {} threads a block:\n", name,
               std::min(flags.run.n, flags.emulate), flags.run.block);
    print_table(rungs);
  }
  if (flags.run.json) fmt::print("{}\n", json.dump());
  return status;
}

}  // namespace

void add_ladder_command(registry& tool) {
  CLI::App* const command = add_command(tool, "ladder");
  auto const flags = std::make_shared<ladder_flags>();
  flags->run.n = 10'000'000;
  one_of(tool, command->add_option("WHAT", flags->what, "reduce, scan or both"), {"both", "reduce", "scan"});
  lab::add_run_options(tool, *command, flags->run);
  command->add_option("--emulate", flags->emulate, "Elements that the emulator gets, if there are more")
      ->type_name("N")
      ->check(CLI::PositiveNumber.description(""));
  command->add_flag("--json", flags->run.json, "Write JSON");
  command->callback([flags, &tool] { tool.status = run(*flags); });
}

}  // namespace upsweep::cli
