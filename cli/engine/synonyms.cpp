/// What other tools call the operators: those of the library, and uses of one.
#include <cli/engine/operators.hpp>

#include <text/nearest.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <string_view>

namespace upsweep::cli {

namespace {

/// Words of datamash, Miller, SQL, pandas, R and others, with blanks between them.
struct synonyms {
  std::string_view operators, words;
};
constexpr synonyms all[] = {
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
  for (auto const& [operators, words] : all)
    if (is_among(words)) return fmt::format("; did you mean {}?", operators);
  if (auto const quantile = quantile_of(word); !quantile.empty())
    return fmt::format("; did you mean '{}'?", quantile);
  return text::did_you_mean(name, operator_names());
}

}  // namespace upsweep::cli
