/// Arguments are matched with parameters by name where the source tells the names.
#include <cli/lab/program_flags.hpp>

#include <io/error.hpp>
#include <text/nearest.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <charconv>
#include <cstddef>
#include <cstdint>
#include <fstream>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace upsweep::cli {

namespace {

using word_list = std::vector<std::string>;

word_list split(std::string_view text, std::string_view marks) {
  word_list all;
  for (std::size_t begin = 0; begin <= text.size();) {
    std::size_t const end = std::min(text.find_first_of(marks, begin), text.size());
    all.emplace_back(text.substr(begin, end - begin));
    begin = end + 1;
  }
  return all;
}

/// Sums of products of numbers and n.
class expression_reader {
 public:
  expression_reader(std::string_view text, std::uint64_t n) : rest_(text), n_(n) {}

  std::optional<std::uint64_t> read() {
    auto const value = sum();
    return good_ && rest_.empty() ? std::optional(value) : std::nullopt;
  }

 private:
  bool take(char mark) {
    while (rest_.starts_with(' ')) rest_.remove_prefix(1);
    if (!rest_.starts_with(mark)) return false;
    rest_.remove_prefix(1);
    return true;
  }
  std::uint64_t operand() {
    if (take('n')) return n_;
    std::uint64_t value = 0;
    auto const done = std::from_chars(rest_.data(), rest_.data() + rest_.size(), value);
    good_ = good_ && done.ec == std::errc{};
    rest_.remove_prefix(static_cast<std::size_t>(done.ptr - rest_.data()));
    return value;
  }
  std::uint64_t product() {
    std::uint64_t value = operand();
    for (;;) {
      if (take('*')) {
        value *= operand();
      } else if (take('/')) {
        std::uint64_t const by = operand();
        good_ = good_ && by != 0;
        value = by == 0 ? 0 : (value + by - 1) / by;
      } else {
        return value;
      }
    }
  }
  std::uint64_t sum() {
    std::uint64_t value = product();
    for (;;) {
      if (take('+')) {
        value += product();
      } else if (take('-')) {
        std::uint64_t const less = product();
        good_ = good_ && less <= value;
        value -= std::min(less, value);
      } else {
        return value;
      }
    }
  }

  std::string_view rest_;
  std::uint64_t n_;
  bool good_ = true;
};

/// The value of "n", "n/256" (rounded up), "2*n+1" or a number. Throws usage_error, which begins
/// with `option`.
std::uint64_t evaluate(std::string const& expression, std::uint64_t n, std::string const& option) {
  if (auto const value = expression_reader(expression, n).read()) return *value;
  throw io::usage_error(
      "{}: '{}' is not a number; it may consist of numbers, n (of -n), + - * and / (rounded up)",
      option, expression);
}

/// "256" or "16,16" as numbers, the rest 1. Throws usage_error.
std::array<unsigned, 3> extent_of(std::string const& text, std::uint64_t n,
                                  std::string const& option) {
  auto const parts = split(text, ",");
  std::array<unsigned, 3> made{1, 1, 1};
  if (parts.size() > 3)
    throw io::usage_error("{}: '{}' has more than three dimensions", option, text);
  for (std::size_t i = 0; i < parts.size(); ++i) {
    std::uint64_t const value = evaluate(parts[i], n, option);
    if (value > 0x7fffffff) throw io::usage_error("{}: {} is more than a GPU takes", option, value);
    made[i] = static_cast<unsigned>(value);
  }
  return made;
}

word_list numbers_in_file(std::string const& name, std::string const& argument) {
  std::ifstream in(name);
  if (!in) throw io::io_error("--arg {}: cannot read '{}'", argument, name);
  word_list all;
  for (std::string line; std::getline(in, line);)
    for (auto& word : split(line, ", \t;\r"))
      if (!word.empty()) all.push_back(std::move(word));
  return all;
}

/// "in:1000:ramp", "in:n", "n=1000", "in=6,2,7".
lab::kernel_argument argument_of(std::string const& text, std::uint64_t n) {
  std::size_t const end = text.find_first_of(":=");
  lab::kernel_argument made{text.substr(0, end), {}, {}, {}};
  if (made.name.empty())
    throw io::usage_error("--arg '{}': give a buffer as NAME:COUNT:FILL, or a number as NAME=VALUE",
                          text);
  if (end == text.npos) return made;
  std::string const rest = text.substr(end + 1);
  if (text[end] == '=') {
    made.values = split(rest, ",");
    if (made.values.size() == 1)
      if (auto const value = expression_reader(rest, n).read())
        made.values = {fmt::format("{}", *value)};
    return made;
  }
  std::size_t const colon = std::min(rest.find(':'), rest.size());
  made.count = evaluate(rest.substr(0, colon), n, "--arg " + made.name);
  if (colon == rest.size()) return made;
  made.fill = rest.substr(colon + 1);
  static word_list const fills{"ramp", "ones", "zeros", "random", "nothing"};
  if (std::ranges::find(fills, made.fill) != fills.end()) return made;
  if (made.fill.find_first_of("./") == made.fill.npos)
    throw io::usage_error("--arg {}: '{}' is none of {}, and no file{}", made.name, made.fill,
                          fmt::join(fills, ", "), text::did_you_mean(made.fill, fills));
  made.values = numbers_in_file(made.fill, made.name);
  return made;
}

/// The arguments in the order of the parameters.
std::vector<lab::kernel_argument> in_order(std::vector<lab::kernel_argument> given,
                                           lab::source::kernel_declaration const& kernel) {
  auto const& parameters = kernel.parameters;
  word_list texts, names;
  for (auto const& p : parameters) {
    texts.push_back(p.text);
    names.push_back(p.name);
  }
  std::string const has = texts.empty() ? fmt::format("kernel '{}' has no parameters", kernel.name)
                                        : fmt::format("kernel '{}' has the parameters {}",
                                                      kernel.name, fmt::join(texts, ", "));
  if (std::ranges::find(names, "") != names.end()) return given;  // by position
  std::vector<lab::kernel_argument> ordered;
  for (auto const& g : given)
    if (std::ranges::find(names, g.name) == names.end())
      throw io::usage_error("--arg {}: {}{}", g.name, has, text::did_you_mean(g.name, names));
  for (auto const& name : names) {
    auto const count = std::ranges::count(given, name, &lab::kernel_argument::name);
    if (count != 1)
      throw io::usage_error("{}; --arg gives {} for '{}'", has, count == 0 ? "none" : "several",
                            name);
    ordered.push_back(*std::ranges::find(given, name, &lab::kernel_argument::name));
  }
  return ordered;
}

/// --values are the elements of the first buffer that has none.
void add_values(std::string const& list, std::vector<lab::kernel_argument>& given) {
  if (list.empty()) return;
  auto const first =
      std::ranges::find_if(given, [](auto const& g) { return g.values.empty() && g.fill.empty(); });
  if (first == given.end())
    throw io::usage_error(
        "--values: every --arg has its own values; leave them out for one buffer");
  first->values = split(list, ",");
}

}  // namespace

bool kernel_flags::uses_n() const {
  auto const has_n = [](std::string_view text) {
    for (std::size_t i = 0; i < text.size(); ++i)
      if (text[i] == 'n' && (i == 0 || !std::isalnum(static_cast<unsigned char>(text[i - 1]))) &&
          (i + 1 == text.size() || !std::isalnum(static_cast<unsigned char>(text[i + 1]))))
        return true;
    return false;
  };
  return has_n(grid) || std::ranges::any_of(arguments, [&](std::string const& a) {
           auto const name = a.find_first_of(":=");
           return name != a.npos && has_n(std::string_view(a).substr(name + 1));
         });
}

lab::kernel_request launch_of(kernel_flags const& flags, std::string const& block,
                              std::string const& values, std::uint64_t n,
                              std::vector<lab::source::kernel_declaration> const& kernels) {
  lab::kernel_request made;
  made.threads = extent_of(block, n, "--block");
  std::uint64_t const threads = std::uint64_t{made.threads[0]} * made.threads[1] * made.threads[2];
  if (threads == 0) throw io::usage_error("--block: a block has at least one thread");
  made.blocks = flags.grid.empty()
                    ? extent_of(flags.uses_n() ? fmt::format("n/{}", threads) : "1", n, "--grid")
                    : extent_of(flags.grid, n, "--grid");
  made.cluster = extent_of(flags.cluster, n, "--cluster");
  made.shared_bytes = flags.shared_bytes;
  for (auto const& text : flags.arguments) made.arguments.push_back(argument_of(text, n));
  add_values(values, made.arguments);
  std::string name = flags.kernel.substr(0, flags.kernel.find('<'));
  if (auto const scope = name.rfind("::"); scope != name.npos) name = name.substr(scope + 2);
  auto const found = std::ranges::find(kernels, name, &lab::source::kernel_declaration::name);
  if (found != kernels.end()) made.arguments = in_order(std::move(made.arguments), *found);
  return made;
}

}  // namespace upsweep::cli
