/// Registers subcommands with their help pages, and options with a fixed set of values.
#include <cli/registry.hpp>

#include <text/nearest.hpp>

#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include <algorithm>

namespace upsweep::cli {

CLI::App* add_command(registry& tool, std::string const& name) {
  std::string const page = help_page(name);
  std::string sentence = page.substr(0, page.find('\n'));
  if (sentence.ends_with('.'))
    sentence.pop_back();  // `upsweep --help` lists it without a full stop
  return tool.app.add_subcommand(name, sentence);
}

CLI::Option* one_of(registry& tool, CLI::Option* option, std::vector<std::string> values) {
  tool.choices[option] = values;
  option->check([values = std::move(values)](std::string const& word) -> std::string {
    if (std::find(values.begin(), values.end(), word) != values.end()) return {};
    return fmt::format("'{}' is not one of {}{}", word, fmt::join(values, ", "),
                       text::did_you_mean(word, values));
  });
  return option;
}

CLI::Option* not_negative(CLI::Option* option) {
  return option->check([](std::string const& word) {
    return word.starts_with('-') ? fmt::format("'{}' is negative; give 0 or more", word)
                                 : std::string();
  });
}

CLI::Option* comma_list(CLI::Option* option) {
  // Without these settings, CLI11 would add the following words, such as FILE, to the list.
  return option->delimiter(',')->expected(1)->allow_extra_args(false)->multi_option_policy(
      CLI::MultiOptionPolicy::TakeAll);
}

}  // namespace upsweep::cli
