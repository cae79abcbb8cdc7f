/// Parses and computes with dates by the calendar of std::chrono.
#include <io/shown.hpp>
#include <io/times.hpp>

#include <fmt/format.h>

#include <cmath>
#include <cstddef>
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

}  // namespace upsweep::io
