/// The table of operators, and how they are written on the command line.
#include <cli/engine/operators.hpp>
#include <cli/engine/session_gap.hpp>

#include <io/error.hpp>
#include <io/number.hpp>
#include <io/text_types.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <utility>

namespace upsweep::cli {

namespace {

std::vector<listed_operator> tools_own() {
  using enum catalog::operand_kind;
  using enum available;
  return {
      {tool_operators::median, "median", numbers, "",
       "Median, in f64; reduce only, and keeps all values in memory.", true, reduce_only},
      {tool_operators::quantile, "quantile", numbers, "Q",
       "Quantile Q from 0 to 1, interpolated linearly, as numpy.quantile; like median.", true,
       reduce_only},
      {tool_operators::distinct, "distinct", numbers, "",
       "How many different values there are, or in a scan so far; keeps them in memory.", true},
      {tool_operators::polynomial, "polynomial", numbers, "X",
       "Value at X of the polynomial with these coefficients, the highest power first; in f64.",
       true},
      {tool_operators::recurrence, "recurrence", numbers, "A:B:...",
       "y[i] = x[i] + A y[i-1] + B y[i-2] + ..., up to four coefficients; in f64.", true},
      {tool_operators::window, "window", numbers, "W:OPERATOR",
       "Result over this row and the W - 1 rows before it, or as many as there are; scan only.",
       true, scan_only},
      {tool_operators::lag, "lag", numbers, "[K]",
       "Value K rows before (default 1); nan, or --init, where there is none; scan only.", true,
       scan_only},
      {tool_operators::diff, "diff", numbers, "[K]",
       "Difference from the value K rows before (default 1), like lag; scan only.", true,
       scan_only},
  };
}

/// Those that answer questions of order.
std::vector<listed_operator> tools_own_of_order() {
  using enum catalog::operand_kind;
  using enum available;
  return {
      {tool_operators::lead, "lead", numbers, "[K]",
       "Value K rows after (default 1); nan, or --init, where there is none; scan only.", true,
       scan_only},
      {tool_operators::rank, "rank", numbers, "[descending]",
       "1 plus the number of smaller values in the group: equal values share a rank; scan only.",
       true, scan_only},
      {tool_operators::dense_rank, "dense-rank", numbers, "[descending]",
       "1 plus the number of different smaller values in the group; scan only.", true, scan_only},
      {tool_operators::percent_rank, "percent-rank", numbers, "[descending]",
       "(rank - 1) / (number of values - 1), from 0 to 1; scan only.", true, scan_only},
      {tool_operators::row_number, "row-number", numbers, "[descending]",
       "Position in the order of the values; equal values in the order of rows; scan only.", true,
       scan_only},
      {tool_operators::ntile, "ntile", numbers, "N[:descending]",
       "Which of N parts of equal size, in the order of the values, from 1; scan only.", true,
       scan_only},
      {tool_operators::share, "share", numbers, "",
       "Value divided by the sum of the group; scan only.", true, scan_only},
      {tool_operators::cumulative_share, "cumulative-share", numbers, "",
       "Running sum divided by the sum of the group, up to 1; scan only.", true, scan_only},
      {tool_operators::interpolate, "interpolate", numbers, "",
       "Missing values on the line between the values before and after; scan only.", true,
       scan_only},
      {tool_operators::interpolate_by, "interpolate-by", pairs, "",
       "The same, of a column x over the values of a column y, such as a time; scan only.", true,
       scan_only},
      {tool_operators::session, "session", numbers, "GAP",
       "Number of the session of each time: a new one begins after a gap of more than GAP (30min, "
       "2h, or a number).",
       true},
      {tool_operators::run, "run", numbers, "",
       "Number of the run of equal values, from 1; the last is how many there are.", true},
      {tool_operators::drawdown, "drawdown", numbers, "",
       "How far the value is below the largest so far; in f64.", true},
      {tool_operators::relative_drawdown, "relative-drawdown", numbers, "",
       "The same, divided by the largest so far.", true},
      {tool_operators::max_drawdown, "max-drawdown", numbers, "",
       "The largest drawdown so far: the deepest fall from a value to a later one.", true},
  };
}

/// Further means, frequencies, the k-th largest and smallest values, and exact decimals.
std::vector<listed_operator> tools_own_of_values() {
  using enum catalog::operand_kind;
  using enum available;
  return {
      {tool_operators::geometric_mean, "geometric-mean", numbers, "",
       "exp of the mean of the logarithms; nan if a value is negative.", true},
      {tool_operators::harmonic_mean, "harmonic-mean", numbers, "",
       "Reciprocal of the mean of the reciprocals.", true},
      {tool_operators::rms, "rms", numbers, "", "Root of the mean of the squares.", true},
      {tool_operators::mode, "mode", numbers, "",
       "Most frequent value, of several the smallest; reduce only, and keeps all in memory.", true,
       reduce_only},
      {tool_operators::largest, "largest", numbers, "K",
       "K-th largest value, or none if there are fewer; reduce only, and keeps all in memory.",
       true, reduce_only},
      {tool_operators::smallest, "smallest", numbers, "K", "K-th smallest value; reduce only.",
       true, reduce_only},
      {tool_operators::top, "top", numbers, "K",
       "largest:1 to largest:K, the K largest values, K results; reduce only.", true, reduce_only},
      {tool_operators::decimal_sum, "decimal-sum", text, "", "Exact sum of written decimals.",
       false},
      {tool_operators::decimal_mean, "decimal-mean", text, "",
       "Mean of written decimals: exact if it has finitely many digits, otherwise with six more "
       "than they.",
       false},
      {tool_operators::decimal_product, "decimal-product", text, "",
       "Exact product of written decimals, up to 38 digits.", false},
      {tool_operators::distinct_list, "distinct-list", text, "[SEPARATOR]",
       "The distinct strings in the order of their first rows, joined by SEPARATOR (default: a "
       "comma); reduce only.",
       false, reduce_only},
      {tool_operators::window_by, "window-by", pairs, "W:OPERATOR",
       "OPERATOR over the rows whose times are less than W (7d, 30min, or a number) before that of "
       "the row, of a column x by the times of a column t; scan only.",
       true, scan_only},
  };
}

}  // namespace

std::vector<listed_operator> const& operators() {
  static std::vector<listed_operator> const all = [] {
    std::vector<listed_operator> entries;
    for (auto const& e : catalog::operators)
      entries.push_back({e.id, e.name, e.takes, e.parameter, e.meaning, e.ordered});
    for (auto const& d : catalog::derived)
      entries.push_back({d.id, d.name, d.takes, d.parameter, d.meaning, true});
    for (auto const& here : tools_own()) entries.push_back(here);
    for (auto const& here : tools_own_of_order()) entries.push_back(here);
    for (auto const& here : tools_own_of_values()) entries.push_back(here);
    return entries;
  }();
  return all;
}

std::vector<std::string> operator_names() {
  std::vector<std::string> names;
  for (auto const& entry : operators()) names.emplace_back(entry.name);
  return names;
}

listed_operator const& listed(catalog::id id) {
  return operators()[static_cast<std::size_t>(id)];
}

namespace {

listed_operator const& find_operator(std::string_view name) {
  auto const& all = operators();
  auto const found = std::ranges::find(all, name, &listed_operator::name);
  if (found != all.end()) return *found;
  throw io::usage_error(
      fmt::format("--op: '{}' is not an operator{} ('upsweep list' shows them all).", name,
                  operator_hint(name)));
}

/// The operators that give the results of an operator with several results.
std::vector<catalog::id> parts_of(catalog::id id, std::string const& parameter) {
  using enum catalog::id;
  if (id == tool_operators::top)
    return std::vector(parse_place(parameter, "--op top:" + parameter), tool_operators::largest);
  if (id == minmax) return {min, max};
  if (id == moments) return {count, mean, var};
  if (id == central_moments) return {count, mean, var, skewness, kurtosis};
  if (id == comoments) return {covariance, correlation, slope, intercept};
  if (id == weighted_moments) return {weighted_mean, weighted_var};
  return {id};
}

}  // namespace

namespace {

/// Takes the part of `rest` up to the next ':' that is not in quotes, and the ':'; all of it if
/// there is none. A quote without an end is an ordinary character.
std::string take_part(std::optional<std::string>& rest) {
  std::size_t colon = 0;
  while (colon < rest->size() && (*rest)[colon] != ':') {
    bool const is_quote = std::string_view("\"'`").find((*rest)[colon]) != std::string_view::npos;
    auto const end = is_quote ? rest->find((*rest)[colon], colon + 1) : std::string::npos;
    colon = end == std::string::npos ? colon + 1 : end + 1;
  }
  if (colon == rest->size()) colon = std::string::npos;
  std::string part = rest->substr(0, colon);
  rest = colon == std::string::npos ? std::nullopt : std::optional(rest->substr(colon + 1));
  return part;
}

/// What an operator's parameter must be, if it is or begins with a number, and an example.
struct needed_number {
  std::string_view name, what, example;
};
constexpr needed_number needed_numbers[] = {
    {"ema", "a number above 0 and at most 1", "0.1"},
    {"quantile", "a number from 0 to 1", "0.9"},
    {"polynomial", "a number", "2"},
    {"recurrence", "one to four numbers", "0.5:0.25"},
    {"window", "a number of rows and an operator", "7:mean"},
    {"ntile", "a number of parts", "4"},
    {"largest", "which one is wanted, from 1", "2"},
    {"smallest", "which one is wanted, from 1", "2"},
    {"top", "how many values are wanted", "3"}};

/// Throws if the parameter does not begin with a number: it is most often the column.
void expect_number(std::string const& word, listed_operator const& entry,
                   std::string const& parameter, std::optional<std::string> const& rest) {
  auto const* const needed = std::ranges::find(needed_numbers, entry.name, &needed_number::name);
  if (needed == std::end(needed_numbers)) return;
  std::string const first = parameter.substr(0, parameter.find(':'));
  if (io::is_number(first)) return;
  if (entry.id == tool_operators::window && read_span(first))
    throw io::usage_error(fmt::format(
        "--op {0}: windows over time need their times; write --op window-by:{1}:{2}{3}.", word,
        parameter, rest.value_or("COLUMN"),
        rest.value_or("").find(':') == std::string::npos ? ":TIME" : ""));
  std::string const column = rest ? *rest : entry.id == tool_operators::window ? "" : first;
  throw io::usage_error(fmt::format("--op {0}: {1}:{2} needs {3}, as in --op {1}:{4}{5}.", word,
                                    entry.name, entry.parameter, needed->what, needed->example,
                                    column.empty() ? "" : ":" + column));
}

/// Whether there is no further ':', and it has letters or digits: a column, and not a separator.
bool is_only_word(std::optional<std::string> rest) {
  auto const part = take_part(rest);
  return !rest && std::ranges::any_of(part, [](char c) {
    return static_cast<signed char>(c) < 0 || std::isalnum(static_cast<unsigned char>(c)) != 0;
  });
}

/// Takes the parameter of an operator from what follows its name and a ':'.
std::string take_parameter(listed_operator const& entry, std::optional<std::string>& rest) {
  if (entry.parameter.empty() || !rest) return "";
  if (entry.parameter == "[K]" && !rest->empty() &&
      !io::is_number(rest->substr(0, rest->find(':'))))
    return "";  // lag:price
  constexpr std::string_view descending = "descending";
  auto const next_is_descending = [&] {
    return rest && rest->substr(0, rest->find(':')) == descending;
  };
  if (entry.parameter == "[descending]" && !next_is_descending()) return "";  // rank:price
  if (entry.parameter == "[SEPARATOR]" && is_only_word(rest)) return "";      // distinct-list:name
  std::string parameter = take_part(rest);
  bool const joins = entry.id == catalog::id::concat || entry.id == tool_operators::distinct_list;
  if (joins && parameter.empty() && !rest)
    throw io::usage_error(fmt::format(
        "--op {0}: the separator after ':' is missing; a comma, which separates operators, needs "
        "quotes: --op '{0}:\",\":COLUMN'.",
        entry.name));
  bool const is_quoted = parameter.size() > 2 && parameter.front() == parameter.back() &&
                         (parameter[0] == '"' || parameter[0] == '\'');
  if (joins && is_quoted) parameter = parameter.substr(1, parameter.size() - 2);
  auto const take_another = [&] {
    parameter += ':';
    parameter += take_part(rest);
  };
  if (entry.parameter == "W:OPERATOR" && rest) take_another();
  if (entry.parameter == "N[:descending]" && next_is_descending()) take_another();
  while (entry.parameter.ends_with("...") && rest &&
         io::is_number(rest->substr(0, rest->find(':'))))
    take_another();
  return parameter;
}

/// Takes from what follows the name of an operator of several columns, "x:y", all but the first.
std::vector<std::string> other_columns(std::string const& word, listed_operator const& entry,
                                       std::optional<std::string>& rest) {
  std::vector<std::string> columns;
  bool const may_name_another = is_arg_extremum(entry.id);  // argmax:price:name
  std::size_t const wanted = may_name_another ? 2 : columns_of(entry.takes);
  if (!rest || wanted == 1) return columns;
  for (auto left = std::exchange(rest, std::nullopt); left;) columns.push_back(take_part(left));
  bool const fits = columns.size() == wanted || (may_name_another && columns.size() == 1);
  if (!fits || std::ranges::find(columns, "") != columns.end())
    throw io::usage_error(
        may_name_another
            ? fmt::format("--op {0}: {1} takes a column, and perhaps another whose field in that "
                          "row is wanted; write --op {1}:X or {1}:X:NAME.",
                          word, entry.name)
            : fmt::format("--op {}: {} takes {} columns; write --op {}:{}{}, or choose them "
                          "with --column.",
                          word, entry.name, wanted, entry.name,
                          entry.parameter.empty() ? "" : std::string(entry.parameter) + ":",
                          wanted == 2 ? "X:Y" : "A:B:C:D"));
  rest = columns.front();
  columns.erase(columns.begin());
  return columns;
}

}  // namespace

std::vector<operator_use> parse_operators(std::vector<std::string> const& words) {
  std::vector<operator_use> uses;
  for (auto const& word : words) {
    auto const as = word.rfind(" as ");
    std::string const alias = as == std::string::npos ? "" : word.substr(as + 4);
    std::optional<std::string> rest = word.substr(0, as);
    auto const& entry = find_operator(take_part(rest));
    std::string const parameter = take_parameter(entry, rest);
    expect_number(word, entry, parameter, rest);
    if (rest && rest->empty())
      throw io::usage_error(
          fmt::format("--op {}: the column after ':' is missing; write --op {}:COLUMN.", word,
                      word.substr(0, word.size() - 1)));
    auto const others = other_columns(word, entry, rest);
    auto const parts = parts_of(entry.id, parameter);
    if (as != std::string::npos && (alias.empty() || parts.size() > 1))
      throw io::usage_error(fmt::format(
          "--op {}: {}", word,
          alias.empty()
              ? "the name after 'as' is missing."
              : fmt::format("{} has several results, which cannot have one name.", entry.name)));
    for (std::size_t p = 0; p < parts.size(); ++p)
      uses.push_back({parts[p], std::string(listed(parts[p]).name),
                      entry.id == tool_operators::top ? std::to_string(p + 1) : parameter,
                      rest.value_or(""), others, alias});
  }
  return uses;
}

bool is_arg_extremum(catalog::id id) noexcept {
  using enum catalog::id;
  return id == argmin || id == argmax || id == argmin_last || id == argmax_last;
}

bool takes_texts_only(operator_use const& use) noexcept {
  return use.id == catalog::id::concat || use.id == tool_operators::distinct_list ||
         is_decimal(use.id) || (is_arg_extremum(use.id) && !use.others.empty());
}

bool takes_texts(operator_use const& use) noexcept {
  using enum catalog::id;
  auto const id = use.id;
  return takes_texts_only(use) || id == min || id == max || id == first || id == last ||
         id == count || id == tool_operators::distinct || id == tool_operators::mode ||
         id == tool_operators::run || id == tool_operators::session;
}

bool orders_texts(operator_use const& use) noexcept {
  using enum catalog::id;
  return use.id == min || use.id == max || use.id == tool_operators::mode;
}

bool shows_texts(operator_use const& use) noexcept {
  using enum catalog::id;
  return orders_texts(use) || use.id == first || use.id == last ||
         use.id == tool_operators::distinct || use.id == tool_operators::run;
}

bool shows_numbers(operator_use const& use) noexcept {
  auto const id = use.id;
  bool const one_of_window =
      (id == tool_operators::window || id == tool_operators::window_by) &&
      (use.parameter.ends_with(":min") || use.parameter.ends_with(":max") ||
       use.parameter.ends_with(":first") || use.parameter.ends_with(":last"));
  return one_of_window || id == tool_operators::lag || id == tool_operators::lead ||
         id == tool_operators::largest || id == tool_operators::smallest ||
         id == tool_operators::top;
}

bool looks_ahead(catalog::id id) noexcept {
  return id == tool_operators::distinct ||
         (id >= tool_operators::lead && id <= tool_operators::interpolate_by);
}

std::size_t columns_of(catalog::operand_kind takes) {
  using enum catalog::operand_kind;
  return takes == maps || takes == pairs ? 2 : takes == matrices ? 4 : 1;
}
bool takes_several_columns(catalog::id id) {
  return columns_of(listed(id).takes) > 1;
}

std::vector<operator_use> applied(std::vector<operator_use> const& uses, std::size_t columns) {
  std::vector<operator_use> all, general;
  for (auto const& use : uses)
    if (!use.at) general.push_back(use);
  for (std::size_t c = 0; c < columns; ++c)
    for (auto const& use : general) all.emplace_back(use).at = c;
  for (auto const& use : uses)
    if (use.at) all.push_back(use);
  return all;
}

}  // namespace upsweep::cli
