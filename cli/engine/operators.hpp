/// The operators by their names on the command line.
#pragma once

#include <cli/engine/folding.hpp>

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace upsweep::cli {

/// The commands that have an operator.
enum class available : std::uint8_t { everywhere, reduce_only, scan_only };

/// An operator of the catalog, a result derived from one, or one that only the tool has.
struct listed_operator {
  catalog::id id;
  std::string_view name;
  catalog::operand_kind takes;
  std::string_view parameter;  ///< "WEIGHT" in ema:WEIGHT, "W:OPERATOR" for two; empty if there is
                               ///< none; in brackets if it is optional
  std::string_view meaning;
  bool ordered;  ///< its result is an ordered number, not a row number, bits or a matrix
  available in = available::everywhere;
};

/// The operators that only the tool has: they need all values at once, those of a window, or
/// compare texts. Their ids follow those of the catalog.
namespace only_here {
inline constexpr std::size_t first = catalog::operator_count + catalog::derived.size();
inline constexpr auto median = static_cast<catalog::id>(first);
inline constexpr auto quantile = static_cast<catalog::id>(first + 1);
inline constexpr auto distinct = static_cast<catalog::id>(first + 2);
inline constexpr auto polynomial = static_cast<catalog::id>(first + 3);
inline constexpr auto recurrence = static_cast<catalog::id>(first + 4);
inline constexpr auto window = static_cast<catalog::id>(first + 5);
inline constexpr auto lag = static_cast<catalog::id>(first + 6);
inline constexpr auto diff = static_cast<catalog::id>(first + 7);
}  // namespace only_here

[[nodiscard]] constexpr bool is_quantile(catalog::id id) noexcept {
  return id == only_here::median || id == only_here::quantile;
}
/// True for operators that also take texts.
[[nodiscard]] bool takes_texts(catalog::id id) noexcept;
/// How many columns an operator takes together.
[[nodiscard]] std::size_t columns_of(catalog::operand_kind takes);
/// True for operators that take several columns together.
[[nodiscard]] bool takes_several_columns(catalog::id id);

/// Every operator, in the order of `upsweep list`, which is that of the ids.
[[nodiscard]] std::vector<listed_operator> const& operators();
[[nodiscard]] std::vector<std::string> operator_names();
[[nodiscard]] listed_operator const& listed(catalog::id id);

/// Parses "sum", "ema:0.1", "max:price", "ema:0.1:price as smooth", "slope:x:y". Throws usage_error
/// for an unknown operator and suggests the nearest.
[[nodiscard]] std::vector<operator_use> parse_operators(std::vector<std::string> const& words);

/// The uses in the order of their results, each with the index of its column: first those without a
/// column of their own, once for each of the first `columns` columns, then the others.
[[nodiscard]] std::vector<operator_use> applied(std::vector<operator_use> const& uses,
                                                std::size_t columns);

}  // namespace upsweep::cli
