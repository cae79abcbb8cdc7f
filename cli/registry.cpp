/// Registers subcommands with their help pages, and options with a fixed set of values.
#include <cli/registry.hpp>

#include <text/nearest.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <limits>

namespace upsweep::cli {

std::vector<CLI::App const*> visible_commands(CLI::App const& tool) {
  return tool.get_subcommands([](CLI::App const* c) { return !c->get_group().empty(); });
}

CLI::App& add_command(registry& tool, std::string const& name) {
  std::string const page = help_page(name);
  std::string sentence = page.substr(0, page.find('\n'));
  if (sentence.ends_with('.'))
    sentence.pop_back();  // `upsweep --help` lists it without a full stop
  return *tool.app.add_subcommand(name, sentence);
}

std::function<option_trait> completed_by(std::vector<std::string> values) {
  return [values = std::move(values)](registry& tool, CLI::Option& option) {
    tool.choices[&option] = values;
  };
}

std::function<option_trait> one_of(std::vector<std::string> values) {
  return [values = std::move(values)](registry& tool, CLI::Option& option) {
    tool.choices[&option] = values;
    option.check([values](std::string const& word) -> std::string {
      if (std::find(values.begin(), values.end(), word) != values.end()) return {};
      return fmt::format("'{}' is not one of {}{}", word, fmt::join(values, ", "),
                         text::did_you_mean(word == "gpu" ? "cuda" : word, values));
    });
  };
}

namespace {

void whole_number(CLI::Option& option, std::uint64_t least) {
  option.check([least](std::string const& word) -> std::string {
    if (word.starts_with('-')) return fmt::format("'{}' is negative; give {} or more", word, least);
    char* end = nullptr;
    errno = 0;
    auto const value = std::strtoull(word.c_str(), &end, 0);  // as CLI11 reads it
    if (errno == ERANGE)
      return fmt::format("'{}' is too large; give at most {}", word,
                         std::numeric_limits<std::uint64_t>::max());
    bool const is_number = end != word.c_str() && *end == 0;  // CLI11 refuses others
    return is_number && value < least ? fmt::format("'{}' is too few; give {} or more", word, least)
                                      : std::string();
  });
}

}  // namespace

void not_negative(registry& /*tool*/, CLI::Option& option) {
  whole_number(option, 0);
}

void at_least_one(registry& /*tool*/, CLI::Option& option) {
  whole_number(option, 1);
}

std::function<option_trait> in_range(int least, int most) {
  return [=](registry&, CLI::Option& option) {
    option.check(CLI::Range(least, most).description(""));
  };
}

std::function<option_trait> finite_number(bool or_zero) {
  return [=](registry&, CLI::Option& option) {
    option.check([or_zero](std::string const& word) {
      double const value = std::strtod(word.c_str(), nullptr);
      if (std::isfinite(value) && (value > 0 || (or_zero && value == 0))) return std::string();
      return fmt::format("'{}' is not a finite number {}", word,
                         or_zero ? "of 0 or more" : "above 0");
    });
  };
}

void expect_name(registry& /*tool*/, CLI::Option& option) {
  option.check([](std::string const& path) {
    return path.empty() ? std::string("'' names no file; write - for standard input or output")
                        : std::string();
  });
}

void required(registry& /*tool*/, CLI::Option& option) {
  option.required();
}

namespace {

constexpr char protected_comma = '\x1f';

/// Where what begins at `begin` with a parenthesis or quote ends: after it, or at `begin` if it
/// has no end. Quotes within parentheses may hold any of them.
std::size_t end_of(std::string const& value, std::size_t begin) {
  if (value[begin] != '(') {
    auto const end = value.find(value[begin], begin + 1);
    return end == std::string::npos ? begin : end + 1;
  }
  int depth = 0;
  char quote = 0;
  for (std::size_t i = begin; i < value.size(); ++i) {
    char const c = value[i];
    if (quote != 0) {
      if (c == '\\' && quote != '`') ++i;
      if (c == quote) quote = 0;
    } else if (c == '"' || c == '\'' || c == '`') {
      quote = c;
    } else {
      depth += c == '(' ? 1 : c == ')' ? -1 : 0;
    }
    if (depth == 0) return i + 1;
  }
  return begin;
}

}  // namespace

std::string protect_commas(std::string value) {
  for (std::size_t i = 0; i < value.size(); ++i) {
    bool const is_quoted =  // concat:", ":name
        i > 0 && value[i - 1] == ':' && (value[i] == '"' || value[i] == '\'');
    if (value[i] != '(' && value[i] != '`' && !is_quoted) continue;
    auto const end = end_of(value, i);
    std::replace(value.begin() + static_cast<std::ptrdiff_t>(i),
                 value.begin() + static_cast<std::ptrdiff_t>(end), ',', protected_comma);
    if (end > i) i = end - 1;
  }
  return value;
}

std::function<option_trait> excludes(std::vector<std::string> names) {
  return [names = std::move(names)](registry&, CLI::Option& option) {
    for (auto const& name : names) option.excludes(name);
  };
}

std::function<option_trait> needs(std::vector<std::string> names) {
  return [names = std::move(names)](registry&, CLI::Option& option) {
    for (auto const& name : names) option.needs(name);
  };
}

void repeated(registry& /*tool*/, CLI::Option& option) {
  // Without these settings, CLI11 would add the following words, such as FILE, to the list.
  option.expected(1)->allow_extra_args(false)->take_all();
}

void comma_list(registry& tool, CLI::Option& option) {
  option.transform([](std::string word) {
    std::replace(word.begin(), word.end(), protected_comma, ',');
    return word;
  });
  repeated(tool, option);
  option.delimiter(',');
}

}  // namespace upsweep::cli
