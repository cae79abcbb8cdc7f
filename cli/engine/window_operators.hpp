/// The operators of windows.
#pragma once

#include <cli/engine/aggregate.hpp>
#include <upsweep/by_name/run.hpp>
#include <upsweep/by_name/verbs/statistics.hpp>

#include <cstdint>
#include <string>

namespace upsweep::cli {

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
