/// To add a command: a file in commands/, a page in help/, a word in CMakeLists.txt.
///
///   int run(count_flags const& flags);  // 0, or 1 if a check failed; or void
///
///   void add_count_command(registry& tool) {  // commands/count.cpp, described by help/count.md
///     auto const [add, flags] = add_command<count_flags>(tool, "count");
///     add("--limit N", flags.limit, "Stop after this many", not_negative);
///   }
///
/// A command that fails throws. main() turns the tool_error of io/error.hpp and the library's
/// exceptions into a message on stderr and an exit status (see main.cpp).
#pragma once

#include <CLI/CLI.hpp>

#include <functional>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <type_traits>
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

/// What is true of an option besides its row, such as not_negative or one_of({"a", "b"}).
using option_trait = void(registry& tool, CLI::Option& option);

/// Declares the options of a command, one row each.
struct options {
  registry& tool;
  CLI::App& command;

  /// Adds an option, which is spelled as in the help: "-o,--output FILE". A bool is a flag.
  template <class T, class... Traits>
  CLI::Option* operator()(std::string const& spelling, T& value, std::string sentence,
                          Traits const&... traits) const {
    auto const blank = spelling.find(' ');
    CLI::Option* option = nullptr;
    if constexpr (std::is_same_v<T, bool>)
      option = command.add_flag(spelling, value, std::move(sentence));
    else
      option = command.add_option(spelling.substr(0, blank), value, std::move(sentence));
    if (blank != std::string::npos) option->type_name(spelling.substr(blank + 1));
    (traits(tool, *option), ...);
    return option;
  }
};

/// The commands that the help lists.
[[nodiscard]] std::vector<CLI::App const*> visible_commands(CLI::App const& tool);

/// A new subcommand whose one-line description is the first line of its help page.
CLI::App& add_command(registry& tool, std::string const& name);

/// The same for a command that runs as run(flags) or run(flags, command), functions beside the type
/// of its flags. They may return the exit status.
template <class Flags>
std::pair<options, Flags&> add_command(registry& tool, std::string const& name) {
  options const add{tool, add_command(tool, name)};
  auto const flags = std::make_shared<Flags>();
  add.command.callback([add, flags] {
    auto const call = [&] {
      if constexpr (requires { run(*flags, add.command); })
        return run(*flags, add.command);
      else
        return run(*flags);
    };
    if constexpr (std::is_void_v<decltype(call())>)
      call();
    else
      add.tool.status = call();
  });
  return {add, *flags};
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

/// Values for completion.
[[nodiscard]] std::function<option_trait> completed_by(std::vector<std::string> values);
/// The same; anything else is a usage error that suggests the nearest one.
[[nodiscard]] std::function<option_trait> one_of(std::vector<std::string> values);
/// Refuses negative numbers and those from 2^64 on: CLI11 would read both as 2^64 - 1 or near it.
option_trait not_negative;
/// The same for counts, of which there is at least one.
option_trait at_least_one;
/// Refuses numbers outside of [least, most].
[[nodiscard]] std::function<option_trait> in_range(int least, int most);
/// Refuses nan, which is never exceeded, infinite numbers, negative ones and, unless allowed, 0.
[[nodiscard]] std::function<option_trait> finite_number(bool or_zero = false);
/// Refuses an empty word, which is most often a shell variable that is not set.
option_trait expect_name;
option_trait required;
/// Beside it, options with these names must not be given; or must be.
[[nodiscard]] std::function<option_trait> excludes(std::vector<std::string> names);
[[nodiscard]] std::function<option_trait> needs(std::vector<std::string> names);
/// Takes one word each time, and may be repeated.
option_trait repeated;
/// Makes it a comma-separated list. Repeated options are concatenated: -c a,b -c c. Commas that
/// protect_commas() has replaced do not separate.
option_trait comma_list;
/// The value of a list, in which a unit separator represents each comma in closed parentheses,
/// backquotes, or quotes after a colon: sum:max(a,b),concat:",":name.
std::string protect_commas(std::string value);

/// Adds a command to the tool; those of all commands, in the order of `upsweep --help`, which is
/// that of the list in cli/CMakeLists.txt.
using command_adder = void (*)(registry& tool);
std::span<command_adder const> all_commands();

}  // namespace upsweep::cli
