/// The operators that only the tool has: they need all values at once, those of a window, or
/// compare strings.
#pragma once

#include <cli/engine/aggregate.hpp>

#include <array>
#include <cstddef>
#include <string_view>

namespace upsweep::cli {

/// What may be true of an operator.
namespace trait {
inline constexpr unsigned
    unordered = 1 << 0,  ///< its result is no ordered number: a row number, bits or a matrix
    reduce_only = 1 << 1, scan_only = 1 << 2,
    ahead = 1 << 3,            ///< in a scan, its results depend on later rows too
    takes_initial = 1 << 4,    ///< it takes --init
    in_f64 = 1 << 5,           ///< it computes in f64, whatever the type of the values
    of_kept_values = 1 << 6,   ///< it shares the kept values of a column with others
    at_rank = 1 << 7,          ///< its result is the value at a rank
    shows_numbers = 1 << 8,    ///< its result is one of the values: a code would lose its zeros
    decimal = 1 << 9,          ///< its results are strings of exact decimals
    only_strings = 1 << 10,    ///< it takes only fields as they are written
    takes_strings = 1 << 11,   ///< it also takes strings
    orders_strings = 1 << 12,  ///< it compares strings by their order
    shows_strings = 1 << 13,   ///< its result is a string, or depends on how values are written
    finds_row = 1 << 14;       ///< argmin, argmax, argmin-last and argmax-last
}  // namespace trait

/// An operator of the catalog, a result derived from one, or one that only the tool has.
struct operator_row {
  std::string_view name;
  std::string_view parameter;  ///< "WEIGHT" in ema:WEIGHT, "W:OPERATOR" for two; empty if there is
                               ///< none; in brackets if it is optional
  std::string_view meaning;
  unsigned traits = 0;
  aggregate_maker* make = nullptr;  ///< null: a stream of the library, or made with others
  catalog::operand_kind takes = catalog::operand_kind::numbers;
  catalog::id id = {};  ///< its index in operators()

  [[nodiscard]] constexpr bool is(unsigned wanted) const noexcept { return traits & wanted; }
};

/// Their ids follow those of the catalog, in the order of this table.
inline constexpr std::array tool_operators = [] {
  using namespace trait;
  using enum catalog::operand_kind;
  return std::to_array<operator_row>({
      {"median", "", "Median, in f64; reduce only, and keeps all values in memory.",
       reduce_only | of_kept_values},
      {"quantile", "Q",
       "Quantile Q from 0 to 1, interpolated linearly, as numpy.quantile; like median.",
       reduce_only | of_kept_values},
      {"distinct", "",
       "How many different values there are, or in a scan so far; keeps them in memory.",
       ahead | takes_strings | shows_strings, make_distinct},
      {"polynomial", "X",
       "Value at X of the polynomial with these coefficients, the highest power first; in f64.",
       in_f64, make_recurrence},
      {"recurrence", "A:B:...",
       "y[i] = x[i] + A y[i-1] + B y[i-2] + ..., up to four coefficients; in f64.", in_f64,
       make_recurrence},
      {"window", "W:OPERATOR",
       "Result over this row and the W - 1 rows before it, or as many as there are; scan only.",
       scan_only, make_window},
      {"lag", "[K]",
       "Value K rows before (default 1); nan, or --init, where there is none; scan only.",
       scan_only | takes_initial | shows_numbers, make_lag},
      {"diff", "[K]", "Difference from the value K rows before (default 1), like lag; scan only.",
       scan_only | takes_initial, make_lag},
      {"lead", "[K]",
       "Value K rows after (default 1); nan, or --init, where there is none; scan only.",
       scan_only | ahead | takes_initial | shows_numbers, make_lag},
      {"rank", "[descending]",
       "1 plus the number of smaller values in the group: equal values share a rank; scan only.",
       scan_only | ahead, make_rank},
      {"dense-rank", "[descending]",
       "1 plus the number of different smaller values in the group; scan only.", scan_only | ahead,
       make_rank},
      {"percent-rank", "[descending]",
       "(rank - 1) / (number of values - 1), from 0 to 1; scan only.", scan_only | ahead,
       make_rank},
      {"row-number", "[descending]",
       "Position in the order of the values; equal values in the order of rows; scan only.",
       scan_only | ahead, make_rank},
      {"ntile", "N[:descending]",
       "Which of N parts of equal size, in the order of the values, from 1; scan only.",
       scan_only | ahead, make_rank},
      {"share", "", "Value divided by the sum of the group; scan only.", scan_only | ahead | in_f64,
       make_share},
      {"cumulative-share", "", "Running sum divided by the sum of the group, up to 1; scan only.",
       scan_only | ahead | in_f64, make_share},
      {"interpolate", "",
       "Missing values on the line between the values before and after; scan only.",
       scan_only | ahead | in_f64, make_interpolation},
      {"interpolate-by", "",
       "The same, of a column x over the values of a column y, such as a time; scan only.",
       scan_only | ahead | in_f64, make_interpolation, pairs},
      {"session", "GAP",
       "Number of the session of each time: a new one begins after a gap of more than GAP (30min, "
       "2h, or a number).",
       in_f64 | takes_strings, make_session},
      {"run", "", "Number of the run of equal values, from 1; the last is how many there are.",
       in_f64 | takes_strings | shows_strings, make_run_number},
      {"drawdown", "", "How far the value is below the largest so far; in f64.", in_f64,
       make_drawdown},
      {"relative-drawdown", "", "The same, divided by the largest so far.", in_f64, make_drawdown},
      {"max-drawdown", "",
       "The largest drawdown so far: the deepest fall from a value to a later one.", in_f64,
       make_drawdown},
      {"geometric-mean", "", "exp of the mean of the logarithms; nan if a value is negative.",
       in_f64, make_mean_of_function},
      {"harmonic-mean", "", "Reciprocal of the mean of the reciprocals.", in_f64,
       make_mean_of_function},
      {"rms", "", "Root of the mean of the squares.", in_f64, make_mean_of_function},
      {"mode", "",
       "Most frequent value, of several the smallest; reduce only, and keeps all in memory.",
       reduce_only | takes_strings | orders_strings | shows_strings, make_mode},
      {"largest", "K",
       "K-th largest value, or none if there are fewer; reduce only, and keeps all in memory.",
       reduce_only | of_kept_values | at_rank | shows_numbers},
      {"smallest", "K", "K-th smallest value; reduce only.",
       reduce_only | of_kept_values | at_rank | shows_numbers},
      {"top", "K", "largest:1 to largest:K, the K largest values, K results; reduce only.",
       reduce_only | shows_numbers},
      {"decimal-sum", "", "Exact sum of written decimals.", unordered | decimal | only_strings,
       nullptr, text},
      {"decimal-mean", "",
       "Mean of written decimals: exact if it has finitely many digits, otherwise with six more "
       "than they.",
       unordered | decimal | only_strings, nullptr, text},
      {"decimal-product", "", "Exact product of written decimals, up to 38 digits.",
       unordered | decimal | only_strings, nullptr, text},
      {"distinct-list", "[SEPARATOR]",
       "The distinct strings in the order of their first rows, joined by SEPARATOR (default: a "
       "comma); reduce only.",
       unordered | reduce_only | only_strings, nullptr, text},
      {"window-by", "W:OPERATOR",
       "OPERATOR over the rows whose times are less than W (7d, 30min, or a number) before that of "
       "the row, of a column x by the times of a column t; scan only.",
       scan_only, nullptr, pairs},
  });
}();

/// The id of one of them.
consteval catalog::id tool_operator(std::string_view name) {
  std::size_t row = 0;
  while (tool_operators.at(row).name != name) ++row;
  return static_cast<catalog::id>(catalog::operator_count + catalog::derived.size() + row);
}

}  // namespace upsweep::cli
