/// Reads the gap with its unit.
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
