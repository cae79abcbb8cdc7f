/// `upsweep verify`: runs textbook kernels over edge sizes, schedules, types and operators,
/// programs over schedules, and the golden set.
#include <cli/cuda/gpu.hpp>
#include <cli/lab/verify_file.hpp>
#include <cli/lab/verify_golden.hpp>
#include <cli/output/progress.hpp>
#include <io/error.hpp>
#include <lab/matrix.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
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
  golden_flags golden;
};

constexpr char const* golden_group = "The golden set";

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
    auto const v = verify_file(file, flags.run, flags.program,
                               {.sizes = flags.sizes, .seeds = flags.seeds, .quick = flags.quick});
    status |= print(flags, {file, v.runs, v.failure, v.again});
  }
  return status;
}

/// Refuses options that the golden set does not have, or that only it has.
void check_golden_options(CLI::App const& command, bool golden) {
  for (auto const* option : command.get_options()) {
    std::string const name = option->get_name();
    if (option->count() == 0 || name == "STEM" || name == "--json") continue;
    if ((option->get_group() == golden_group) != golden)
      throw io::usage_error(
          fmt::format("verify: {} is {}for the golden set", name, golden ? "not " : "only "));
  }
}

int run(verify_flags const& flags, CLI::App const& command) {
  bool const golden = std::ranges::count(flags.stems, "golden") > 0;
  if (golden && flags.stems.size() > 1)
    throw io::usage_error("verify: name the golden set or kernels, not both");
  check_golden_options(command, golden);
  if (golden) {
    golden_flags how = flags.golden;
    how.json = flags.json;
    return verify_golden(how);
  }
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

void add_golden_options(CLI::App& command, golden_flags& flags) {
  option_group const group(command, golden_group);
  add_option(command, "--expected FILE", flags.expected,
             "File with the expected lines of the golden set (default: none is needed)");
  in_range(add_option(command, "--threads N", flags.threads, "Number of threads (default: all)"), 1,
           4096);
}

}  // namespace

void add_verify_command(registry& tool) {
  CLI::App* const command = add_command(tool, "verify");
  auto const flags = std::make_shared<verify_flags>();
  auto* const stems = stem_arguments(tool, *command, flags->stems)
                          ->description("Algorithms, CUDA files, or golden: the golden set");
  tool.choices[stems].emplace_back("golden");
  command->add_flag("--all", flags->all, "Verify every algorithm of the textbook");
  command->add_flag("--quick", flags->quick, "Use fewer sizes and block sizes");
  in_range(add_option(*command, "--seeds N", flags->seeds,
                      "Number of random schedules per run (default: 3)"),
           0, 1000);
  one_of(tool,
         add_option(*command, "--on MACHINE", flags->on,
                    "Machine: sim, the emulator (default), or cuda, a GPU"),
         {"sim", "cuda"});
  command->add_flag("--json", flags->json, "Write one JSON object per kernel");
  add_golden_options(*command, flags->golden);
  option_group const group(*command, file_group);
  not_negative(
      add_option(*command, "-n,--n N", flags->run.n,
                 "Value of n in the arguments of a kernel of a file (default: see --sizes)"));
  add_option(*command, "--block T", flags->run.block,
             "Threads per block of a kernel of a file (default: 256)");
  comma_list(add_option(*command, "--sizes LIST", flags->sizes,
                        "Values of n: 1,31,1000 (default: sizes around a warp and a block)"));
  add_program_options(tool, *command, flags->program);
  add_values_option(*command, flags->run);
  add_program_words(*command, flags->program);
  command->callback([flags, command, &tool] { tool.status = run(*flags, *command); });
}

}  // namespace upsweep::cli
