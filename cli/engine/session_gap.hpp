/// Durations in the parameters of operators: the gap of session:30min, the width of
/// window-by:7d:mean.
#pragma once

#include <cli/engine/aggregate.hpp>

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

}  // namespace upsweep::cli
