/// To add a command: a file in commands/, a page in help/, a word in CMakeLists.txt.
///
///   void add_count_command(registry& tool) {                      // commands/count.cpp
///     CLI::App* command = add_command(tool, "count");             // described by help/count.md
///     auto o = std::make_shared<count_options>();
///     add_option(*command, "--limit N", o->limit, "Stop after this many");
///     command->callback([o, &tool] { tool.status = run(*o); });   // 0, or 1 if a check failed
///   }
///
/// A command that fails throws. main() turns the tool_error of io/error.hpp and the library's
/// exceptions into a message on stderr and an exit status (see main.cpp).
#pragma once

#include <CLI/CLI.hpp>

#include <map>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace upsweep::cli {

struct registry {
  CLI::App& app;
  int status = 0;  ///< exit status of the tool if the command returns
  /// The values of an option, for completion and "did you mean".
  std::map<CLI::Option const*, std::vector<std::string>> choices{};
  /// Prints the exercises; the laboratory sets it.
  void (*print_exercises)(bool json) = nullptr;
};

/// The page help/<name>.md, or an empty string.
std::string help_page(std::string const& name);

/// A new subcommand whose one-line description is the first line of its help page.
CLI::App* add_command(registry& tool, std::string const& name);

/// Adds an option, which is spelled as in the help: "-o,--output FILE".
template <class T>
CLI::Option* add_option(CLI::App& command, std::string const& spelling, T& value,
                        std::string sentence) {
  auto const blank = spelling.find(' ');
  auto* const option = command.add_option(spelling.substr(0, blank), value, std::move(sentence));
  return blank == std::string::npos ? option : option->type_name(spelling.substr(blank + 1));
}

/// While it exists, options are added to this group of the help.
class option_group {
 public:
  option_group(CLI::App& command, std::string const& name)
      : defaults_(*command.option_defaults()), before_(defaults_.get_group()) {
    defaults_.group(name);
  }
  ~option_group() { defaults_.group(before_); }
  option_group(option_group const&) = delete;
  option_group& operator=(option_group const&) = delete;

 private:
  CLI::OptionDefaults& defaults_;
  std::string before_;
};

/// Restricts `option` to `values`. Anything else is a usage error that suggests the nearest one.
CLI::Option* one_of(registry& tool, CLI::Option* option, std::vector<std::string> values);

/// Refuses negative numbers and those from 2^64 on: CLI11 would read both as 2^64 - 1 or near it.
CLI::Option* not_negative(CLI::Option* option);

/// The same for counts, of which there is at least one.
CLI::Option* at_least_one(CLI::Option* option);

/// Refuses numbers outside of [least, most].
CLI::Option* in_range(CLI::Option* option, int least, int most);

/// Refuses nan, which is never exceeded, infinite numbers, negative ones and, unless allowed, 0.
CLI::Option* finite_number(CLI::Option* option, bool or_zero = false);

/// Takes one word each time, and may be repeated.
CLI::Option* repeated(CLI::Option* option);

/// Makes `option` a comma-separated list. Repeated options are concatenated: -c a,b -c c. Commas
/// that protect_commas() has replaced do not separate.
CLI::Option* comma_list(CLI::Option* option);
/// The value of a list, in which a unit separator represents each comma in closed parentheses,
/// backquotes, or quotes after a colon: sum:max(a,b),concat:",":name.
std::string protect_commas(std::string value);

/// Adds a command to the tool; those of all commands, in the order of `upsweep --help`, which is
/// that of the list in cli/CMakeLists.txt.
using command_adder = void (*)(registry& tool);
std::span<command_adder const> all_commands();

}  // namespace upsweep::cli
