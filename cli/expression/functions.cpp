/// The table of functions.
#include <cli/expression/functions.hpp>

namespace upsweep::cli {

std::span<function const> functions() noexcept {
  using enum expression_kind;
  constexpr std::size_t many = 100;
  static constexpr function all[] = {
      {"if", choice, 3, 3, "b.", '.'},
      {"coalesce", coalesce, 2, many, ".", '.'},
      {"abs", expression_kind::abs, 1, 1, "n", 'n'},
      {"floor", floor, 1, 1, "n", 'n'},
      {"ceil", ceil, 1, 1, "n", 'n'},
      {"round", round, 1, 2, "ni", 'n'},
      {"sqrt", sqrt, 1, 1, "n", 'd'},
      {"exp", exp, 1, 1, "n", 'd'},
      {"log", log, 1, 1, "n", 'd'},
      {"min", min, 2, many, "n", 'n'},
      {"max", max, 2, many, "n", 'n'},
      {"length", length, 1, 1, "t", 'i'},
      {"text", field_text, 1, 1, "t", 't'},
      {"lower", lower, 1, 1, "t", 't'},
      {"upper", upper, 1, 1, "t", 't'},
      {"trim", trim, 1, 1, "t", 't'},
      {"substring", substring, 2, 3, "tii", 't'},
      {"replace", replace, 3, 3, "t", 't'},
      {"concat", concat, 2, many, "x", 't'},
      {"starts_with", starts_with, 2, 2, "t", 'b'},
      {"ends_with", ends_with, 2, 2, "t", 'b'},
      {"contains", contains, 2, 2, "t", 'b'},
      {"year", year, 1, 1, "t", 'i'},
      {"quarter", quarter, 1, 1, "t", 'i'},
      {"month", month, 1, 1, "t", 'i'},
      {"week", week, 1, 1, "t", 'i'},
      {"weekday", weekday, 1, 1, "t", 'i'},
      {"day", day, 1, 1, "t", 'i'},
      {"hour", hour, 1, 1, "t", 'i'},
      {"minute", minute, 1, 1, "t", 'i'},
      {"second", second, 1, 1, "t", 'i'},
      {"days", days, 1, 1, "t", 'i'},
      {"seconds", seconds, 1, 1, "t", 'd'},
      {"trunc", trunc, 2, 2, "t", 't'},
      {"time", time_text, 1, 1, "n", 't'},
  };
  return all;
}

std::vector<std::string> function_names() {
  std::vector<std::string> names;
  for (auto const& each : functions()) names.emplace_back(each.name);
  return names;
}

std::vector<std::string> const& time_units() {
  static std::vector<std::string> const all{"year", "quarter", "month",  "week",
                                            "day",  "hour",    "minute", "second"};
  return all;
}

}  // namespace upsweep::cli
