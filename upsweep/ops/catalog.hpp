/// The table of contents of ops/: every operator with its type and name, and what it says about
/// itself; and the results that are derived from another operator's.
#pragma once

#include <upsweep/ops/affine.hpp>
#include <upsweep/ops/arg_extrema.hpp>
#include <upsweep/ops/arithmetic.hpp>
#include <upsweep/ops/bitwise.hpp>
#include <upsweep/ops/central_moments.hpp>
#include <upsweep/ops/checked.hpp>
#include <upsweep/ops/comoments.hpp>
#include <upsweep/ops/concat.hpp>
#include <upsweep/ops/exact_sum.hpp>
#include <upsweep/ops/extrema.hpp>
#include <upsweep/ops/first_last.hpp>
#include <upsweep/ops/gcd.hpp>
#include <upsweep/ops/log_sum_exp.hpp>
#include <upsweep/ops/logical.hpp>
#include <upsweep/ops/matrix2x2.hpp>
#include <upsweep/ops/min_max.hpp>
#include <upsweep/ops/moments.hpp>
#include <upsweep/ops/weighted_moments.hpp>

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <type_traits>

namespace upsweep::catalog {

/// The operators, first those of upsweep.h, which numbers them in this order, from 1; then the
/// results that are derived from one. A new operator goes after the last one of its kind.
enum class id : std::uint8_t {
  sum,
  product,
  min,
  max,
  min_number,
  max_number,
  bit_and,
  bit_or,
  bit_xor,
  all,
  any,
  parity,
  argmin,
  argmax,
  gcd,
  checked_sum,
  checked_product,
  exact_sum,
  argmin_last,
  argmax_last,
  minmax,
  first,
  last,
  log_sum_exp,
  moments,
  central_moments,
  affine,
  comoments,
  weighted_moments,
  matrix2x2,
  concat,
  mean,
  var,
  std,
  sample_var,
  sample_std,
  count,
  skewness,
  kurtosis,
  sample_skewness,
  sample_kurtosis,
  covariance,
  sample_covariance,
  correlation,
  slope,
  intercept,
  weighted_mean,
  weighted_var,
  weighted_std,
  ema
};

/// For which elements every grouping gives the same bits.
enum class exactness { always, integers_only, never };

struct operator_entry {
  catalog::id id;
  std::string_view name;  ///< on the command line; the enumerator with hyphens
  operand_kind takes;
  std::string_view identity;
  std::string_view accumulator;
  bool commutative;
  exactness exact;
  bool ordered;  ///< as in description
  std::string_view meaning;
  std::string_view example, result;
  std::string_view parameter;
};

/// An entry with the operator's type: what the operator says about itself.
template <class Op>
struct row : operator_entry {
  using type = Op;
  static constexpr Op make() { return {}; }

  constexpr row(catalog::id op, std::string_view op_name)
      : operator_entry{op,
                       op_name,
                       Op::about.takes,
                       Op::about.identity,
                       Op::about.accumulator,
                       Op::commutative,
                       exactness_of(),
                       Op::about.ordered,
                       Op::about.meaning,
                       Op::about.example,
                       Op::about.result,
                       Op::about.parameter} {}

 private:
  static constexpr exactness exactness_of() {
    if constexpr (requires { bool{Op::exact}; })
      return Op::exact ? exactness::always : exactness::never;
    else
      return exactness::integers_only;
  }
};

/// A result that is computed from another operator's, such as `mean` from `moments`, or another
/// operator with a parameter, such as `ema:0.1`.
struct derived_entry {
  catalog::id id;
  std::string_view name;
  catalog::id from;
  std::string_view parameter;  ///< its name; empty when there is none
  std::string_view meaning;
  operand_kind takes = operand_kind::numbers;
};

/// Calls f(row) for the operators that upsweep.h has.
template <class F>
constexpr void for_each_row_in_c(F&& f) {
  f(row<plus>{id::sum, "sum"});
  f(row<multiplies>{id::product, "product"});
  f(row<min>{id::min, "min"});
  f(row<max>{id::max, "max"});
  f(row<min_number>{id::min_number, "min-number"});
  f(row<max_number>{id::max_number, "max-number"});
  f(row<bit_and>{id::bit_and, "bit-and"});
  f(row<bit_or>{id::bit_or, "bit-or"});
  f(row<bit_xor>{id::bit_xor, "bit-xor"});
  f(row<logical_and>{id::all, "all"});
  f(row<logical_or>{id::any, "any"});
  f(row<logical_xor>{id::parity, "parity"});
  f(row<argmin>{id::argmin, "argmin"});
  f(row<argmax>{id::argmax, "argmax"});
  f(row<gcd>{id::gcd, "gcd"});
  f(row<checked_plus<>>{id::checked_sum, "checked-sum"});
  f(row<checked_multiplies<>>{id::checked_product, "checked-product"});
  f(row<exact_sum>{id::exact_sum, "exact-sum"});
}

/// Calls f(row) for each operator.
template <class F>
constexpr void for_each_row(F&& f) {
  for_each_row_in_c(f);
  f(row<argmin_last>{id::argmin_last, "argmin-last"});
  f(row<argmax_last>{id::argmax_last, "argmax-last"});
  f(row<minmax>{id::minmax, "minmax"});
  f(row<first>{id::first, "first"});
  f(row<last>{id::last, "last"});
  f(row<log_sum_exp>{id::log_sum_exp, "log-sum-exp"});
  f(row<moments>{id::moments, "moments"});
  f(row<central_moments>{id::central_moments, "central-moments"});
  f(row<affine>{id::affine, "affine"});
  f(row<comoments>{id::comoments, "comoments"});
  f(row<weighted_moments>{id::weighted_moments, "weighted-moments"});
  f(row<matrix2x2_product>{id::matrix2x2, "matrix2x2"});
  f(row<concat>{id::concat, "concat"});
}

inline constexpr std::array derived{
    derived_entry{id::mean, "mean", id::moments, "", "Mean, in f64 (Welford, Chan)."},
    derived_entry{id::var, "var", id::moments, "",
                  "Population variance: squared distances from the mean, divided by their "
                  "number."},
    derived_entry{id::std, "std", id::moments, "",
                  "Population standard deviation, the square root of var."},
    derived_entry{id::sample_var, "sample-var", id::moments, "",
                  "Unbiased variance: divided by the number of values minus 1."},
    derived_entry{id::sample_std, "sample-std", id::moments, "", "Square root of sample-var."},
    derived_entry{id::count, "count", id::moments, "", "Number of values."},
    derived_entry{id::skewness, "skewness", id::central_moments, "",
                  "Skewness g1 of the population, 0 if symmetric."},
    derived_entry{id::kurtosis, "kurtosis", id::central_moments, "",
                  "Excess kurtosis g2 of the population, 0 for a normal distribution."},
    derived_entry{id::sample_skewness, "sample-skewness", id::central_moments, "",
                  "Skewness G1 of a sample, as in pandas and spreadsheets."},
    derived_entry{id::sample_kurtosis, "sample-kurtosis", id::central_moments, "",
                  "Excess kurtosis G2 of a sample, as in pandas and spreadsheets."},
    derived_entry{id::covariance, "covariance", id::comoments, "",
                  "Population covariance of two columns x,y.", operand_kind::pairs},
    derived_entry{id::sample_covariance, "sample-covariance", id::comoments, "",
                  "Unbiased covariance: divided by the number of rows minus 1.",
                  operand_kind::pairs},
    derived_entry{id::correlation, "correlation", id::comoments, "",
                  "Pearson's correlation of two columns.", operand_kind::pairs},
    derived_entry{id::slope, "slope", id::comoments, "",
                  "Slope of the least-squares line y = slope x + intercept.", operand_kind::pairs},
    derived_entry{id::intercept, "intercept", id::comoments, "",
                  "Intercept of the same line, its value at x = 0.", operand_kind::pairs},
    derived_entry{id::weighted_mean, "weighted-mean", id::weighted_moments, "",
                  "Mean of a column x weighted by a column y.", operand_kind::pairs},
    derived_entry{id::weighted_var, "weighted-var", id::weighted_moments, "",
                  "Weighted population variance: divided by the sum of the weights.",
                  operand_kind::pairs},
    derived_entry{id::weighted_std, "weighted-std", id::weighted_moments, "",
                  "Square root of weighted-var.", operand_kind::pairs},
    derived_entry{id::ema, "ema", id::affine, "WEIGHT",
                  "Exponential moving average y[i] = (1-WEIGHT) y[i-1] + WEIGHT x[i]; y[0] = "
                  "x[0], or --init is y[-1]."},
};

// The visitors of for_each_row are named types because nvcc 13 fails on lambdas here.
struct row_counter {
  std::size_t count = 0;
  constexpr void operator()(operator_entry const&) { ++count; }
};
inline constexpr std::size_t operator_count = [] {
  row_counter rows;
  for_each_row(rows);
  return rows.count;
}();

/// How many of them upsweep.h has: the first ones.
inline constexpr std::size_t operator_count_in_c = [] {
  row_counter rows;
  for_each_row_in_c(rows);
  return rows.count;
}();

struct row_collector {
  std::array<operator_entry, operator_count> all{};
  constexpr void operator()(operator_entry const& e) { all[static_cast<std::size_t>(e.id)] = e; }
};
/// The operators without their types, by id.
inline constexpr std::array operators = [] {
  row_collector rows;
  for_each_row(rows);
  return rows.all;
}();

[[nodiscard]] constexpr operator_entry const& entry_of(id op) {
  return operators[static_cast<std::size_t>(op)];
}
[[nodiscard]] constexpr std::string_view name_of(id op) {
  return entry_of(op).name;
}

template <class Op>
struct row_finder {
  id found{};
  constexpr void operator()(row<Op> const& r) { found = r.id; }
  template <class Other>
  constexpr void operator()(row<Other> const&) {}
};
/// The id of the operator with type Op.
template <class Op>
inline constexpr id id_of = [] {
  row_finder<Op> finder;
  for_each_row(finder);
  return finder.found;
}();

/// The operator of that name, in which an underscore counts as a hyphen; null if there is none.
[[nodiscard]] constexpr operator_entry const* find(std::string_view name) noexcept {
  auto const same = [](char a, char b) { return a == b || (a == '-' && b == '_'); };
  for (operator_entry const& e : operators) {
    bool equal = e.name.size() == name.size();
    for (std::size_t i = 0; equal && i < name.size(); ++i) equal = same(e.name[i], name[i]);
    if (equal) return &e;
  }
  return nullptr;
}

/// Calls f(name, op) for each operator.
template <class F>
constexpr void for_each_operator(F const& f) {
  for_each_row([&](auto const& r) { f(r.name, r.make()); });
}

}  // namespace upsweep::catalog
