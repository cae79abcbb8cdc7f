/// The regular expression of a condition.
#pragma once

#include <memory>
#include <string>
#include <string_view>

namespace upsweep::cli {

/// Matched by RE2 in time linear in the text, without recursion. Without RE2 there are no regular
/// expressions.
class text_pattern {
 public:
  text_pattern() = default;
  /// Throws std::invalid_argument with what is wrong with the expression, and usage_error for more
  /// than 10000 bytes, or without RE2.
  explicit text_pattern(std::string const& expression);

  /// True if it matches anywhere in `text`. In a text that is not UTF-8, '.' is a byte.
  [[nodiscard]] bool occurs_in(std::string_view text) const;

 private:
  struct automata;
  std::shared_ptr<automata const> automata_;
};

}  // namespace upsweep::cli
