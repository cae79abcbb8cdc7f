/// `upsweep verify`: runs textbook kernels over edge sizes, schedules, types and operators,
/// programs over schedules, and the golden set.
#include <golden/golden.h>
#include <cli/cuda/gpu.hpp>
#include <cli/lab/program_flags.hpp>
#include <cli/output/progress.hpp>
#include <io/error.hpp>
#include <lab/matrix.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <fstream>
#include <nlohmann/json.hpp>
#include <optional>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

namespace upsweep::cli {

namespace {

struct verify_flags {
  std::vector<std::string> stems;
  bool all = false, quick = false, json = false;
  unsigned seeds = 3;
  std::string on = "sim";
  run_flags run;  ///< of files
  program_flags program;
  std::vector<std::uint64_t> sizes;
  std::string expected;  ///< a file with the golden set's lines; empty: digests are compared
  int golden_threads = 0;
};

constexpr char const* golden_group = "The golden set";

struct schedule_choice {
  char const* how;
  std::uint64_t seed;
  unsigned resident;
};

/// In order comes first: the others are compared with it.
std::vector<schedule_choice> schedules(verify_flags const& flags) {
  std::vector<schedule_choice> all{{"in-order", 0, 16}, {"round-robin", 0, 16}};
  for (std::uint64_t seed = 0; seed < (flags.quick ? 2 : 4); ++seed)
    all.push_back({"adversarial", seed, 16});
  if (!flags.quick) all.push_back({"in-order", 0, 1});
  for (unsigned s = 0; s < (flags.quick ? std::min(flags.seeds, 1U) : flags.seeds); ++s)
    all.push_back({"random", s, 2 + 3 * s % 16});
  return all;
}

/// Around a warp and a block, and several blocks.
std::vector<std::uint64_t> edge_sizes(lab::kernel_request const& launch, bool quick) {
  std::uint64_t const block =
      std::uint64_t{launch.threads[0]} * launch.threads[1] * launch.threads[2];
  std::vector<std::uint64_t> sizes{1, 32, block - 1, block, block + 1, 3 * block + 7};
  if (!quick) sizes.insert(sizes.end(), {2, 31, 33, 2 * block, 997});
  std::ranges::sort(sizes);
  sizes.erase(std::ranges::unique(sizes).begin(), sizes.end());
  std::erase(sizes, 0U);
  return sizes;
}

/// In how far a result differs; empty if it does not.
std::string difference(lab::program_outcome const& wanted, lab::program_outcome const& got) {
  if (wanted.status != got.status)
    return fmt::format("the program ends with status {}, and in order with {}", got.status,
                       wanted.status);
  if (wanted.printed != got.printed)
    return "the program prints something else than with the schedule in order";
  for (std::size_t i = 0; i < wanted.outputs.size(); ++i) {
    auto const &a = wanted.outputs[i], &b = got.outputs.at(i);
    auto const [x, y] = std::ranges::mismatch(a.values, b.values);
    if (x != a.values.end())
      return fmt::format("element {} of '{}' is {}, and in order {}", x - a.values.begin(), a.name,
                         *y, *x);
  }
  return {};
}

std::string failure_of(lab::program_outcome const& out) {
  return out.report.findings.empty() ? out.failure : out.report.findings.front().sentence;
}

/// Runs the main of `file`, or the kernel that the flags name, up to the first failure: a finding,
/// a crash, or a result that differs from that of the schedule in order.
lab::verified verify_file(std::string const& file, verify_flags const& flags) {
  auto const program = compiled(file, flags.program);
  bool const has_kernel = !flags.program.kernel.kernel.empty();
  if (!flags.sizes.empty() && !(has_kernel && flags.program.kernel.uses_n()))
    throw io::usage_error(
        "verify: --sizes are values of n, but no --arg uses it, as in --arg in:n:ramp --arg n=n");
  std::vector<std::uint64_t> sizes = flags.sizes;
  if (sizes.empty() && has_kernel && flags.program.kernel.uses_n())
    sizes = edge_sizes(*request_of(program, flags.run, flags.program).kernel, flags.quick);
  if (sizes.empty()) sizes = {flags.run.n};
  lab::verified v{file, 0, {}, {}};
  for (auto const n : sizes) {
    std::optional<lab::program_outcome> wanted;
    for (auto const& choice : schedules(flags)) {
      run_flags now = flags.run;
      now.n = n;
      now.schedule = choice.how;
      now.seed = choice.seed;
      now.resident = choice.resident;
      auto asked = request_of(program, now, flags.program);
      asked.machine.count = false;
      asked.printed = lab::program_request::output::kept;
      auto out = lab::run_program(asked);
      ++v.runs;
      v.failure = failure_of(out);
      if (v.failure.empty() && wanted) v.failure = difference(*wanted, out);
      if (!wanted) wanted = std::move(out);
      if (v.failure.empty()) continue;
      v.again = command_line(file, now, flags.program);
      return v;
    }
  }
  return v;
}

#ifndef UPSWEEP_GOLDEN_IN_C
int verify_golden(verify_flags const&) {
  throw io::unavailable_error(
      "verify: this tool was built without the C interface (UPSWEEP_C_API)");
}
#else
std::string content(std::string const& file) {
  std::ifstream in(file);
  std::ostringstream text;
  if (!in || !(text << in.rdbuf())) throw io::io_error("verify: {} cannot be read", file);
  return text.str();
}

/// Many results differ where one rule is broken, and the first tell which.
constexpr std::size_t most_shown = 20;

void print_difference(void* shown, golden_difference const* d) {
  if (++*static_cast<std::size_t*>(shown) > most_shown) return;
  fmt::print("case {} differs: {}\n  computed {}\n", d->number, d->text, d->computed);
  if (d->expected != nullptr) fmt::print("  expected {}\n", d->expected);
}

void print_json(golden_report const& r) {
  fmt::print("{}\n", nlohmann::ordered_json{{"stem", "golden"},
                                            {"cases", r.cases},
                                            {"computed", r.covered},
                                            {"different", r.different},
                                            {"sha256", r.hash},
                                            {"right", r.same != 0}}
                         .dump());
}

int verify_golden(verify_flags const& flags) {
  using clock = std::chrono::steady_clock;
  std::string const set = flags.expected.empty() ? "" : content(flags.expected);
  std::size_t shown = 0;
  golden_options how{};
  how.threads = flags.golden_threads;
  how.set = flags.expected.empty() ? nullptr : set.c_str();
  how.differs = flags.json ? nullptr : print_difference;
  how.context = &shown;
#ifdef UPSWEEP_GOLDEN_IN_CPP
  how.other = golden_compute_in_cpp;
#endif
  golden_report report;
  auto const begin = clock::now();
  if (golden_check(&how, &report) != 0) throw io::data_error("verify: the set cannot be computed");
  std::chrono::duration<double> const time = clock::now() - begin;
  if (flags.json) {
    print_json(report);
  } else {
    if (shown > most_shown) fmt::print("... and {} more\n", shown - most_shown);
    std::fflush(stdout);
    golden_print(&report, "the C interface", time.count());
  }
  return report.same != 0 ? 0 : 1;
}
#endif

/// Prints one line, and where something is wrong how to repeat it.
int print(verify_flags const& flags, lab::verified const& v) {
  if (flags.json) {
    fmt::print("{}\n", nlohmann::ordered_json{{"stem", v.stem},
                                              {"runs", v.runs},
                                              {"right", v.failure.empty()},
                                              {"failure", v.failure},
                                              {"again", v.again}}
                           .dump(-1, ' ', false, nlohmann::json::error_handler_t::replace));
  } else {
    fmt::print("{:<22} {:>5} runs  {}\n", v.stem, v.runs,
               v.failure.empty() ? "right" : "WRONG: " + v.failure);
    if (!v.failure.empty()) fmt::print("{:<22} repeat with: {}\n", "", v.again);
  }
  std::fflush(stdout);
  return v.failure.empty() ? 0 : 1;
}

int verify_files(verify_flags const& flags) {
  int status = 0;
  for (auto const& file : flags.stems) {
    status |= print(flags, verify_file(file, flags));
  }
  return status;
}

/// Refuses options that the golden set does not have, or that only it has.
void check_golden_options(CLI::App const& command, bool golden) {
  for (auto const* option : command.get_options()) {
    std::string const name = option->get_name();
    if (option->count() == 0 || name == "STEM" || name == "--json") continue;
    if ((option->get_group() == golden_group) != golden)
      throw io::usage_error("verify: {} is {}for the golden set", name, golden ? "not " : "only ");
  }
}

int run(verify_flags const& flags, CLI::App const& command) {
  bool const golden = std::ranges::count(flags.stems, "golden") > 0;
  if (golden && flags.stems.size() > 1)
    throw io::usage_error("verify: name the golden set or kernels, not both");
  check_golden_options(command, golden);
  if (golden) return verify_golden(flags);
  auto const files = std::ranges::count_if(flags.stems, is_file);
  if (files > 0 && files < std::ssize(flags.stems))
    throw io::usage_error("verify: name files or kernels of the textbook, not both");
  for (auto const& stem : flags.stems) check_options(command, stem);
  if (files > 0) return verify_files(flags);
  if (flags.all == !flags.stems.empty())
    throw io::usage_error("verify: no algorithm given; name one or more, or give --all");
  std::vector<std::string> stems = flags.stems;
  if (flags.all)
    for (auto const& row : textbook::algorithms) stems.emplace_back(row.stem);
  for (auto const& stem : stems) (void)lab::find_kernel(stem);
  auto const on = flags.on == "cuda" ? lab::machine_name::cuda : lab::machine_name::sim;
  if (on == lab::machine_name::cuda)
    (void)gpu::require("verify --on cuda",
                       "--on sim, the default, verifies the kernels on the emulator");
  int status = 0;
  for (std::size_t i = 0; i < stems.size(); ++i) {
    show_status(fmt::format("{} of {}: {}", i + 1, stems.size(), stems[i]));
    auto const v = lab::verify(stems[i], {.seeds = flags.seeds, .quick = flags.quick, .on = on});
    show_status("");
    status |= print(flags, v);
  }
  return status;
}

void add_golden_options(options const& add, verify_flags& flags) {
  option_group const group(add.command, golden_group);
  add("--expected FILE", flags.expected,
      "File with the expected lines of the golden set (default: none is needed)");
  add("--threads N", flags.golden_threads, "Number of threads (default: all)", in_range(1, 4096));
}

}  // namespace

void add_verify_command(registry& tool) {
  auto const [add, flags] = add_command<verify_flags>(tool, "verify");
  add("STEM", flags.stems, "Algorithms, CUDA files, or golden: the golden set", a_stem({"golden"}));
  add("--all", flags.all, "Verify every algorithm of the textbook");
  add("--quick", flags.quick, "Use fewer sizes and block sizes");
  add("--seeds N", flags.seeds, "Number of random schedules per run (default: 3)",
      in_range(0, 1000));
  add("--on MACHINE", flags.on, "Machine: sim, the emulator (default), or cuda, a GPU",
      one_of({"sim", "cuda"}));
  add("--json", flags.json, "Write one JSON object per kernel");
  add_golden_options(add, flags);
  option_group const group(add.command, file_group);
  add("-n,--n N", flags.run.n,
      "Value of n in the arguments of a kernel of a file (default: see --sizes)", not_negative);
  add("--block T", flags.run.block, "Threads per block of a kernel of a file (default: 256)");
  add("--sizes LIST", flags.sizes,
      "Values of n: 1,31,1000 (default: sizes around a warp and a block)", comma_list);
  add_program_options(add, flags.program);
  add_values_option(add, flags.run);
  add_program_words(add, flags.program);
}

}  // namespace upsweep::cli
