/// Regular expressions by RE2.
#include <cli/expression/node.hpp>

#include <io/error.hpp>
#include <io/shown.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>

#ifdef UPSWEEP_RE2
#include <re2/re2.h>
#endif

namespace upsweep::cli {

#ifdef UPSWEEP_RE2

namespace {

bool is_ascii(std::string_view text) {
  return std::ranges::none_of(text, [](char c) { return static_cast<signed char>(c) < 0; });
}

bool is_utf8(std::string_view text) {
  while (!text.empty())
    if (!io::take_character(text)) return false;
  return true;
}

re2::RE2::Options options_of(re2::RE2::Options::Encoding encoding) {
  re2::RE2::Options options;
  options.set_encoding(encoding);
  options.set_log_errors(false);
  options.set_never_capture(true);
  constexpr std::int64_t most_memory = std::int64_t{1} << 26;
  options.set_max_mem(most_memory);
  return options;
}

/// What is wrong with an expression that was refused.
std::string error_of(re2::RE2 const& refused) {
  auto const& at = refused.error_arg();
  bool const refers_back = refused.error_code() == re2::RE2::ErrorBadEscape && at.size() == 2 &&
                           ((at[1] >= '1' && at[1] <= '9') || at[1] == 'k' || at[1] == 'g');
  // Some versions name only the beginning of (?<= and (?<!, which a group (?<name> has too.
  auto const has = [&](std::string_view group) {
    return group.starts_with(at) && refused.pattern().find(group) != std::string::npos;
  };
  bool const looks = refused.error_code() == re2::RE2::ErrorBadPerlOp &&
                     (has("(?=") || has("(?!") || has("(?<=") || has("(?<!"));
  return fmt::format("({}){}", io::shown(refused.error()),
                     refers_back ? "; there are no back-references"
                     : looks     ? "; there is no look-ahead and no look-behind"
                                 : "");
}

}  // namespace

struct text_pattern::automata {
  explicit automata(std::string const& expression)
      : of_characters(expression, options_of(re2::RE2::Options::EncodingUTF8)),
        of_bytes(expression, options_of(re2::RE2::Options::EncodingLatin1)) {}
  re2::RE2 of_characters, of_bytes;
};

text_pattern::text_pattern(std::string const& expression) {
  constexpr std::size_t longest_expression = 10000;
  if (expression.size() > longest_expression)
    throw io::usage_error(
        "--where: a regular expression has {} bytes; at most {} are possible. Divide it by ||.",
        expression.size(), longest_expression);
  auto made = std::make_shared<automata const>(expression);
  for (auto const* each : {&made->of_characters, &made->of_bytes})
    if (!each->ok() && (each == &made->of_bytes || is_utf8(expression)))
      throw std::invalid_argument(error_of(*each));
  automata_ = std::move(made);
}

bool text_pattern::occurs_in(std::string_view text) const {
  auto const& [of_characters, of_bytes] = *automata_;
  bool const by_characters = of_characters.ok() && (is_ascii(text) || is_utf8(text));
  return re2::RE2::PartialMatch(re2::StringPiece(text.data(), text.size()),
                                by_characters ? of_characters : of_bytes);
}

#else

struct text_pattern::automata {};

text_pattern::text_pattern(std::string const& /*expression*/) {
  throw io::usage_error(
      "'~': this upsweep was built without RE2, which matches regular expressions; use contains(), "
      "starts_with() or ends_with(), or build it with RE2 (Debian: libre2-dev).");
}

bool text_pattern::occurs_in(std::string_view /*text*/) const {
  return false;
}

#endif

}  // namespace upsweep::cli
