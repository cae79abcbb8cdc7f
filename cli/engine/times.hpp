/// Times and durations as they are written: 2015-01-31 10:30, 30min.
#pragma once

#include <cli/engine/folding.hpp>

#include <optional>
#include <string_view>

namespace upsweep::cli {

/// The seconds from 1970-01-01 00:00 UTC to a date, or a date and a time of day, of ISO 8601:
/// 2015-01-31, 2015-01-31T10:30, 2015-01-31 10:30:05.25Z, 2015-01-31 10:30+01:00. A time without a
/// zone is taken as UTC. Nothing for another text.
[[nodiscard]] std::optional<double> seconds_of_time(std::string_view text);

/// The parameter of `session`: a number of seconds (500ms, 90s, 30min, 2h, 1d), or without a unit a
/// number in the unit of the column. Throws usage_error.
[[nodiscard]] double session_gap(operator_use const& use);

}  // namespace upsweep::cli
