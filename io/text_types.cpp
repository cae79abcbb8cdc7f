/// Classifies tokens. Short runs of digits, the common case, are recognized without conversion.
#include <io/text_types.hpp>

#include <io/number.hpp>
#include <io/number_spelling.hpp>
#include <io/shown.hpp>

#include <algorithm>
#include <cctype>
#include <cstdint>

namespace upsweep::io {
namespace {

/// An optional sign followed by digits.
bool has_integer_form(std::string_view token) noexcept {
  if (!token.empty() && (token.front() == '-' || token.front() == '+')) token.remove_prefix(1);
  return !token.empty() &&
         std::all_of(token.begin(), token.end(), [](char c) { return c >= '0' && c <= '9'; });
}

/// Outside ASCII every character is a letter except the symbols that may precede a number: the
/// punctuation and symbols of Latin-1 ("£"), general punctuation, currencies and mathematics ("€",
/// "−"), and the full-width forms of those in ASCII.
bool is_letter(char32_t c) noexcept {
  if (c < 0x80) return (c | 0x20) >= 'a' && (c | 0x20) <= 'z';
  if (c < 0xc0) return c == 0xaa || c == 0xb5 || c == 0xba;  // ª µ º
  bool const sign = c == 0xd7 || c == 0xf7 || (c >= 0x2000 && c < 0x2c00) ||
                    (c >= 0x3000 && c < 0x3040) || (c >= 0xff00 && c < 0xff21);
  return !sign;
}

}  // namespace

bool is_negative_zero(std::string_view token) noexcept {
  return token.starts_with("-0") && token.find_first_not_of('0', 1) == std::string_view::npos;
}

bool is_missing(std::string_view token) noexcept {
  if (token.size() > 4 || (!token.empty() && (token[0] | 0x20) != 'n')) return false;
  char lower[4] = {};
  std::transform(token.begin(), token.end(), lower, [](char c) {
    return static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  });
  std::string_view const word(lower, token.size());
  return word.empty() || word == "na" || word == "n/a" || word == "null";
}

bool may_be_missing(std::string_view token) noexcept {
  static constexpr std::string_view words[] = {
      "-",   "--",     "---",     "?",         ".",      "..",      "...",   "*",
      "\\n", "#n/a",   "none",    "nil",       "n.a.",   "n.a",     "n.d.",  "nd",
      "n/d", "<na>",   "missing", "undefined", "empty",  "unknown", "void",  "nan",
      "#na", "(null)", "(none)",  "\u2013",    "\u2014", "#value!", "#ref!", "#div/0!"};
  if (is_missing(token)) return true;
  std::string lower(token.substr(0, 16));
  for (char& c : lower) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  return std::ranges::find(words, lower) != std::end(words);
}

bool is_number(std::string_view token) noexcept {
  double value = 0;
  return has_integer_form(token) || parse_number(token, dtype::f64, &value) != parsed::malformed;
}

bool is_truth(std::string_view token) noexcept {
  bool value = false;
  return token.size() > 1 && parse_number(token, dtype::boolean, &value) == parsed::good;
}

bool is_code(std::string_view token) noexcept {
  if (token.size() < 2 || token[0] != '0' || token[1] < '0' || token[1] > '9') return false;
  auto const point = token.find('.');
  auto const decimals = point == std::string_view::npos ? "" : token.substr(point + 1);
  constexpr std::string_view digits = "0123456789";
  return token.substr(0, point).find_first_not_of(digits) == std::string_view::npos &&
         decimals.find_first_not_of(digits) == std::string_view::npos;
}

bool is_telephone(std::string_view token) noexcept {
  return token.size() > 7 && token.front() == '+' && has_integer_form(token);
}

bool is_name(std::string_view token) noexcept {
  if (token.starts_with('"')) token.remove_prefix(1);
  if (token.empty()) return false;
  auto const first = take_character(token);
  bool valid = first.has_value();
  while (valid && !token.empty()) valid = take_character(token).has_value();
  return valid && (*first == '_' || is_letter(*first));
}

void type_guess::merge(type_guess const& other) noexcept {
  begins_with_text_ = begins_with_text_ || (!has_seen() && other.begins_with_text_);
  decimals_ = decimals_ || other.decimals_;
  integers_ = integers_ || other.integers_;
  negatives_ = negatives_ || other.negatives_;
  beyond_i64_ = beyond_i64_ || other.beyond_i64_;
  booleans_ = booleans_ || other.booleans_;
  strange_ = strange_ || other.strange_;
  codes_ = codes_ || other.codes_;
  if (!begins_like_number_) begins_like_number_ = other.begins_like_number_;
}

void type_guess::observe(std::string_view token) noexcept {
  if (has_integer_form(token)) {
    if (strange_ && !begins_like_number_) begins_like_number_ = true;
    bool const negative = token.front() == '-';
    if (negative && is_negative_zero(token)) {
      decimals_ = true;
      return;
    }
    integers_ = true;
    negatives_ = negatives_ || negative;
    codes_ = codes_ || (token.front() == '0' && token.size() > 1) || is_telephone(token);
    if (token.size() < 19) return;  // always fits
    std::int64_t value = 0;
    beyond_i64_ = beyond_i64_ || parse_number(token, dtype::i64, &value) != parsed::good;
    return;
  }
  double value = 0;
  if (parse_number(token, dtype::f64, &value) != parsed::malformed) {
    decimals_ = true;
    codes_ = codes_ || is_code(token);
    if (strange_ && !begins_like_number_) begins_like_number_ = true;
    return;
  }
  bool const strange = !is_truth(token) && !is_missing(token);
  if (strange && !begins_like_number_ && !may_be_missing(token))
    begins_like_number_ = looks_like_number(token);
  begins_with_text_ = begins_with_text_ || (strange && !has_seen());
  strange_ = strange_ || strange;
  booleans_ = booleans_ || is_truth(token);
}

dtype type_guess::type() const noexcept {
  if (decimals_) return dtype::f64;
  if (integers_) return beyond_i64_ && !negatives_ ? dtype::u64 : dtype::i64;
  return booleans_ ? dtype::boolean : dtype::f64;
}

}  // namespace upsweep::io
