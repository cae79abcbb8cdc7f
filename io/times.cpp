/// Parses and computes with dates by the calendar of std::chrono. In strings whose order is asked
/// for, a date has three numbers, or a year and a month; a time of day two or three; a version
/// more.
#include <io/shown.hpp>
#include <io/times.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <iterator>
#include <limits>
#include <utility>

namespace upsweep::io {
namespace {

using namespace std::chrono;

/// Takes exactly `digits` digits.
std::optional<int> take_number(std::string_view& text, std::size_t digits) {
  int number = 0;
  if (text.size() < digits) return std::nullopt;
  for (char const c : text.substr(0, digits)) {
    if (!is_digit(c)) return std::nullopt;
    number = 10 * number + (c - '0');
  }
  text.remove_prefix(digits);
  return number;
}

/// "2024-03-31", a day of the calendar.
bool take_date(std::string_view& text, year_month_day& date) {
  if (text.size() < 10) return false;
  int others = (text[4] != '-') + (text[7] != '-');  // characters at fault
  auto const digit = [&](std::size_t i) {
    int const value = text[i] - '0';
    others += value < 0 || value > 9;
    return value;
  };
  int const y = 1000 * digit(0) + 100 * digit(1) + 10 * digit(2) + digit(3);
  int const m = 10 * digit(5) + digit(6), d = 10 * digit(8) + digit(9);
  date = year(y) / m / d;
  text.remove_prefix(10);
  return others == 0 && date.ok();
}

bool take_fraction(std::string_view& text, written_time& time) {
  if (!take(text, '.') && !take(text, ',')) return true;
  std::int64_t unit = 100'000'000;
  auto const digits = take_digits(text);
  for (char const c : digits) {
    time.nanoseconds += unit * (c - '0');
    unit /= 10;
  }
  return !digits.empty();
}

/// "Z", "+02:00", "+0200" or "+02".
bool take_zone(std::string_view& text, written_time& time) {
  time.zone = text;
  if (text.empty()) return true;
  if (take(text, 'Z')) {
    time.offset = 0;
    return true;
  }
  bool const west = take(text, '-');
  if (!west && !take(text, '+')) return false;
  auto const hours = take_number(text, 2);
  if (!hours) return false;
  bool const divided = take(text, ':');
  auto const minutes = text.empty() && !divided ? 0 : take_number(text, 2);
  if (!minutes || *hours > 23 || *minutes > 59) return false;
  time.offset = (west ? -1 : 1) * (60 * *hours + *minutes);
  return true;
}

bool take_clock(std::string_view& text, written_time& time) {
  auto const hours = take_number(text, 2);
  if (!hours || !take(text, ':')) return false;
  auto const minutes = take_number(text, 2);
  if (!minutes || *hours > 23 || *minutes > 59) return false;
  time.hour = *hours, time.minute = *minutes, time.has_time = true;
  if (take(text, ':')) {
    auto const seconds = take_number(text, 2);
    if (!seconds || *seconds > 59 || !take_fraction(text, time)) return false;
    time.second = *seconds;
  }
  return take_zone(text, time) && text.empty();
}

bool take_time(std::string_view text, written_time& time) {
  if (!take_date(text, time.date)) return false;
  if (text.empty()) return true;
  time.separator = text[0];
  return (take(text, 'T') || take(text, ' ')) && take_clock(text, time);
}

std::string date_text(year_month_day date) {
  return fmt::format("{:04}-{:02}-{:02}", static_cast<int>(date.year()),
                     static_cast<unsigned>(date.month()), static_cast<unsigned>(date.day()));
}

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
bool is_fraction(std::string_view text) {
  auto whole = text;
  if (!take_digits(whole).empty() && take(whole, ' ')) text = whole;
  auto const a = take_digits(text).size();
  if (a == 0 || a > 3 || !take(text, '/')) return false;
  auto const b = take_digits(text).size();
  return b > 0 && b <= 4 && text.empty();
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

std::int64_t written_time::days() const {
  return sys_days(date).time_since_epoch().count();
}

std::int64_t written_time::whole_seconds() const {
  return ((days() * 24 + hour) * 60 + minute - offset.value_or(0)) * 60 + second;
}

double written_time::seconds() const {
  return static_cast<double>(whole_seconds()) + static_cast<double>(nanoseconds) / 1e9;
}

std::optional<std::int64_t> written_time::since_1970() const {
  constexpr std::int64_t billion = 1'000'000'000,
                         most = std::numeric_limits<std::int64_t>::max() / billion - 1;
  std::int64_t const whole = whole_seconds();
  if (whole < -most || whole > most) return {};
  return whole * billion + nanoseconds;
}

std::optional<written_time> parse_time(std::string_view text) {
  std::optional<written_time> time(std::in_place);
  if (!take_time(text, *time)) time.reset();
  return time;
}

int week_of(sys_days day) {
  // A week belongs to the year of its Thursday.
  auto const thursday = day - (weekday(day) - Monday) + days(3);
  auto const first = sys_days(year_month_day(thursday).year() / January / 1);
  return static_cast<int>((thursday - first).count() / 7 + 1);
}

int quarter_of(year_month_day date) {
  return (static_cast<int>(static_cast<unsigned>(date.month())) + 2) / 3;
}

std::string truncated(written_time const& time, std::string_view unit) {
  auto const date = time.date;
  if (unit == "year") return date_text(date.year() / January / 1);
  if (unit == "quarter")
    return date_text(date.year() / month(static_cast<unsigned>(3 * quarter_of(date) - 2)) / 1);
  if (unit == "month") return date_text(date.year() / date.month() / 1);
  if (unit == "week") return date_text(sys_days(date) - (weekday(sys_days(date)) - Monday));
  if (unit == "day") return date_text(date);
  auto const to = unit == "hour" ? 0 : unit == "minute" ? 1 : 2;
  std::string text = fmt::format("{}{}{:02}:{:02}", date_text(date), time.separator, time.hour,
                                 to > 0 ? time.minute : 0);
  if (to > 1) text += fmt::format(":{:02}", time.second);
  return text.append(time.zone);
}

std::optional<std::string> time_text(double seconds) {
  if (!(std::abs(seconds) < 1e12)) return std::nullopt;
  auto const whole = static_cast<std::int64_t>(std::floor(seconds));
  auto micro = std::llround((seconds - std::floor(seconds)) * 1e6);
  auto const of = sys_seconds(std::chrono::seconds(whole + micro / 1'000'000));
  micro %= 1'000'000;
  auto const day = floor<std::chrono::days>(of);
  year_month_day const date(day);
  if (date.year() < year(0) || date.year() > year(9999)) return std::nullopt;
  hh_mm_ss const clock(of - day);
  std::string text = fmt::format("{}T{:02}:{:02}:{:02}", date_text(date), clock.hours().count(),
                                 clock.minutes().count(), clock.seconds().count());
  if (micro != 0) text += fmt::format(".{:06}", micro);
  return text + 'Z';
}

order_form order_form_of(std::string_view token) noexcept {
  constexpr std::size_t longest = 48;
  if (token.size() < 3 || token.size() > longest) return {};
  order_form form;
  if (is_digit(token[0]) || token[0] == 'v' || token[0] == 'V') {
    form = form_of_date(token);
    if (form.is == kind::none) form = form_of_clock(token, true);
    if (form.is == kind::none) form = form_of_week(token);
    if (form.is == kind::none && is_fraction(token)) form = {kind::unordered};
    if (form.is == kind::none) form = form_of_range(token);
    if (form.is == kind::none) form = form_of_version(token);
  }
  bool const may_name = is_digit(token[0]) || is_latin_letter(token[0]);
  if (form.is == kind::none && may_name && names_month(token)) form = {kind::unordered};
  return form;
}

bool order_forms::take(std::string_view token) noexcept {
  auto form = order_form_of(token);
  if (form.is == kind::none) return true;
  if (common_.is == kind::none) common_ = form;
  // A date alone is in order before its times.
  if (common_.clock == 0) common_.clock = form.clock;
  if (form.clock == 0) form.clock = common_.clock;
  return form.is != kind::unordered && form == common_;
}

bool are_in_order(std::string_view a, std::string_view b) noexcept {
  if (order_form_of(a).is == kind::none || order_form_of(b).is == kind::none) return true;
  order_forms both;
  return both.take(a) && both.take(b);
}

char const* order_hint(std::string_view token) {
  if (order_form_of(token).is == kind::version)
    return "the numbers in it have several widths; give them one width, or compare text(COLUMN)";
  if (is_fraction(token))
    return "fractions, and days without a year, are not in the order of bytes; write them as "
           "decimals or as 2024-03-04, or compare text(COLUMN)";
  if (parse_time(token))
    return "times are written in several zones or widths; seconds(COLUMN) is a number in their "
           "order";
  return "times are in the order of bytes only if all are written as 2024-03-04 or 09:30:00; "
         "rewrite them, or compare text(COLUMN)";
}

}  // namespace upsweep::io
