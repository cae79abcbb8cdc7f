/// In strings whose order is asked for, a date has three numbers, or a year and a month; a time of
/// day two or three; a version more.
#include <cli/engine/string_order.hpp>
#include <io/number.hpp>
#include <io/shown.hpp>
#include <io/text_types.hpp>
#include <io/times.hpp>
#include <upsweep/ops/decimal.hpp>
#include <upsweep/ops/order.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <iterator>

namespace upsweep::cli {
namespace {

using io::contains;
using io::is_digit;
using io::is_latin_letter;
using io::is_word;
using io::take;
using io::take_digits;

using kind = order_form::kind;

/// Takes the digits at the beginning and returns how many there are; `value` is their number.
std::size_t take_any_number(std::string_view& text, unsigned& value) {
  value = 0;
  auto const digits = take_digits(text);
  for (char const c : digits) value = value * 10 + static_cast<unsigned>(c - '0');
  return digits.size();
}

/// Mixes a number into a form.
constexpr std::uint32_t mixed(std::uint32_t form, std::size_t part) {
  return (form ^ static_cast<std::uint32_t>(part)) * 0x01000193u;
}

/// An English name, or its first three letters.
bool is_month(std::string_view word) {
  static constexpr std::array<std::string_view, 12> names = {
      "january", "february", "march",     "april",   "may",      "june",
      "july",    "august",   "september", "october", "november", "december"};
  return std::ranges::any_of(names, [&](std::string_view name) {
    return is_word(word, name) || is_word(word, name.substr(0, 3));
  });
}
bool may_be_beside_month(std::string_view word) {
  static constexpr std::array<std::string_view, 16> words = {
      "mon", "tue", "wed", "thu", "fri", "sat", "sun", "utc",
      "gmt", "st",  "nd",  "rd",  "th",  "am",  "pm",  "sept"};
  return std::ranges::any_of(words, [&](std::string_view each) { return is_word(word, each); });
}

/// "5 Jan 2024", "Jan 5, 2024 9:30 PM", "Mon, 04-Mar-24 10:00:00 GMT".
bool names_month(std::string_view token) {
  std::size_t months = 0, numbers = 0;
  while (!token.empty()) {
    if (!take_digits(token).empty()) {
      ++numbers;
      continue;
    }
    std::size_t n = 0;
    while (n < token.size() && is_latin_letter(token[n])) ++n;
    if (n == 0) {
      if (!contains(" ,-/.:+", token[0])) return false;
      token.remove_prefix(1);
      continue;
    }
    auto const word = token.substr(0, n);
    token.remove_prefix(n);
    if (is_month(word))
      ++months;
    else if (!may_be_beside_month(word))
      return false;
  }
  return months == 1 && numbers > 0;
}

/// "9:30", "10:05:59.5Z", "100:05", alone or after a date.
order_form form_of_clock(std::string_view text, bool alone) {
  auto const hours = take_digits(text).size();
  std::size_t groups = 0, decimals = 0;
  while (groups < 2 && text.size() > 2 && text[0] == ':' && is_digit(text[1]) &&
         is_digit(text[2])) {
    text.remove_prefix(3);
    ++groups;
  }
  if (hours == 0 || groups == 0 || (!text.empty() && is_digit(text[0]))) return {};
  if (text.size() > 1 && (text[0] == '.' || text[0] == ',') && is_digit(text[1])) {
    text.remove_prefix(1);
    decimals = take_digits(text).size();
  }
  while (take(text, ' ')) continue;
  bool const half = text.size() >= 2 && (text[1] | 0x20) == 'm' &&
                    ((text[0] | 0x20) == 'a' || (text[0] | 0x20) == 'p');
  if (half) return {kind::unordered};
  std::uint32_t form = mixed(1, hours);
  for (char const c : text)
    if (is_digit(c) || is_latin_letter(c) || c == '+' || c == '-')
      form = mixed(form, static_cast<unsigned char>(c));
    else if (c != ':')
      return {};
  if (alone) form = mixed(form, groups);  // "1:05" and "1:05:30" may begin with minutes
  // 'Z' comes after the digits, '.' and ':' of a longer time.
  if (is_word(text, "z")) form = mixed(mixed(form, groups), decimals);
  return {kind::time, form};
}

order_form form_of_time(std::string_view text) {
  return form_of_clock(text, true);
}

/// "2024-03-04", "2024/3/4 09:30", "3.4.24"; nothing if it is no date.
order_form form_of_date(std::string_view text) {
  unsigned first = 0, second = 0, third = 0;
  auto const a = take_any_number(text, first);
  if (a > 4 || text.empty()) return {};
  char const separator = text[0];
  if (separator != '-' && separator != '/' && separator != '.') return {};
  text.remove_prefix(1);
  auto const b = take_any_number(text, second);
  if (b == 0 || b > 2) return {};
  bool const year_first = a == 4 && first >= 1000 && first < 3000 && second <= 12;
  auto const form = mixed(mixed(mixed(2, static_cast<unsigned char>(separator)), b), 0);
  if (text.empty())
    return year_first && separator != '.' ? order_form{kind::time, form} : order_form();
  if (!take(text, separator)) return {};
  auto const c = take_any_number(text, third);
  bool const is_day = std::min(first, second) <= 12 && std::max(first, second) <= 31;
  if (!text.empty() && text[0] != ' ' && text[0] != 'T' && text[0] != 't') return {};
  bool const is_short = c == 2 && (separator != '.' || (a == 2 && b == 2));
  if (a <= 2 && is_day && (c == 4 || is_short)) return {kind::unordered};
  if (!year_first || c == 0 || c > 2 || third > 31) return {};
  order_form all{kind::time, mixed(form, c)};
  if (text.empty()) return all;
  auto const clock = form_of_clock(text.substr(1), false);
  if (clock.is != kind::time) return clock;
  all.clock = mixed(clock.numbers, static_cast<unsigned char>(text[0]) | 0x100u);
  return all;
}

/// "1/2", "1 1/2", "3/4" as a day, "12/2023": no year is first.
order_form form_of_fraction(std::string_view text) {
  auto whole = text;
  if (!take_digits(whole).empty() && take(whole, ' ')) text = whole;
  auto const a = take_digits(text).size();
  if (a == 0 || a > 3 || !take(text, '/')) return {};
  auto const b = take_digits(text).size();
  return b > 0 && b <= 4 && text.empty() ? order_form{kind::unordered} : order_form();
}

/// "5-9", "10 - 19", "20..29": from a number to a larger one.
order_form form_of_range(std::string_view text) {
  unsigned low = 0, high = 0;
  auto const a = take_any_number(text, low);
  std::string_view const separators[] = {" - ", "-", " to ", "..", "\u2013", " \u2013 "};
  auto const* const found =
      std::ranges::find_if(separators, [&](auto each) { return text.starts_with(each); });
  if (a > 6 || found == std::end(separators)) return {};
  text.remove_prefix(found->size());
  auto const b = take_any_number(text, high);
  bool const is_range = b > 0 && b <= 6 && text.empty() && low < high;
  return is_range ? order_form{kind::version, mixed(mixed(4, a), 0)} : order_form();
}

/// "2024-W09", "2024-W09-1".
order_form form_of_week(std::string_view text) {
  if (take_digits(text).size() != 4) return {};
  bool const separated = take(text, '-');
  if (!take(text, 'W')) return {};
  auto const digits = take_digits(text).size();
  if (digits == 0 || digits > 2 || (!text.empty() && text[0] != '-')) return {};
  return {kind::time, mixed(mixed(5, digits), separated)};
}

/// Two numbers or more after a 'v', three or more without it, between points; then a release name.
order_form form_of_version(std::string_view text) {
  bool const marked = take(text, 'v') || take(text, 'V');
  std::uint32_t form = 3;
  std::size_t count = 0;
  for (bool more = true; more; ++count) {
    auto const digits = take_digits(text);
    if (digits.empty()) return {};
    form = mixed(form, digits.size());
    more = text.size() > 1 && text[0] == '.' && is_digit(text[1]);
    if (more) text.remove_prefix(1);
  }
  bool const ends = text.empty() || text[0] == '-' || text[0] == '+' || is_latin_letter(text[0]);
  return ends && count >= (marked ? 2u : 3u) ? order_form{kind::version, form} : order_form();
}

}  // namespace

bool place_of_number::precedes(place_of_number const& other) const {
  if (detail::order::precedes(value, other.value)) return true;
  return value == other.value && whole < other.whole;
}

place_of_number place_of(double number) {
  bool const may_be_equal = std::abs(number) >= 0x1p53 && std::abs(number) < io::largest_compared;
  return {number, may_be_equal ? static_cast<int128>(number) : 0};
}

place_of_number place_of(std::string_view number) {
  double value = 0;
  static_cast<void>(io::parse_number(number, io::dtype::f64, &value));
  auto place = place_of(value);
  if (place.whole != 0 && number.find_first_of(".eE") == std::string_view::npos)
    if (auto const exact = parse_decimal(number)) place.whole = exact->units;
  return place;
}

bool comes_before(std::string_view a, std::string_view b) {
  bool const a_is = io::is_number(a), b_is = io::is_number(b);
  if (a_is != b_is) return a_is;
  if (!a_is) return a < b;
  auto const x = place_of(a), y = place_of(b);
  return x.precedes(y) || (!y.precedes(x) && a < b);
}

bool is_compared_as_text(std::string_view column) noexcept {
  return column.starts_with("text(");
}

order_form order_form_of(std::string_view token) noexcept {
  constexpr std::size_t longest = 48;
  if (token.size() < 3 || token.size() > longest) return {};
  bool const begins_with_digit = io::is_digit(token[0]);
  if (begins_with_digit || token[0] == 'v' || token[0] == 'V')
    for (auto* const form_of : {form_of_date, form_of_time, form_of_week, form_of_fraction,
                                form_of_range, form_of_version})
      if (auto const form = form_of(token); form.is != kind::none) return form;
  bool const may_name = begins_with_digit || io::is_latin_letter(token[0]);
  return may_name && names_month(token) ? order_form{kind::unordered} : order_form();
}

bool strings_in_order::take(std::string_view text) noexcept {
  if (is_compared_as_text(column_)) return true;
  auto form = order_form_of(text);
  if (form.is == kind::none) return true;
  if (common_.is == kind::none) common_ = form;
  // A date alone is in order before its times.
  if (common_.clock == 0) common_.clock = form.clock;
  if (form.clock == 0) form.clock = common_.clock;
  return form.is != kind::unordered && form == common_;
}

bool are_in_order(std::string_view a, std::string_view b) noexcept {
  if (order_form_of(a).is == kind::none || order_form_of(b).is == kind::none) return true;
  strings_in_order both({});
  return both.take(a) && both.take(b);
}

char const* order_hint(std::string_view token) {
  if (order_form_of(token).is == kind::version)
    return "the numbers in it have several widths; give them one width, or compare text(COLUMN)";
  if (form_of_fraction(token).is != kind::none)
    return "fractions, and days without a year, are not in the order of bytes; write them as "
           "decimals or as 2024-03-04, or compare text(COLUMN)";
  if (io::parse_time(token))
    return "times are written in several zones or widths; seconds(COLUMN) is a number in their "
           "order";
  return "times are in the order of bytes only if all are written as 2024-03-04 or 09:30:00; "
         "rewrite them, or compare text(COLUMN)";
}

io::data_error strings_in_order::error(std::string_view text, std::string_view place) const {
  return io::data_error("{}'{}' in column '{}' has no order as text: {}.", place, io::shown(text),
                        column_, order_hint(text));
}

}  // namespace upsweep::cli
