/// What is written between an operator and its column: durations, as in session:30min and
/// window-by:7d:mean, and the operators of windows.
#pragma once

#include <cli/engine/aggregate.hpp>
#include <upsweep/by_name/run.hpp>
#include <upsweep/by_name/verbs/statistics.hpp>

#include <cstdint>
#include <optional>
#include <string>

namespace upsweep::cli {

/// A number, with a unit of time or without one.
struct time_span {
  double number;  ///< of seconds, if there is a unit
  bool has_unit;
  std::optional<std::uint64_t> whole = {};  ///< an integer without a unit, which f64 may not hold
};
/// Reads 500ms, 90s, 30min, 2h, 1d or 100; nothing if `text` is none of these.
[[nodiscard]] std::optional<time_span> read_span(std::string const& text);

/// The parameter of `session`: a number of seconds (500ms, 90s, 30min, 2h, 1d), or without a unit a
/// number in the unit of the column. Throws usage_error.
[[nodiscard]] time_span session_gap(operator_use const& use);

/// What is made of a window of values: their total, their number, or a statistic.
struct window_operator {
  enum class kind : std::uint8_t { total, count, mean, spread };

  kind what;
  dynamic::spread wanted = {};              ///< of spread
  dynamic::call_entry const* of = nullptr;  ///< of total, over `takes`
  io::dtype takes, gives;
};

/// The operator `name` over values of a compute type. Throws usage_error if windows have no such
/// operator.
[[nodiscard]] window_operator find_window_operator(std::string const& name, operator_use const& use,
                                                   io::dtype type);

}  // namespace upsweep::cli
