/// The gap of `session`: 30min.
#pragma once

#include <cli/engine/folding.hpp>

namespace upsweep::cli {

/// The parameter of `session`: a number of seconds (500ms, 90s, 30min, 2h, 1d), or without a unit a
/// number in the unit of the column. Throws usage_error.
[[nodiscard]] double session_gap(operator_use const& use);

}  // namespace upsweep::cli
