/// A regular expression for short texts and another for long ones.
#include <cli/expression/pattern.hpp>

#include <io/error.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <string>

namespace upsweep::cli {

text_pattern::text_pattern(std::string const& expression) {
  constexpr std::size_t longest_expression = 10000;
  if (expression.size() > longest_expression)
    throw io::usage_error(fmt::format(
        "--where: a regular expression has {} bytes; at most {} are possible. Divide it by ||.",
        expression.size(), longest_expression));
  auto const flags = std::regex::ECMAScript | std::regex::optimize;
  recursive_.assign(expression, flags);
  // The levels of recursion are at most the text times the expression. 40000 fill 8 MiB.
  longest_ = 10000 / std::max<std::size_t>(expression.size(), 1);
#ifdef __GLIBCXX__
  try {
    // One pass from the first character on: a search would begin one at each of them.
    parallel_.emplace("[^]*?(?:" + expression + ")",
                      flags | std::regex::nosubs | std::regex_constants::__polynomial);
    // Recursion tries every division of the text among the rounds of (a+)+: 2^n of them.
    for (char const* const repeated : {")*", ")+", "){"})
      if (expression.find(repeated) != std::string::npos) longest_ = 0;
  } catch (std::regex_error const&) {
  }
#else
  // libc++ keeps what it has not tried on the heap, and gives up after 4096 steps a character.
  longest_ = std::string::npos;
#endif
}

bool text_pattern::occurs_in(std::string_view text) const try {
  if (text.size() <= longest_) return std::regex_search(text.begin(), text.end(), recursive_);
  if (!parallel_)
    throw io::data_error(fmt::format(
        "--where: a text of {} bytes is too long for a regular expression with back-references.",
        text.size()));
  return std::regex_search(text.begin(), text.end(), *parallel_,
                           std::regex_constants::match_continuous);
} catch (std::regex_error const&) {
  throw io::data_error(fmt::format(
      "--where: the regular expression takes too many steps for a text of {} bytes.", text.size()));
}

}  // namespace upsweep::cli
