/// The table of operators, and how they are written on the command line.
#include <cli/engine/operators.hpp>
#include <cli/engine/parameters.hpp>
#include <cli/engine/stream_aggregate.hpp>
#include <cli/engine/tool_operators.hpp>

#include <io/error.hpp>
#include <io/number.hpp>
#include <io/text_types.hpp>
#include <text/nearest.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <memory>
#include <optional>
#include <utility>

namespace upsweep::cli {

namespace {

/// The parameter of an operator of the library, of which the catalog has the name.
operator_parameter parameter_of(catalog::id op, std::string_view name) {
  if (op == catalog::id::ema) return {name, "a number above 0 and at most 1", "0.1"};
  if (op == catalog::id::concat) return {name, "what separates the strings", ";"};
  return {name, "", ""};
}

/// What is true of operators of the library.
unsigned traits_of(catalog::id op, bool is_ordered) {
  using namespace trait;
  using enum catalog::id;
  unsigned const known = is_ordered ? 0 : unordered;
  if (op == min || op == max) return known | takes_strings | orders_strings | shows_strings;
  if (op == first || op == last) return known | takes_strings | shows_strings;
  if (op == count) return known | takes_strings;
  if (op == concat) return known | only_strings;
  bool const finds = op == argmin || op == argmax || op == argmin_last || op == argmax_last;
  return finds ? known | finds_row : known;
}

}  // namespace

std::vector<operator_row> const& operators() {
  static std::vector<operator_row> const all = [] {
    std::vector<operator_row> rows;
    auto const add = [&](auto const& of, bool is_ordered) {
      rows.push_back({.name = of.name,
                      .parameter = parameter_of(of.id, of.parameter),
                      .meaning = of.meaning,
                      .traits = traits_of(of.id, is_ordered),
                      .takes = of.takes,
                      .id = of.id});
    };
    for (auto const& e : catalog::operators) add(e, e.ordered);
    for (auto const& d : catalog::derived) add(d, true);
    for (auto row : tool_operators) {
      row.id = static_cast<catalog::id>(rows.size());
      rows.push_back(row);
    }
    return rows;
  }();
  return all;
}

std::vector<std::string> operator_names() {
  std::vector<std::string> names;
  for (auto const& entry : operators()) names.emplace_back(entry.name);
  return names;
}

operator_row const& listed(catalog::id id) {
  return operators()[static_cast<std::size_t>(id)];
}

namespace {

/// What other tools call the operators: words of datamash, Miller, SQL, pandas, R and others, with
/// blanks between them.
struct synonyms {
  std::string_view operators, words;
};
constexpr synonyms words_of_others[] = {
    {"'mean'", "avg average mean-value"},
    {"'sum'", "total add cumsum rsum running-sum running-total cumulative-sum partial-sum psum"},
    {"'sample-std' or, of a population, 'std'", "sd stdev stddev standard-deviation sstdev pstdev"},
    {"'std'", "stddev-pop"},
    {"'sample-std'", "stddev-samp"},
    {"'sample-var' or, of a population, 'var'", "variance"},
    {"'var'", "pvar var-pop"},
    {"'sample-var'", "svar var-samp"},
    {"'product'", "prod mul cumprod rprod"},
    {"'distinct-list' or, for how many there are, 'distinct'", "unique uniq"},
    {"'min'", "minimum cummin lowest"},
    {"'max'", "maximum cummax highest"},
    {"'minmax'", "range extent"},
    {"'count'", "n len length size cumcount number counter"},
    {"'quantile:Q', with Q from 0 to 1",
     "percentile perc pctl quantiles percentiles percentile-cont"},
    {"'quantile:0.25'", "q1"},
    {"'quantile:0.75'", "q3"},
    {"'last' with --carry-missing",
     "ffill fill-down forward-fill fillna pad last-value-ignore-nulls locf"},
    {"'last' with --reverse --carry-missing", "bfill fill-up backward-fill backfill"},
    {"'weighted-mean:X:WEIGHT'", "wmean wavg weighted-avg weighted-average"},
    {"'ntile:4'", "quartile"},
    {"'ntile:10'", "decile"},
    {"'window:W:mean'",
     "movavg moving-average moving-avg moving-mean rolling-mean rolling-average running-mean "
     "running-average sma"},
    {"'window:W:sum'", "rolling-sum moving-sum"},
    {"'ema:WEIGHT'", "ewma ewm exponential-moving-average"},
    {"'concat'", "collapse join group-concat string-agg listagg list array-agg"},
    {"'correlation'", "corr pearson ppearson spearson"},
    {"'covariance'", "cov scov pcov covar covar-pop covar-samp"},
    {"'slope'", "regr-slope"},
    {"'intercept'", "regr-intercept"},
    {"'kurtosis'", "kurt pkurt skurt"},
    {"'skewness'", "skew pskew sskew"},
    {"'argmax:X:NAME'", "max-by arg-max argmax-by idxmax which-max"},
    {"'argmin:X:NAME'", "min-by arg-min argmin-by idxmin which-min"},
    {"'first'", "first-value any-value"},
    {"'last'", "last-value"},
    {"'largest:K' or 'top:K'", "nlargest nth-largest"},
    {"'exact-sum'", "fsum kahan kahan-sum sumkahan"}};

/// "quantile:0.95" of "p95", "quantile:0.999" of "p99.9"; empty if `word` is no percentile.
std::string quantile_of(std::string_view word) {
  if (!word.starts_with('p') || word.size() < 2) return "";
  std::string_view const percent = word.substr(1), whole = percent.substr(0, percent.find('.'));
  std::string_view const rest = percent.substr(std::min(percent.size(), whole.size() + 1));
  std::string digits = fmt::format("{:0>2}{}", whole, rest);
  bool const is_percent = !whole.empty() && whole.size() <= 2 &&
                          digits.find_first_not_of("0123456789") == std::string::npos;
  if (!is_percent) return "";
  return digits == "50" ? "median" : "quantile:0." + digits;
}

}  // namespace

std::string operator_hint(std::string_view name) {
  if (auto const open = name.find('('); open > 0 && name.ends_with(')')) {  // sum(x)
    auto const column = name.substr(open + 1, name.size() - open - 2);
    auto const wanted = name.substr(0, open);
    for (auto const& row : operators())
      if (row.name == wanted)
        return fmt::format("; write '{}{}{}:{}'", wanted, row.parameter.name.empty() ? "" : ":",
                           row.parameter.name, column.empty() ? "COLUMN" : column);
  }
  std::string word(name);
  for (char& c : word) c = c == '_' ? '-' : c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c;
  auto const same = std::ranges::find(operators(), word, &operator_row::name);
  if (same != operators().end()) return fmt::format("; did you mean '{}'?", word);
  auto const is_among = [&](std::string_view words) {
    return fmt::format(" {} ", words).find(fmt::format(" {} ", word)) != std::string::npos;
  };
  for (auto const& row : operators())
    if (auto const& parameter = row.parameter; is_among(row.also_called))
      return fmt::format("; did you mean '{}{}{}'?", row.name,
                         parameter.is_optional() || parameter.name.empty() ? "" : ":",
                         parameter.is_optional() ? "" : parameter.name);
  for (auto const& [operators, words] : words_of_others)
    if (is_among(words)) return fmt::format("; did you mean {}?", operators);
  if (auto const quantile = quantile_of(word); !quantile.empty())
    return fmt::format("; did you mean '{}'?", quantile);
  return text::did_you_mean(name, operator_names());
}

namespace {

operator_row const& find_operator(std::string_view name) {
  auto const& all = operators();
  auto const found = std::ranges::find(all, name, &operator_row::name);
  if (found != all.end()) return *found;
  throw io::usage_error("--op: '{}' is not an operator{} ('upsweep list' shows them all).", name,
                        operator_hint(name));
}

/// The operators that give the results of an operator with several results.
std::vector<catalog::id> parts_of(operator_row const& entry, std::string const& parameter) {
  using enum catalog::id;
  auto const id = entry.id;
  if (entry.name == "top")
    return std::vector(parse_place(parameter, "--op top:" + parameter),
                       find_operator("largest").id);
  if (id == minmax) return {min, max};
  if (id == moments) return {count, mean, var};
  if (id == central_moments) return {count, mean, var, skewness, kurtosis};
  if (id == comoments) return {covariance, correlation, slope, intercept};
  if (id == weighted_moments) return {weighted_mean, weighted_var};
  return {id};
}

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

/// Throws if the parameter has to begin with a number and does not: it is most often the column.
void expect_number(std::string const& word, operator_row const& entry, std::string const& parameter,
                   std::optional<std::string> const& rest) {
  auto const& [name, needed, example] = entry.parameter;
  auto const first_of = [](std::string_view all) {
    return std::string(all.substr(0, all.find(':')));
  };
  std::string const first = first_of(parameter);
  if (entry.parameter.is_optional() || !io::is_number(first_of(example)) || io::is_number(first))
    return;
  bool const is_window = entry.name == "window";
  if (is_window && read_span(first))
    throw io::usage_error(
        "--op {0}: windows over time need their times; write --op window-by:{1}:{2}{3}.", word,
        parameter, rest.value_or("COLUMN"),
        rest.value_or("").find(':') == std::string::npos ? ":TIME" : "");
  std::string const column = rest ? *rest : is_window ? "" : first;
  throw io::usage_error("--op {0}: {1}:{2} needs {3}, as in --op {1}:{4}{5}.", word, entry.name,
                        name, needed, example, column.empty() ? "" : ":" + column);
}

/// Whether there is no further ':', and it has letters or digits: a column, and not a separator.
bool is_only_word(std::optional<std::string> rest) {
  auto const part = take_part(rest);
  return !rest && std::ranges::any_of(part, [](char c) {
    return static_cast<signed char>(c) < 0 || std::isalnum(static_cast<unsigned char>(c)) != 0;
  });
}

/// Takes the parameter of an operator from what follows its name and a ':'.
std::string take_parameter(operator_row const& entry, std::optional<std::string>& rest) {
  auto const wanted = entry.parameter.name;
  if (wanted.empty() || !rest) return "";
  if (wanted == "[K]" && !rest->empty() && !io::is_number(rest->substr(0, rest->find(':'))))
    return "";  // lag:price
  constexpr std::string_view descending = "descending";
  auto const next_is_descending = [&] {
    return rest && rest->substr(0, rest->find(':')) == descending;
  };
  if (wanted == "[descending]" && !next_is_descending()) return "";  // rank:price
  if (wanted == "[SEPARATOR]" && is_only_word(rest)) return "";      // distinct-list:name
  std::string parameter = take_part(rest);
  bool const joins = wanted == "[SEPARATOR]";
  if (joins && parameter.empty() && !rest)
    throw io::usage_error(
        "--op {0}: the separator after ':' is missing; a comma, which separates operators, needs "
        "quotes: --op '{0}:\",\":COLUMN'.",
        entry.name);
  bool const is_quoted = parameter.size() > 2 && parameter.front() == parameter.back() &&
                         (parameter[0] == '"' || parameter[0] == '\'');
  if (joins && is_quoted) parameter = parameter.substr(1, parameter.size() - 2);
  auto const take_another = [&] {
    parameter += ':';
    parameter += take_part(rest);
  };
  if (wanted == "W:OPERATOR" && rest) take_another();
  if (wanted == "N[:descending]" && next_is_descending()) take_another();
  while (wanted.ends_with("...") && rest && io::is_number(rest->substr(0, rest->find(':'))))
    take_another();
  return parameter;
}

/// Takes from what follows the name of an operator of several columns, "x:y", all but the first.
std::vector<std::string> other_columns(std::string const& word, operator_row const& entry,
                                       std::optional<std::string>& rest) {
  std::vector<std::string> columns;
  bool const may_name_another = entry.is(trait::finds_row);  // argmax:price:name
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
            : fmt::format(
                  "--op {}: {} takes {} columns; write --op {}:{}{}, or choose them with --column.",
                  word, entry.name, wanted, entry.name,
                  entry.parameter.name.empty() ? "" : std::string(entry.parameter.name) + ":",
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
      throw io::usage_error("--op {}: the column after ':' is missing; write --op {}:COLUMN.", word,
                            word.substr(0, word.size() - 1));
    auto const others = other_columns(word, entry, rest);
    auto const parts = parts_of(entry, parameter);
    if (as != std::string::npos && (alias.empty() || parts.size() > 1))
      throw io::usage_error(
          "--op {}: {}", word,
          alias.empty()
              ? "the name after 'as' is missing."
              : fmt::format("{} has several results, which cannot have one name.", entry.name));
    for (std::size_t p = 0; p < parts.size(); ++p)
      uses.push_back({parts[p], std::string(listed(parts[p]).name),
                      entry.name == "top" ? std::to_string(p + 1) : parameter, rest.value_or(""),
                      others, alias});
  }
  return uses;
}

bool takes_texts_only(operator_use const& use) {
  return is(use.id, trait::only_strings) || (is(use.id, trait::finds_row) && !use.others.empty());
}

bool takes_texts(operator_use const& use) {
  return takes_texts_only(use) || is(use.id, trait::takes_strings);
}

bool shows_numbers(operator_use const& use) {
  bool const is_window = use.name == "window" || use.name == "window-by";
  auto const shows = {":min", ":max", ":first", ":last"};
  return is(use.id, trait::shows_numbers) ||
         (is_window &&
          std::ranges::any_of(shows, [&](auto const* op) { return use.parameter.ends_with(op); }));
}

bool compares_numbers(operator_use const& use) {
  return is(use.id, trait::ranks) || (is(use.id, trait::finds_row) && use.others.empty());
}

std::unique_ptr<aggregate> make_aggregate(operator_use const& use, io::dtype type,
                                          aggregate_settings const& settings) {
  if (use.id == catalog::id::ema) return make_exponential_average(use, type, settings);
  auto const& row = listed(use.id);
  if (row.make == nullptr) return make_streamed(use.id, use, type, settings);
  if (!row.is(trait::takes_initial)) refuse_initial(use.name, settings);
  if (settings.on_gpu != nullptr)
    refuse_on_gpu(use.name, row.is(trait::in_f64) ? "f64" : name_of(type));
  return row.make(use, type, settings);
}

void refuse_initial(std::string const& name, aggregate_settings const& settings) {
  if (settings.initial)
    throw io::usage_error("--init: {} takes no initial value; omit --init.", name);
}

std::size_t columns_of(catalog::operand_kind takes) {
  using enum catalog::operand_kind;
  return takes == maps || takes == pairs ? 2 : takes == matrices ? 4 : 1;
}
bool takes_several_columns(catalog::id id) {
  return columns_of(listed(id).takes) > 1;
}

}  // namespace upsweep::cli
