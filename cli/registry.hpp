/// How a command joins the tool: one file in commands/, one page in help/, one line in main.cpp.
///
///   void add_count_command(registry& tool) {                      // commands/count.cpp
///     CLI::App* command = add_command(tool, "count");             // its sentence and examples
///     come from help/count.md auto o = std::make_shared<count_options>();
///     command->add_option("--limit", o->limit, "Stop after so many");
///     command->callback([o, &tool] { tool.status = run(*o); });   // 0, or 1 when a check found
///   something wrong }
///
/// A command that cannot do its work throws: the tool_error of io/error.hpp and what the library
/// throws become one sentence on stderr and an exit status (docs in main.cpp).
#pragma once

#include <map>
#include <string>
#include <vector>

namespace CLI {
class App;
class Option;
}  // namespace CLI

namespace upsweep::cli {

struct registry {
  CLI::App& app;
  int status = 0;  ///< what the tool exits with when the command returned
  /// The values that an option takes, for completion and "did you mean".
  std::map<CLI::Option const*, std::vector<std::string>> choices{};
};

/// The page help/<name>.md, or an empty string.
std::string help_page(std::string const& name);

/// A new subcommand whose one-line description is the first line of its help page.
CLI::App* add_command(registry& tool, std::string const& name);

/// `option` takes one of `values`; anything else is a usage error that proposes the nearest one.
CLI::Option* one_of(registry& tool, CLI::Option* option, std::vector<std::string> values);

/// `option` takes a comma-separated list, and adds up when it is given again: -c a,b -c c.
CLI::Option* comma_list(CLI::Option* option);

void add_reduce_command(registry& tool);
void add_scan_command(registry& tool);
void add_check_command(registry& tool);
void add_bench_command(registry& tool);
void add_list_command(registry& tool);
void add_doctor_command(registry& tool);
void add_completion_command(registry& tool);
// The laboratory.
void add_explain_command(registry& tool);
void add_run_command(registry& tool);
void add_compare_command(registry& tool);
void add_verify_command(registry& tool);
void add_trace_command(registry& tool);
void add_ladder_command(registry& tool);
void add_grade_command(registry& tool);

}  // namespace upsweep::cli
