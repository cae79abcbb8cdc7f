/// Takes a time apart from left to right.
#include <cli/engine/times.hpp>

#include <io/error.hpp>
#include <io/number.hpp>
#include <io/text_types.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <chrono>

namespace upsweep::cli {

namespace {

/// Takes `digits` digits from the beginning of a text.
std::optional<int> take_number(std::string_view& rest, std::size_t digits) {
  int value = 0;
  auto const is_digit = [](char c) { return c >= '0' && c <= '9'; };
  if (rest.size() < digits || !std::ranges::all_of(rest.substr(0, digits), is_digit)) return {};
  std::from_chars(rest.data(), rest.data() + digits, value);
  rest.remove_prefix(digits);
  return value;
}

bool take_one_of(std::string_view& rest, std::string_view characters) {
  if (rest.empty() || characters.find(rest[0]) == std::string_view::npos) return false;
  rest.remove_prefix(1);
  return true;
}

/// Takes 10:30 or 10:30:05.25, as seconds. `with_seconds`: they may be there.
std::optional<double> take_clock(std::string_view& rest, bool with_seconds) {
  auto const hours = take_number(rest, 2);
  if (!hours || !take_one_of(rest, ":")) return {};
  auto const minutes = take_number(rest, 2);
  if (!minutes || *hours > 23 || *minutes > 59) return {};
  double seconds = *hours * 3600.0 + *minutes * 60.0;
  if (!with_seconds || !take_one_of(rest, ":")) return seconds;
  auto const whole = take_number(rest, 2);
  if (!whole || *whole > 60) return {};
  seconds += *whole;
  if (!take_one_of(rest, ".,")) return seconds;
  double place = 1;
  double fraction = 0;
  auto digit = take_number(rest, 1);
  if (!digit) return {};
  for (; digit; digit = take_number(rest, 1)) fraction = fraction * 10 + *digit, place *= 10;
  return seconds + fraction / place;
}

}  // namespace

std::optional<double> seconds_of_time(std::string_view text) {
  std::string_view rest = text;
  auto const year = take_number(rest, 4);
  if (!year || !take_one_of(rest, "-")) return {};
  auto const month = take_number(rest, 2);
  if (!month || !take_one_of(rest, "-")) return {};
  auto const day = take_number(rest, 2);
  if (!day) return {};
  std::chrono::year_month_day const date{std::chrono::year(*year),
                                         std::chrono::month(static_cast<unsigned>(*month)),
                                         std::chrono::day(static_cast<unsigned>(*day))};
  if (!date.ok()) return {};
  auto const days = static_cast<double>(std::chrono::sys_days(date).time_since_epoch().count());
  if (rest.empty()) return days * 86400;
  if (!take_one_of(rest, "T t")) return {};
  auto const clock = take_clock(rest, true);
  if (!clock) return {};
  double seconds = days * 86400 + *clock;
  if (rest.empty() || rest == "Z" || rest == "z") return seconds;
  bool const east = rest[0] == '+';
  if (!take_one_of(rest, "+-")) return {};
  auto const zone = take_clock(rest, false);
  if (!zone || !rest.empty()) return {};
  return seconds - (east ? *zone : -*zone);
}

double session_gap(operator_use const& use) {
  struct unit {
    std::string_view name;
    double seconds;
  };
  static constexpr unit units[] = {{"", 1},     {"ms", 1e-3}, {"s", 1},
                                   {"min", 60}, {"h", 3600},  {"d", 86400}};
  std::string const& text = use.parameter;
  std::size_t const end = text.find_last_of("0123456789.") + 1;  // 0: there is none
  auto const* const found =
      std::ranges::find(units, std::string_view(text).substr(end), &unit::name);
  std::string const digits = text.substr(0, end);
  double gap = 0;
  bool const is_gap = found != std::end(units) && io::is_number(digits);
  if (is_gap) io::parse_option_number(digits, io::dtype::f64, &gap, "--op session:" + text);
  if (!is_gap || !(gap >= 0))
    throw io::usage_error(
        fmt::format("--op session:{}: give the longest gap inside a session, a number in the unit "
                    "of the column, "
                    "or with a unit of ms, s, min, h or d, as in session:30min:time.",
                    text));
  return gap * found->seconds;
}

}  // namespace upsweep::cli
