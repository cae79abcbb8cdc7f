/// Classifies tokens. Short runs of digits, the common case, are recognized without conversion.
/// Rewrites numbers into the form that parse_number takes.
#include <io/text_types.hpp>

#include <io/number.hpp>
#include <io/shown.hpp>

#include <fmt/format.h>

#include <cstddef>
#include <iterator>
#include <span>

namespace upsweep::io {
namespace {

/// Outside ASCII every character is a letter except the symbols that may precede a number: the
/// punctuation and symbols of Latin-1 ("£"), general punctuation, currencies and mathematics ("€",
/// "−"), and the full-width forms of those in ASCII.
bool is_letter(char32_t c) noexcept {
  if (c < 0x80) return is_latin_letter(static_cast<char>(c));
  if (c < 0xc0) return c == 0xaa || c == 0xb5 || c == 0xba;  // ª µ º
  bool const sign = c == 0xd7 || c == 0xf7 || (c >= 0x2000 && c < 0x2c00) ||
                    (c >= 0x3000 && c < 0x3040) || (c >= 0xff00 && c < 0xff21);
  return !sign;
}

bool is_number_as(std::string_view token, number_spelling const& spelling) {
  std::string buffer;
  return is_number(standard_form(token, spelling, buffer));
}

/// Moves the digits in groups at the beginning of `token` to `out`: three after each separator, or
/// as in 12,34,567. False if they are divided in another way.
bool take_grouped(std::string_view& token, number_spelling const& spelling, std::string& out) {
  auto const take_group = [&] {
    auto const digits = take_digits(token);
    out += digits;
    return digits.size();
  };
  auto const before = take_group();
  if (spelling.thousands.empty() || !token.starts_with(spelling.thousands)) return true;
  std::size_t usual = 0, last = 0;  // digits of the groups between the first and the last
  while (token.starts_with(spelling.thousands)) {
    if (last != 0 && usual != 0 && last != usual) return false;
    usual = last;
    token.remove_prefix(spelling.thousands.size());
    last = take_group();
    if (last == 0) return false;
  }
  bool const by_two = spelling.currencies && usual == 2;
  return before > 0 && before <= (by_two ? 2 : 3) && last == 3 &&
         (by_two || usual == 0 || usual == 3);
}

/// Whether the only point of an amount is where a thousands separator would be.
bool is_ambiguous(std::string_view number, number_spelling const& spelling) {
  return !spelling.says_decimal && spelling.decimal == '.' && number.size() > 4 &&
         number.size() < 8 && number[0] != '0' &&
         number.find_first_not_of("0123456789") == number.size() - 4 &&
         number[number.size() - 4] == '.' &&
         number.find_first_not_of("0123456789", number.size() - 3) == std::string_view::npos;
}

/// Why an amount is no number, if the separators are the reason.
std::string amount_hint(std::string_view token, number_spelling const& spelling) {
  number_spelling said = spelling;
  said.says_decimal = true;
  bool const is_number_here = is_number_as(token, said);
  said.decimal = spelling.decimal == '.' ? ',' : '.';
  said.thousands.assign(1, spelling.decimal == '.' ? '.' : ',');
  if (!is_number_as(token, said)) return "";
  if (is_number_here)
    return "; its point may be decimal or separate thousands: give --decimal . or --decimal ,";
  return fmt::format("; for decimal {} use --decimal {}", said.decimal == ',' ? "commas" : "points",
                     said.decimal);
}

/// The ways to write numbers that options describe, and what a message says of each.
struct spelling_way {
  number_spelling spelling;
  char const* hint;
};
std::span<spelling_way const> spelling_ways() {
  static auto const money = std::make_shared<column_currencies>();
  static spelling_way const ways[] = {
      {{"", ','}, "decimal commas use --decimal ,"},
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
      {{"\u2019"}, "thousands separators use --thousands=\u2019"},
      {{",", '.', money, true}, "amounts of money use --currency"},
      {{".", ',', money}, "amounts of money use --currency --decimal ,"}};
  return ways;
}

/// The number before a unit, "8.0K", "100 %", "12 km/h", or after a sign, "<5", "#12"; empty
/// if `token`, which has a digit, has no such form.
std::string_view without_unit(std::string_view token) {
  static constexpr std::string_view signs[] = {"<=",     ">=",     "<",      ">",      "~",
                                               "=",      "#",      "No.",    "no.",    "Nr.",
                                               "\u2264", "\u2265", "\u2248", "\u00b1", "\u2116"};
  std::string_view rest = token;
  for (auto const sign : signs)
    if (take(rest, sign)) {
      while (take(rest, ' ')) continue;
      break;
    }
  auto const last = rest.find_last_of("0123456789.,)");
  auto unit = rest.substr(last + 1);
  rest = rest.substr(0, last + 1);
  take(unit, ' ');
  if (!take(unit, "\u00a0")) take(unit, "\u202f");
  std::size_t letters = 0;
  for (char const c : unit) letters += (c & 0xc0) != 0x80 ? 1 : 0;
  constexpr std::size_t most = 5;
  bool const is_inch = unit == "\"" || unit == "'" || unit == "''";
  bool const is_unit =
      is_inch || (letters <= most && unit.find_first_of(" -_:;\"'") == std::string_view::npos);
  return is_unit ? rest : std::string_view();
}

/// "1h30m", "2 d 4 h", "PT1H30M": several numbers with a unit of time.
bool is_duration(std::string_view token) {
  static constexpr std::string_view units[] = {
      "y",   "mo", "w",    "d",     "h",    "m",   "s",   "ms",      "us",  "ns",
      "day", "hr", "days", "hours", "hour", "hrs", "min", "minutes", "sec", "seconds"};
  take(token, 'P');
  std::size_t count = 0;
  for (; !token.empty(); ++count) {
    if (!take(token, 'T')) take(token, ' ');
    auto const digits = std::min(token.find_first_not_of("0123456789."), token.size());
    token.remove_prefix(digits);
    take(token, ' ');
    std::string unit;
    for (; !token.empty() && is_latin_letter(token[0]) && !(token[0] == 'T' && !unit.empty());
         token.remove_prefix(1))
      unit += static_cast<char>(token[0] | 0x20);
    if (digits == 0 || std::ranges::find(units, unit) == std::end(units)) return false;
  }
  return count > 0;
}

/// "0x1f", "0b101", "0o17".
bool is_of_other_base(std::string_view token) {
  if (token.size() < 3 || token[0] != '0') return false;
  auto const base = token[1] | 0x20;
  std::string_view const digits = base == 'x'   ? "0123456789abcdefABCDEF"
                                  : base == 'o' ? "01234567"
                                  : base == 'b' ? "01"
                                                : "";
  return token.find_first_not_of(digits, 2) == std::string_view::npos;
}

/// "1.5D+03", as Fortran writes an exponent.
bool has_exponent_of_fortran(std::string_view token) {
  auto const at = token.find_first_of("Dd");
  if (at == std::string_view::npos || at + 1 == token.size()) return false;
  if (token[at + 1] != '+' && token[at + 1] != '-') return false;
  std::string usual(token);
  usual[at] = 'e';
  return is_number(usual);
}

/// The token with full-width, Arabic and Indian digits as those of ASCII.
std::string with_usual_digits(std::string_view token) {
  static constexpr char32_t zeros[] = {0x660, 0x6f0, 0x966, 0xff10};
  std::string usual;
  while (!token.empty()) {
    auto rest = token;
    auto const c = take_character(rest);
    if (!c) return "";
    auto const* const zero =
        std::ranges::find_if(zeros, [&](char32_t z) { return *c >= z && *c < z + 10; });
    if (zero != std::end(zeros))
      usual += static_cast<char>('0' + (*c - *zero));
    else
      usual += token.substr(0, token.size() - rest.size());
    token = rest;
  }
  return usual;
}

/// The option that would make a number of `token`; null if none would.
char const* way_of(std::string_view token) {
  for (auto const& [spelling, hint] : spelling_ways())
    if (is_number_as(token, spelling)) return hint;
  return nullptr;
}

}  // namespace

bool is_negative_zero(std::string_view token) noexcept {
  return token.starts_with("-0") && token.find_first_not_of('0', 1) == std::string_view::npos;
}

bool is_missing(std::string_view token) noexcept {
  if (token.size() > 4 || (!token.empty() && (token[0] | 0x20) != 'n')) return false;
  return token.empty() || is_word(token, "na") || is_word(token, "n/a") || is_word(token, "null");
}

bool may_be_missing(std::string_view token) noexcept {
  static constexpr std::string_view words[] = {
      "-",   "--",     "---",     "?",         ".",      "..",      "...",   "*",
      "\\n", "#n/a",   "none",    "nil",       "n.a.",   "n.a",     "n.d.",  "nd",
      "n/d", "<na>",   "missing", "undefined", "empty",  "unknown", "void",  "nan",
      "#na", "(null)", "(none)",  "\u2013",    "\u2014", "#value!", "#ref!", "#div/0!"};
  if (is_missing(token)) return true;
  return std::ranges::any_of(words, [&](std::string_view word) { return is_word(token, word); });
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
  if (token.size() < 2 || token[0] != '0' || !is_digit(token[1])) return false;
  auto const point = token.find('.');
  std::string_view const decimals = point == std::string_view::npos ? "" : token.substr(point + 1);
  return std::ranges::all_of(token.substr(0, point), is_digit) &&
         std::ranges::all_of(decimals, is_digit);
}

bool is_telephone(std::string_view token) noexcept {
  return token.size() > 7 && token.front() == '+' && has_integer_form(token);
}

bool is_name(std::string_view token) noexcept {
  take(token, '"');
  if (token.empty()) return false;
  auto const first = take_character(token);
  bool valid = first.has_value();
  while (valid && !token.empty()) valid = take_character(token).has_value();
  return valid && (*first == '_' || is_letter(*first));
}

void type_guess::merge(type_guess const& other) noexcept {
  begins_with_text_ = begins_with_text_ || (!has_seen() && other.begins_with_text_);
  seen_ |= other.seen_;
  if (!begins_like_number_) begins_like_number_ = other.begins_like_number_;
}

void type_guess::observe(std::string_view token) {
  if (has_integer_form(token)) {
    if (has(strange) && !begins_like_number_) begins_like_number_ = true;
    bool const negative = token.front() == '-';
    if (negative && is_negative_zero(token)) {
      seen_ |= decimals;
      return;
    }
    seen_ |= negative ? integers | negatives : integers;
    if ((token.front() == '0' && token.size() > 1) || is_telephone(token)) seen_ |= codes;
    if (token.size() < digits_of_largest_exact) return;
    std::int64_t value = 0;
    bool const fits = parse_number(token, dtype::i64, &value) == parsed::good;
    bool const is_small = fits && -largest_exact <= value && value <= largest_exact;
    if (!fits) seen_ |= beyond_i64;
    if (!is_small && !has(rounded) && is_rounded(token)) seen_ |= rounded;
    return;
  }
  double value = 0;
  if (parse_number(token, dtype::f64, &value) != parsed::malformed) {
    seen_ |= is_code(token) ? decimals | codes : decimals;
    if (has(strange) && !begins_like_number_) begins_like_number_ = true;
    return;
  }
  if (is_truth(token)) {
    seen_ |= booleans;
  } else if (!is_missing(token)) {
    if (!begins_like_number_ && !may_be_missing(token))
      begins_like_number_ = looks_like_number(token);
    begins_with_text_ = begins_with_text_ || !has_seen();
    seen_ |= strange;
  }
}

dtype type_guess::type() const noexcept {
  if (has(decimals)) return dtype::f64;
  if (has(integers)) return has(beyond_i64) && !has(negatives) ? dtype::u64 : dtype::i64;
  return has(booleans) ? dtype::boolean : dtype::f64;
}

bool number_spelling::is_in(one_currency* currency, std::string_view token) const {
  if (currency == nullptr) return true;
  auto const found = parse_amount(token, decimal);
  return !found || currency->takes(found->currency);
}

std::string currency_error(std::string_view token, std::string_view in,
                           one_currency const& currency) {
  return fmt::format(
      "'{}'{} is in another currency than '{}', which also occurs; choose the rows of one currency "
      "with upsweep select.",
      shown(token), in, currency.name());
}

std::string_view standard_form(std::string_view token, number_spelling const& spelling,
                               std::string& buffer) {
  if (spelling.is_standard()) return token;
  constexpr std::string_view broken = "?";
  auto rest = token;
  buffer.clear();
  if (auto const found =
          spelling.currencies ? parse_amount(token, spelling.decimal) : std::nullopt) {
    if (is_ambiguous(found->number, spelling)) return broken;
    if (found->is_negative) buffer += '-';
    rest = found->number;
  } else if (!rest.empty() && (rest.front() == '-' || rest.front() == '+')) {
    buffer += rest.front();
    rest.remove_prefix(1);
  }
  if (rest.empty() || !(is_digit(rest.front()) || rest.front() == spelling.decimal)) {
    // ".5" is not a number if the decimal separator is another character
    return !rest.empty() && rest.front() == '.' ? broken : token;
  }
  if (!take_grouped(rest, spelling, buffer)) return broken;
  if (!rest.empty() && rest.front() == spelling.decimal) {
    buffer += '.';
    rest.remove_prefix(1);
  }
  if (rest.find('.') != std::string_view::npos) return broken;
  buffer += rest;  // decimals and exponent, without separators
  return buffer;
}

bool looks_like_number(std::string_view token) {
  constexpr std::string_view digits = "0123456789";
  if (token.find_first_of(digits) == std::string_view::npos) {
    auto const usual = with_usual_digits(token);
    return usual.find_first_of(digits) != std::string::npos && looks_like_number(usual);
  }
  if (is_number(token) || way_of(token) != nullptr || is_of_other_base(token) ||
      has_exponent_of_fortran(token) || is_duration(token))
    return true;
  auto const number = without_unit(token);
  return !number.empty() && (is_number(number) || way_of(number) != nullptr);
}

std::string spelling_hint(std::string_view token, number_spelling const& spelling) {
  if (spelling.currencies) return amount_hint(token, spelling);
  if (!spelling.is_standard()) {
    if (is_number(token)) return " as --decimal and --thousands describe it";
    for (auto const& [way, hint] : spelling_ways())
      if (way.decimal == spelling.decimal && is_number_as(token, way))
        return fmt::format("; for {}", hint);
    return "";
  }
  if (is_number(token)) return "";  // it is refused for another reason
  if (is_number_as(token, {","}) && is_number_as(token, {"", ','}))
    return "; for decimal commas use --decimal , and for thousands separators --thousands";
  if (auto const* const hint = way_of(token)) return fmt::format("; for {}", hint);
  if (may_be_missing(token))
    return fmt::format("; if it is a missing value, give --skip-missing --missing='{}'", token);
  if (looks_like_number(token))
    return "; a number with a sign or a unit: remove that first, or compare text(COLUMN)";
  return "";
}

}  // namespace upsweep::io
