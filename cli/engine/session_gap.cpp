/// Reads durations with their units.
#include <cli/engine/session_gap.hpp>

#include <io/error.hpp>
#include <io/number.hpp>
#include <io/text_types.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <string>
#include <string_view>

namespace upsweep::cli {

std::optional<time_span> read_span(std::string const& text) {
  struct unit {
    std::string_view name;
    double seconds;
  };
  static constexpr unit units[] = {{"", 1},     {"ms", 1e-3}, {"s", 1},
                                   {"min", 60}, {"h", 3600},  {"d", 86400}};
  std::size_t const end = text.find_last_of("0123456789.") + 1;  // 0: there is none
  auto const* const found =
      std::ranges::find(units, std::string_view(text).substr(end), &unit::name);
  std::string const digits = text.substr(0, end);
  if (found == std::end(units) || !io::is_number(digits)) return {};
  double number = 0;
  io::parse_option_number(digits, io::dtype::f64, &number, "--op");
  time_span span{number * found->seconds, !found->name.empty()};
  std::uint64_t whole = 0;
  if (!span.has_unit && io::parse_number(digits, io::dtype::u64, &whole) == io::parsed::good)
    span.whole = whole;
  return span;
}

time_span session_gap(operator_use const& use) {
  auto const gap = read_span(use.parameter);
  if (!gap || !(gap->number >= 0))
    throw io::usage_error(
        fmt::format("--op session:{}: give the longest gap inside a session, a number in the unit "
                    "of the column, "
                    "or with a unit of ms, s, min, h or d, as in session:30min:time.",
                    use.parameter));
  return *gap;
}

}  // namespace upsweep::cli
