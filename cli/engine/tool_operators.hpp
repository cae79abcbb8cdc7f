/// The operators that only the tool has: they need all values at once, those of a window, or
/// compare strings. Only operators.cpp includes this, so that a new one compiles two files.
#pragma once

#include <cli/engine/operators.hpp>

#include <array>

namespace upsweep::cli {

aggregate_maker make_recurrence, make_window, make_lag, make_distinct, make_mode, make_quantile,
    make_at_rank, make_share, make_interpolation, make_mean_of_function, make_drawdown,
    make_session, make_run_number;
aggregate_maker make_trimmed_mean;

/// Their ids follow those of the catalog, in the order of this table.
inline constexpr std::array tool_operators = [] {
  using namespace trait;
  using trait::shows_numbers;  // rather than the function
  using enum catalog::operand_kind;
  using parameter = operator_parameter;
  constexpr parameter none{}, distance{"[K]", "a number of rows", "2"},
      order{"[descending]", "the word descending", "descending"},
      place{"K", "which one is wanted, from 1", "2"};
  return std::to_array<operator_row>({
      {"median", none, "Median, in f64; reduce only, and keeps all values in memory.",
       reduce_only | in_f64, make_quantile, "q2"},
      {"quantile", parameter("Q", "a number from 0 to 1", "0.9"),
       "Quantile Q from 0 to 1, interpolated linearly, as numpy.quantile; like median.",
       reduce_only | in_f64, make_quantile},
      {"distinct", none,
       "How many different values there are, or in a scan so far; keeps them in memory.",
       ahead | takes_strings | shows_strings, make_distinct,
       "nunique countunique count-distinct distinct-count n-distinct cardinality "
       "approx-count-distinct"},
      {"polynomial", parameter("X", "a number", "2"),
       "Value at X of the polynomial with these coefficients, the highest power first; in f64.",
       in_f64, make_recurrence},
      {"recurrence", parameter("A:B:...", "one to four numbers", "0.5:0.25"),
       "y[i] = x[i] + A y[i-1] + B y[i-2] + ..., up to four coefficients; in f64.", in_f64,
       make_recurrence},
      {"window", parameter("W:OPERATOR", "a number of rows and an operator", "7:mean"),
       "Result over this row and the W - 1 rows before it, or as many as there are; scan only.",
       scan_only, make_window, "rolling moving sliding slwin"},
      {"lag", distance,
       "Value K rows before (default 1); nan, or --init, where there is none; scan only.",
       scan_only | takes_initial | shows_numbers, make_lag, "shift shift-lag previous prev"},
      {"diff", distance,
       "Difference from the value K rows before (default 1), like lag; scan only.",
       scan_only | takes_initial, make_lag, "delta difference"},
      {"lead", distance,
       "Value K rows after (default 1); nan, or --init, where there is none; scan only.",
       scan_only | ahead | takes_initial | shows_numbers, make_lag, "shift-lead next"},
      {"rank", order,
       "1 plus the number of smaller values in the group: equal values share a rank; scan only.",
       scan_only | ahead | ranks, make_rank},
      {"dense-rank", order,
       "1 plus the number of different smaller values in the group; scan only.",
       scan_only | ahead | ranks, make_rank},
      {"percent-rank", order, "(rank - 1) / (number of values - 1), from 0 to 1; scan only.",
       scan_only | ahead | ranks, make_rank, "pct-rank pctrank"},
      {"row-number", order,
       "Position in the order of the values; equal values in the order of rows; scan only.",
       scan_only | ahead | ranks, make_rank, "rownum rownumber row-num rn"},
      {"ntile", parameter("N[:descending]", "a number of parts", "4"),
       "Which of N parts of equal size, in the order of the values, from 1; scan only.",
       scan_only | ahead | ranks, make_rank},
      {"share", none, "Value divided by the sum of the group; scan only.",
       scan_only | ahead | in_f64, make_share, "ratio-to-report fraction percent-of-total"},
      {"cumulative-share", none, "Running sum divided by the sum of the group, up to 1; scan only.",
       scan_only | ahead | in_f64, make_share, "cumulative-fraction cumulative-percent"},
      {"interpolate", none,
       "Missing values on the line between the values before and after; scan only.",
       scan_only | ahead | in_f64, make_interpolation},
      {"interpolate-by", none,
       "The same, of a column x over the values of a column y, such as a time; scan only.",
       scan_only | ahead | in_f64, make_interpolation, "", pairs},
      {"session", parameter("GAP", "the longest gap inside a session", "30min"),
       "Number of the session of each time: a new one begins after a gap of more than GAP (30min, "
       "2h, or a number).",
       in_f64 | takes_strings, make_session, "sessionize"},
      {"run", none, "Number of the run of equal values, from 1; the last is how many there are.",
       in_f64 | takes_strings | shows_strings, make_run_number, "island rleid"},
      {"drawdown", none, "How far the value is below the largest so far; in f64.", in_f64,
       make_drawdown},
      {"relative-drawdown", none, "The same, divided by the largest so far.", in_f64,
       make_drawdown},
      {"max-drawdown", none,
       "The largest drawdown so far: the deepest fall from a value to a later one.", in_f64,
       make_drawdown},
      {"geometric-mean", none, "exp of the mean of the logarithms; nan if a value is negative.",
       in_f64, make_mean_of_function, "gmean geomean"},
      {"harmonic-mean", none, "Reciprocal of the mean of the reciprocals.", in_f64,
       make_mean_of_function, "hmean"},
      {"rms", none, "Root of the mean of the squares.", in_f64, make_mean_of_function},
      {"mode", none,
       "Most frequent value, of several the smallest; reduce only, and keeps all in memory.",
       reduce_only | takes_strings | orders_strings | shows_strings, make_mode},
      {"largest", place,
       "K-th largest value, or none if there are fewer; reduce only, and keeps all in memory.",
       reduce_only | at_rank | shows_numbers, make_at_rank},
      {"smallest", place, "K-th smallest value; reduce only.",
       reduce_only | at_rank | shows_numbers, make_at_rank, "nsmallest bottom"},
      {"top", parameter("K", "how many values are wanted", "3"),
       "largest:1 to largest:K, the K largest values, K results; reduce only.",
       reduce_only | shows_numbers},
      {"decimal-sum", none, "Exact sum of written decimals.", unordered | decimal | only_strings,
       nullptr, "decimal money money-sum dsum", text},
      {"decimal-mean", none,
       "Mean of written decimals: exact if it has finitely many digits, otherwise with six more "
       "than they.",
       unordered | decimal | only_strings, nullptr, "decimal-avg money-mean", text},
      {"decimal-product", none, "Exact product of written decimals, up to 38 digits.",
       unordered | decimal | only_strings, nullptr, "decimal-prod decimal-mul", text},
      {"distinct-list", parameter("[SEPARATOR]", "what separates the strings", ";"),
       "The distinct strings in the order of their first rows, joined by SEPARATOR (default: a "
       "comma); reduce only.",
       unordered | reduce_only | only_strings, nullptr,
       "distinct-values unique-values uniques concat-distinct string-agg-distinct list-distinct "
       "array-unique",
       text},
      {"window-by", parameter("W:OPERATOR", "a width of time and an operator", "7d:mean"),
       "OPERATOR over the rows whose times are less than W (7d, 30min, or a number) before that of "
       "the row, of a column x by the times of a column t; scan only.",
       scan_only, nullptr, "", pairs},
      {"trimmed-mean", parameter("P", "a number of percent", "10"),
       "Mean without the lowest and the highest P percent of the values, as scipy.stats.trim_mean; "
       "reduce only, and keeps all in memory.",
       reduce_only | in_f64, make_trimmed_mean, "trim-mean truncated-mean"},
  });
}();

}  // namespace upsweep::cli
