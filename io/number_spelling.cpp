/// Rewrites numbers into the form that parse_number takes.
#include <io/number_spelling.hpp>

#include <io/text_types.hpp>

#include <fmt/format.h>

namespace upsweep::io {
namespace {

bool is_digit(char c) noexcept {
  return c >= '0' && c <= '9';
}

/// Moves the digits at the beginning of `token` to `out` and returns how many there are.
std::size_t take_digits(std::string_view& token, std::string& out) {
  std::size_t count = 0;
  while (count < token.size() && is_digit(token[count])) ++count;
  out += token.substr(0, count);
  token.remove_prefix(count);
  return count;
}

bool is_number_as(std::string_view token, number_spelling const& spelling) {
  std::string buffer;
  return is_number(standard_form(token, spelling, buffer));
}

}  // namespace

std::string_view standard_form(std::string_view token, number_spelling const& spelling,
                               std::string& buffer) {
  if (spelling.is_standard()) return token;
  constexpr std::string_view broken = "?";
  auto rest = token;
  buffer.clear();
  if (!rest.empty() && (rest.front() == '-' || rest.front() == '+')) {
    buffer += rest.front();
    rest.remove_prefix(1);
  }
  if (rest.empty() || !(is_digit(rest.front()) || rest.front() == spelling.decimal)) {
    // ".5" is not a number if the decimal separator is another character
    return !rest.empty() && rest.front() == '.' ? broken : token;
  }
  auto const before = take_digits(rest, buffer);
  if (!spelling.thousands.empty() && rest.starts_with(spelling.thousands)) {
    if (before < 1 || before > 3) return broken;
    while (rest.starts_with(spelling.thousands)) {
      rest.remove_prefix(spelling.thousands.size());
      if (take_digits(rest, buffer) != 3) return broken;
    }
  }
  if (!rest.empty() && rest.front() == spelling.decimal) {
    buffer += '.';
    rest.remove_prefix(1);
  }
  if (rest.find('.') != std::string_view::npos) return broken;
  buffer += rest;  // decimals and exponent, without separators
  return buffer;
}

std::string spelling_hint(std::string_view token) {
  struct way {
    number_spelling spelling;
    char const* hint;
  };
  if (is_number_as(token, {","}) && is_number_as(token, {"", ','}))
    return "; for decimal commas use --decimal , and for thousands separators --thousands";
  way const ways[] = {{{"", ','}, "decimal commas use --decimal ,"},
                      {{","}, "thousands separators use --thousands"},
                      {{".", ','}, "decimal commas use --decimal , --thousands=."},
                      {{" "}, "thousands separators use --thousands=' '"},
                      {{" ", ','}, "decimal commas use --decimal , --thousands=' '"},
                      {{"'"}, "thousands separators use --thousands=\"'\""},
                      {{"_"}, "thousands separators use --thousands=_"},
                      {{"\u00a0"}, "thousands separators use --thousands=$'\\u00a0'"},
                      {{"\u202f"}, "thousands separators use --thousands=$'\\u202f'"},
                      {{"\u00a0", ','}, "decimal commas use --decimal , --thousands=$'\\u00a0'"},
                      {{"\u202f", ','}, "decimal commas use --decimal , --thousands=$'\\u202f'"},
                      {{"\u2019"}, "thousands separators use --thousands=\u2019"}};
  for (auto const& [spelling, hint] : ways)
    if (is_number_as(token, spelling)) return fmt::format("; for {}", hint);
  return "";
}

}  // namespace upsweep::io
