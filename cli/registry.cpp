/// Subcommands with their pages, and options with a closed set of values.
#include <cli/registry.hpp>

#include <text/nearest.hpp>

#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include <algorithm>

namespace upsweep::cli {

CLI::App* add_command(registry& tool, std::string const& name) {
  std::string const page = help_page(name);
  std::string sentence = page.substr(0, page.find('\n'));
  if (sentence.ends_with('.')) sentence.pop_back();  // it stands in a list
  return tool.app.add_subcommand(name, sentence);
}

CLI::Option* one_of(registry& tool, CLI::Option* option, std::vector<std::string> values) {
  tool.choices[option] = values;
  option->check([values = std::move(values)](std::string const& word) -> std::string {
    if (std::find(values.begin(), values.end(), word) != values.end()) return {};
    return fmt::format("'{}' is none of {}{}", word, fmt::join(values, ", "),
                       text::did_you_mean(word, values));
  });
  return option;
}

CLI::Option* comma_list(CLI::Option* option) {
  // CLI11 would let a list also swallow the words after it, FILE among them.
  return option->delimiter(',')->expected(1)->allow_extra_args(false)->multi_option_policy(
      CLI::MultiOptionPolicy::TakeAll);
}

}  // namespace upsweep::cli
