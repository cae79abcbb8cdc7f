/// Declares the options for CLI11, compiles a file, and makes a request of both.
#include <cli/lab/program_flags.hpp>

#include <io/error.hpp>
#include <io/shown.hpp>
#include <upsweep/sim/device.hpp>

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <sstream>
#include <string_view>
#include <system_error>

namespace upsweep::cli {

namespace {

/// Three quarters of the machine's memory.
std::uint64_t default_memory() {
  return static_cast<std::uint64_t>(::sysconf(_SC_PHYS_PAGES)) *
         static_cast<std::uint64_t>(::sysconf(_SC_PAGESIZE)) / 4 * 3;
}

void add_kernel_options(options const& add, kernel_flags& flags) {
  add("--kernel NAME", flags.kernel,
      "Run this kernel and not main; with template arguments: 'scan<float, 256>'");
  add("--grid G", flags.grid,
      "Blocks of the kernel: 4, or 4,2,1, or n/256 (default: n/block, rounded up)");
  add("--arg ARG", flags.arguments,
      "Argument of the kernel, by the name of its parameter: a buffer in:1000:ramp (or ones, "
      "zeros, random, nothing, a file), in=6,2,7,4, a number n=1000",
      repeated);
  add("--shared BYTES", flags.shared_bytes,
      "Dynamic shared memory of a block in bytes (default: 0)", not_negative);
  add("--cluster C", flags.cluster,
      "Blocks in a cluster of the kernel: 4, or 2,2 (default: no cluster)");
}

/// "sm_90"
std::string name_of(sim::device_limits const& d) {
  return fmt::format("sm_{}", sim::capability_of(d));
}

}  // namespace

std::string shell_word(std::string const& word) {
  bool const is_plain = !word.empty() && word.find_first_not_of(
                                             "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
                                             "0123456789_-+=./:,@%^") == word.npos;
  if (is_plain) return word;
  std::string all = "'";
  for (char const c : word) all += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return all + "'";
}

void add_program_options(options const& add, program_flags& flags) {
  option_group const group(add.command, file_group);
  add_kernel_options(add, flags.kernel);
  std::vector<std::string> names;
  for (auto const& d : sim::devices()) names.push_back(name_of(d));
  add("--device SM", flags.device,
      fmt::format("Device whose limits apply: {} (default: {})", fmt::join(names, ", "),
                  flags.device),
      one_of(names));
  add("--compiler PROGRAM", flags.compiler,
      "g++ 12 or Clang 16, or newer (default: $CXX, g++, c++)");
  add("-I FOLDER", flags.include_folders,
      "Folder of headers that the file includes; may be repeated", repeated);
  add("-D NAME=VALUE", flags.definitions, "Define a macro; may be repeated", repeated);
  add("--set NAME=VALUE", flags.settings,
      "Replace the value of a constant or a macro in the source; may be repeated", repeated);
  add("-f openmp", flags.compiler_flag, "-fopenmp: compile with OpenMP", one_of({"openmp"}));
  add("--time-limit S", flags.seconds,
      "Stop the program after this many seconds (default: no limit)", finite_number());
  add("--memory-limit MIB", flags.mebibytes,
      "Stop the program if it uses more than this many MiB (default: 3/4 of the machine's memory)",
      in_range(1, 1 << 30));
}

void add_program_arguments(options const& add, program_flags& flags) {
  option_group const group(add.command, file_group);
  add("ARGUMENT", flags.arguments,
      "Arguments of the program in the .cu file; those that begin with - follow --");
}

void add_program_words(options const& add, program_flags& flags) {
  option_group const group(add.command, file_group);
  add.command
      .add_option_function<std::string>(
          "--args",
          [&flags](std::string const& text) {
            std::istringstream words(text);
            for (std::string word; words >> word;) flags.arguments.push_back(word);
          },
          "Arguments of the program in the .cu file, as one word: '1000 -v'")
      ->type_name("WORDS");
}

int program_flags::capability() const {
  return sim::capability_of(*std::ranges::find(sim::devices(), device, name_of));
}

bool is_file(std::string const& word) {
  return word.find_first_of("./") != std::string::npos;
}

void check_options(CLI::App const& command, std::string const& what) {
  constexpr std::string_view of_textbook[] = {"--op", "--dtype", "--exclusive", "--on"};
  constexpr std::string_view of_launches[] = {"--n", "--block"};
  constexpr std::string_view of_named_kernels[] = {"--grid", "--arg", "--values", "--shared",
                                                   "--cluster"};
  bool const names_kernel = command.get_option("--kernel")->count() > 0;
  auto const refuse = [&](std::string const& sentence) {
    throw io::usage_error("{}: {}", command.get_name(), sentence);
  };
  for (auto const* option : command.get_options()) {
    if (option->count() == 0) continue;
    std::string const name = option->get_name();
    auto const is_in = [&](auto const& list) {
      return std::ranges::find(list, name) != std::end(list);
    };
    if (!is_file(what)) {
      if (option->get_group() == file_group)
        refuse(
            fmt::format("{} is for .cu files, but '{}' is the name of a kernel; a file is named "
                        "with its extension",
                        name, what));
      continue;
    }
    if (is_in(of_textbook))
      refuse(fmt::format("{} is for kernels of the textbook, but '{}' is a file", name, what));
    if (!names_kernel && (is_in(of_launches) || is_in(of_named_kernels)))
      refuse(
          fmt::format("{} is for a kernel of the file, which --kernel names; without it main "
                      "runs",
                      name));
    if (names_kernel && name == "ARGUMENT")
      refuse("the program's arguments are for its main, but --kernel runs without it");
  }
}

void take_sources(program_flags& flags) {
  auto const is_source = [](std::string const& word) {
    std::error_code none;
    return (word.ends_with(".cu") || word.ends_with(".cpp") || word.ends_with(".cc") ||
            word.ends_with(".cxx")) &&
           std::filesystem::is_regular_file(word, none);
  };
  auto const end = std::ranges::find_if_not(flags.arguments, is_source);
  flags.others.assign(flags.arguments.begin(), end);
  flags.arguments.erase(flags.arguments.begin(), end);
}

user_program compiled(std::string const& file, program_flags const& flags) {
  auto const cache = std::make_shared<lab::source::module_cache>();
  user_program made{file,
                    lab::source::build({.file = file,
                                        .compiler = flags.compiler,
                                        .include_folders = {flags.include_folders.begin(),
                                                            flags.include_folders.end()},
                                        .definitions = flags.definitions,
                                        .others = {flags.others.begin(), flags.others.end()},
                                        .settings = flags.settings,
                                        .uses_openmp = !flags.compiler_flag.empty(),
                                        .capability = flags.capability(),
                                        .kernel = flags.kernel.kernel},
                                       *cache),
                    cache};
  for (auto const& note : made.module.notes)
    fmt::print(stderr, "upsweep: note: {}\n", io::printable(note));
  if (made.module.has_main || !flags.kernel.kernel.empty()) return made;
  std::vector<std::string> names;
  for (auto const& k : made.module.kernels) names.push_back(k.name);
  throw io::data_error(
      "'{}' has no function main; name one of its kernels, {}, and its arguments, as in --kernel "
      "{} --grid 4 --block 256 --arg in:1000:ramp",
      file, fmt::join(names, ", "), names.empty() ? "scan" : names.front());
}

lab::program_request request_of(user_program const& program, run_flags const& run,
                                program_flags const& flags) {
  lab::program_request asked;
  asked.module = program.module.file;
  asked.arguments = {program.file};
  asked.arguments.insert(asked.arguments.end(), flags.arguments.begin(), flags.arguments.end());
  if (!flags.kernel.kernel.empty())
    asked.kernel = launch_of(flags.kernel, run.block, run.values, run.n, program.module.kernels);
  asked.machine = run.machine();
  asked.machine.capability = flags.capability();
  asked.seconds = flags.seconds;
  asked.memory = flags.mebibytes == 0 ? default_memory() : flags.mebibytes << 20;
  return asked;
}

std::string command_line(std::string const& file, run_flags const& run,
                         program_flags const& flags) {
  std::vector<std::string> all{"upsweep", "run", shell_word(file)};
  auto const add = [&](std::string const& option, std::string const& value) {
    all.push_back(option);
    all.push_back(shell_word(value));
  };
  auto const& k = flags.kernel;
  if (!k.kernel.empty()) {
    add("--kernel", k.kernel);
    if (!k.grid.empty()) add("--grid", k.grid);
    add("--block", run.block);
    for (auto const& argument : k.arguments) add("--arg", argument);
    if (!run.values.empty()) add("--values", run.values);
    if (k.shared_bytes != 0) add("--shared", fmt::format("{}", k.shared_bytes));
    if (k.cluster != "1") add("--cluster", k.cluster);
    if (k.uses_n()) add("-n", fmt::format("{}", run.n));
  }
  if (flags.device != program_flags{}.device) add("--device", flags.device);
  if (!flags.compiler.empty()) add("--compiler", flags.compiler);
  for (auto const& folder : flags.include_folders) add("-I", folder);
  for (auto const& definition : flags.definitions) add("-D", definition);
  for (auto const& setting : flags.settings) add("--set", setting);
  if (!flags.compiler_flag.empty()) all.push_back("-f" + flags.compiler_flag);
  add("--schedule", run.schedule);
  add("--seed", fmt::format("{}", run.seed));
  add("--resident", fmt::format("{}", run.resident));
  if (!flags.arguments.empty()) all.emplace_back("--");
  for (auto const& word : flags.arguments) all.push_back(shell_word(word));
  return fmt::format("{}", fmt::join(all, " "));
}

}  // namespace upsweep::cli
