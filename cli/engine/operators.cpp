/// The table of operators, and how they are written on the command line.
#include <cli/engine/operators.hpp>

#include <io/error.hpp>
#include <io/text_types.hpp>
#include <text/nearest.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <utility>

namespace upsweep::cli {

namespace {

std::vector<listed_operator> tools_own() {
  using enum catalog::operand_kind;
  using enum available;
  return {
      {only_here::median, "median", numbers, "",
       "Median, in f64; reduce only, and keeps all values in memory.", true, reduce_only},
      {only_here::quantile, "quantile", numbers, "Q",
       "Quantile Q from 0 to 1, between neighbours linearly, as numpy.quantile; like median.", true,
       reduce_only},
      {only_here::distinct, "distinct", numbers, "",
       "How many different values there are; reduce only, and keeps them in memory.", true,
       reduce_only},
      {only_here::polynomial, "polynomial", numbers, "X",
       "Value at X of the polynomial with these coefficients, the highest power first; in f64.",
       true},
      {only_here::recurrence, "recurrence", numbers, "A:B:...",
       "y[i] = x[i] + A y[i-1] + B y[i-2] + ..., up to four coefficients; in f64.", true},
      {only_here::window, "window", numbers, "W:OPERATOR",
       "Result over this row and the W - 1 rows before it, or as many as there are; scan only.",
       true, scan_only},
      {only_here::lag, "lag", numbers, "[K]",
       "Value K rows before (default 1); nan, or --init, where there is none; scan only.", true,
       scan_only},
      {only_here::diff, "diff", numbers, "[K]",
       "Difference from the value K rows before (default 1), like lag; scan only.", true,
       scan_only},
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

/// "; did you mean 'mean'?" for what other tools call an operator, or for a word with a typing
/// mistake.
std::string hint_for(std::string_view name) {
  struct synonym {
    std::string_view word, names;
  };
  static constexpr synonym synonyms[] = {{"avg", "'mean'"},
                                         {"average", "'mean'"},
                                         {"sd", "'sample-std' or, of a population, 'std'"},
                                         {"stdev", "'sample-std' or, of a population, 'std'"},
                                         {"stddev", "'sample-std' or, of a population, 'std'"},
                                         {"variance", "'sample-var' or, of a population, 'var'"},
                                         {"total", "'sum'"},
                                         {"cumsum", "'sum'"},
                                         {"add", "'sum'"},
                                         {"prod", "'product'"},
                                         {"mul", "'product'"},
                                         {"cumprod", "'product'"},
                                         {"minimum", "'min'"},
                                         {"cummin", "'min'"},
                                         {"maximum", "'max'"},
                                         {"cummax", "'max'"},
                                         {"range", "'minmax'"},
                                         {"n", "'count'"},
                                         {"len", "'count'"},
                                         {"length", "'count'"},
                                         {"size", "'count'"},
                                         {"percentile", "'quantile:Q', with Q from 0 to 1"},
                                         {"perc", "'quantile:Q', with Q from 0 to 1"},
                                         {"q1", "'quantile:0.25'"},
                                         {"q3", "'quantile:0.75'"},
                                         {"nunique", "'distinct'"},
                                         {"unique", "'distinct'"},
                                         {"countunique", "'distinct'"},
                                         {"shift", "'lag'"},
                                         {"delta", "'diff'"},
                                         {"rolling", "'window:W:OPERATOR'"},
                                         {"movavg", "'window:W:mean'"},
                                         {"moving-average", "'window:W:mean'"},
                                         {"collapse", "'concat'"},
                                         {"join", "'concat'"},
                                         {"ewma", "'ema:WEIGHT'"},
                                         {"ewm", "'ema:WEIGHT'"}};
  auto const found = std::ranges::find(synonyms, name, &synonym::word);
  if (found != std::ranges::end(synonyms)) return fmt::format("; did you mean {}?", found->names);
  std::string_view const digits = name.substr(std::min<std::size_t>(1, name.size()));
  bool const percentile = name.starts_with('p') && !digits.empty() && digits.size() <= 2 &&
                          digits.find_first_not_of("0123456789") == std::string_view::npos;
  if (percentile && digits == "50") return "; did you mean 'median'?";
  if (percentile)
    return fmt::format("; did you mean 'quantile:0.{}{}'?", digits.size() == 1 ? "0" : "", digits);
  return text::did_you_mean(name, operator_names());
}

listed_operator const& find_operator(std::string_view name) {
  auto const& all = operators();
  auto const found = std::ranges::find(all, name, &listed_operator::name);
  if (found != all.end()) return *found;
  throw io::usage_error(fmt::format(
      "--op: '{}' is not an operator{} ('upsweep list' shows them all).", name, hint_for(name)));
}

/// The operators that give the results of an operator with several results.
std::vector<catalog::id> parts_of(catalog::id id) {
  using enum catalog::id;
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
    {"window", "a number of rows and an operator", "7:mean"}};

/// Throws if the parameter does not begin with a number: it is most often the column.
void expect_number(std::string const& word, listed_operator const& entry,
                   std::string const& parameter, std::optional<std::string> const& rest) {
  auto const* const needed = std::ranges::find(needed_numbers, entry.name, &needed_number::name);
  if (needed == std::end(needed_numbers)) return;
  std::string const first = parameter.substr(0, parameter.find(':'));
  if (io::is_number(first)) return;
  std::string const column = rest ? *rest : entry.id == only_here::window ? "" : first;
  throw io::usage_error(fmt::format("--op {0}: {1}:{2} needs {3}, as in --op {1}:{4}{5}.", word,
                                    entry.name, entry.parameter, needed->what, needed->example,
                                    column.empty() ? "" : ":" + column));
}

/// Takes the parameter of an operator from what follows its name and a ':'.
std::string take_parameter(listed_operator const& entry, std::optional<std::string>& rest) {
  if (entry.parameter.empty() || !rest) return "";
  if (entry.parameter == "[K]" && !rest->empty() &&
      !io::is_number(rest->substr(0, rest->find(':'))))
    return "";  // lag:price
  std::string parameter = take_part(rest);
  if (entry.id == catalog::id::concat && parameter.empty() && !rest)
    throw io::usage_error(
        "--op concat: the separator after ':' is missing; a comma cannot be one, because it "
        "separates operators.");
  auto const take_another = [&] {
    parameter += ':';
    parameter += take_part(rest);
  };
  if (entry.parameter == "W:OPERATOR" && rest) take_another();
  while (entry.parameter.ends_with("...") && rest &&
         io::is_number(rest->substr(0, rest->find(':'))))
    take_another();
  return parameter;
}

/// Takes from what follows the name of an operator of several columns, "x:y", all but the first.
std::vector<std::string> other_columns(std::string const& word, listed_operator const& entry,
                                       std::optional<std::string>& rest) {
  std::vector<std::string> columns;
  std::size_t const wanted = columns_of(entry.takes);
  if (!rest || wanted == 1) return columns;
  for (auto left = std::exchange(rest, std::nullopt); left;) columns.push_back(take_part(left));
  if (columns.size() != wanted || std::ranges::find(columns, "") != columns.end())
    throw io::usage_error(
        fmt::format("--op {}: {} takes {} columns; write --op {}:{}, or choose them with --column.",
                    word, entry.name, wanted, entry.name, wanted == 2 ? "X:Y" : "A:B:C:D"));
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
    auto const parts = parts_of(entry.id);
    if (as != std::string::npos && (alias.empty() || parts.size() > 1))
      throw io::usage_error(fmt::format(
          "--op {}: {}", word,
          alias.empty()
              ? "the name after 'as' is missing."
              : fmt::format("{} has several results, which cannot have one name.", entry.name)));
    for (catalog::id const part : parts)
      uses.push_back(
          {part, std::string(listed(part).name), parameter, rest.value_or(""), others, alias});
  }
  return uses;
}

bool takes_texts(catalog::id id) noexcept {
  using enum catalog::id;
  return id == min || id == max || id == first || id == last || id == count || id == concat ||
         id == only_here::distinct;
}

std::size_t columns_of(catalog::operand_kind takes) {
  using enum catalog::operand_kind;
  return takes == maps || takes == pairs ? 2 : takes == matrices ? 4 : 1;
}
bool takes_several_columns(catalog::id id) {
  return columns_of(listed(id).takes) > 1;
}

std::vector<operator_use> applied(std::vector<operator_use> const& uses, std::size_t columns) {
  std::vector<operator_use> all;
  for (std::size_t c = 0; c < columns; ++c)
    for (auto const& use : uses)
      if (!use.at) all.emplace_back(use).at = c;
  for (auto const& use : uses)
    if (use.at) all.push_back(use);
  return all;
}

}  // namespace upsweep::cli
