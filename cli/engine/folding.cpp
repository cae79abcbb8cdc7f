/// From the name of an operator to the function that makes its `folding`.
#include <cli/engine/folding.hpp>

#include <cli/engine/operators.hpp>
#include <cli/engine/stream_folding.hpp>
#include <io/error.hpp>

#include <fmt/format.h>

#include <memory>
#include <string>

namespace upsweep::cli {

std::unique_ptr<folding> make_folding(operator_use const& use, io::dtype type,
                                      folding_settings const& settings) {
  if (use.id == catalog::id::ema) return make_exponential_average(use, type, settings);
  if (use.id == tool_operators::recurrence || use.id == tool_operators::polynomial)
    return make_recurrence(use, settings);
  if (use.id == tool_operators::window) return make_window(use, type, settings);
  if (use.id >= tool_operators::lag && use.id <= tool_operators::lead)
    return make_lag(use, type, settings);
  if (use.id >= tool_operators::rank && use.id <= tool_operators::ntile)
    return make_rank(use, type, settings);
  if (use.id == tool_operators::distinct)
    return settings.scans ? make_rank(use, type, settings) : make_distinct(use, type, settings);
  if (use.id == tool_operators::mode) return make_mode(use, type, settings);
  if (use.id == tool_operators::share || use.id == tool_operators::cumulative_share)
    return make_share(use, type, settings);
  if (use.id == tool_operators::interpolate || use.id == tool_operators::interpolate_by)
    return make_interpolation(use, settings);
  if (use.id == tool_operators::session) return make_session(use, settings);
  if (use.id == tool_operators::run) return make_run_number(use, type, settings);
  if (use.id >= tool_operators::drawdown && use.id <= tool_operators::max_drawdown)
    return make_drawdown(use, type, settings);
  if (use.id >= tool_operators::geometric_mean && use.id <= tool_operators::rms)
    return make_transformed_mean(use, settings);
  return make_streamed(use.id, use, type, settings);
}

void refuse_initial(std::string const& name, folding_settings const& settings) {
  if (settings.initial)
    throw io::usage_error(fmt::format("--init: {} takes no initial value; omit --init.", name));
}

}  // namespace upsweep::cli
