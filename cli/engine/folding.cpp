/// From the name of an operator to the function that makes its `folding`.
#include <cli/engine/folding.hpp>

#include <cli/engine/operators.hpp>
#include <io/error.hpp>

#include <fmt/format.h>

#include <array>
#include <cstddef>
#include <type_traits>

namespace upsweep::cli {

namespace {

using factory = std::unique_ptr<folding> (*)(operator_use const&, io::dtype,
                                             folding_settings const&);

/// For each operator of the catalog with one result, the function that makes its `folding`; null
/// for the others.
constexpr auto factories = [] {
  std::array<factory, catalog::operator_count> all{};
  catalog::for_each_row([&]<class Op>(catalog::row<Op> const& row) {
    constexpr bool several = dynamic::is_in<
        Op, dynamic::types<minmax, moments, central_moments, comoments, weighted_moments>>;
    constexpr bool is_text = std::is_same_v<Op, concat>;
    if constexpr (!several && !is_text) all[static_cast<std::size_t>(row.id)] = make_operator<Op>;
  });
  return all;
}();

}  // namespace

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
    return make_share(use, settings);
  if (use.id == tool_operators::interpolate || use.id == tool_operators::interpolate_by)
    return make_interpolation(use, settings);
  if (use.id == tool_operators::session) return make_session(use, settings);
  if (use.id == tool_operators::run) return make_run_number(use, type, settings);
  if (use.id >= tool_operators::drawdown && use.id <= tool_operators::max_drawdown)
    return make_drawdown(use, settings);
  if (use.id >= tool_operators::geometric_mean && use.id <= tool_operators::rms)
    return make_transformed_mean(use, settings);
  auto const at = static_cast<std::size_t>(use.id);
  factory const make = at < factories.size() ? factories[at] : nullptr;
  if (!make) throw io::usage_error(fmt::format("--op: {} does not work on numbers.", use.name));
  return make(use, type, settings);
}

void refuse_initial(std::string const& name, folding_settings const& settings) {
  if (settings.initial)
    throw io::usage_error(fmt::format("--init: {} takes no initial value; omit --init.", name));
}

}  // namespace upsweep::cli
