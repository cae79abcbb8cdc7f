/// The regular expression of a condition.
#pragma once

#include <cstddef>
#include <optional>
#include <regex>
#include <string>
#include <string_view>

namespace upsweep::cli {

/// std::regex matches by recursion over the characters of the text, which is fast, but a long text
/// would exhaust the stack. Such a text is matched by following all states of the automaton at
/// once, three times as slow for names, in time linear in the text. So is any text where a group is
/// repeated, for which recursion may take exponential time.
class text_pattern {
 public:
  text_pattern() = default;
  /// ECMAScript's expressions. Throws std::regex_error, and usage_error for more than 10000 bytes,
  /// because the expression is parsed by recursion too.
  explicit text_pattern(std::string const& expression);

  /// True if it matches anywhere in `text`. Throws data_error if the text is long and the
  /// expression has back-references, which need the recursion.
  [[nodiscard]] bool occurs_in(std::string_view text) const;

 private:
  std::regex recursive_;
  std::optional<std::regex> parallel_;  // absent: there are back-references
  std::size_t longest_ = 0;             // text for `recursive_`
};

}  // namespace upsweep::cli
