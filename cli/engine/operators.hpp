/// The operators by their names on the command line.
#pragma once

#include <cli/engine/folding.hpp>

#include <cstddef>
#include <cstdint>
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
/// compare strings. Their ids follow those of the catalog.
namespace tool_operators {
inline constexpr std::size_t first = catalog::operator_count + catalog::derived.size();
inline constexpr auto median = static_cast<catalog::id>(first);
inline constexpr auto quantile = static_cast<catalog::id>(first + 1);
inline constexpr auto distinct = static_cast<catalog::id>(first + 2);
inline constexpr auto polynomial = static_cast<catalog::id>(first + 3);
inline constexpr auto recurrence = static_cast<catalog::id>(first + 4);
inline constexpr auto window = static_cast<catalog::id>(first + 5);
inline constexpr auto lag = static_cast<catalog::id>(first + 6);
inline constexpr auto diff = static_cast<catalog::id>(first + 7);
inline constexpr auto lead = static_cast<catalog::id>(first + 8);
inline constexpr auto rank = static_cast<catalog::id>(first + 9);
inline constexpr auto dense_rank = static_cast<catalog::id>(first + 10);
inline constexpr auto percent_rank = static_cast<catalog::id>(first + 11);
inline constexpr auto row_number = static_cast<catalog::id>(first + 12);
inline constexpr auto ntile = static_cast<catalog::id>(first + 13);
inline constexpr auto share = static_cast<catalog::id>(first + 14);
inline constexpr auto cumulative_share = static_cast<catalog::id>(first + 15);
inline constexpr auto interpolate = static_cast<catalog::id>(first + 16);
inline constexpr auto interpolate_by = static_cast<catalog::id>(first + 17);
inline constexpr auto session = static_cast<catalog::id>(first + 18);
inline constexpr auto run = static_cast<catalog::id>(first + 19);
inline constexpr auto drawdown = static_cast<catalog::id>(first + 20);
inline constexpr auto relative_drawdown = static_cast<catalog::id>(first + 21);
inline constexpr auto max_drawdown = static_cast<catalog::id>(first + 22);
inline constexpr auto geometric_mean = static_cast<catalog::id>(first + 23);
inline constexpr auto harmonic_mean = static_cast<catalog::id>(first + 24);
inline constexpr auto rms = static_cast<catalog::id>(first + 25);
inline constexpr auto mode = static_cast<catalog::id>(first + 26);
inline constexpr auto largest = static_cast<catalog::id>(first + 27);
inline constexpr auto smallest = static_cast<catalog::id>(first + 28);
inline constexpr auto top = static_cast<catalog::id>(first + 29);
inline constexpr auto decimal_sum = static_cast<catalog::id>(first + 30);
inline constexpr auto decimal_mean = static_cast<catalog::id>(first + 31);
inline constexpr auto decimal_product = static_cast<catalog::id>(first + 32);
inline constexpr auto distinct_list = static_cast<catalog::id>(first + 33);
inline constexpr auto window_by = static_cast<catalog::id>(first + 34);
}  // namespace tool_operators

/// True for those whose results are strings of exact decimals.
[[nodiscard]] constexpr bool is_decimal(catalog::id id) noexcept {
  return id >= tool_operators::decimal_sum && id <= tool_operators::decimal_product;
}

/// True for those whose result is the value at a position in the order.
[[nodiscard]] constexpr bool has_place(catalog::id id) noexcept {
  return id == tool_operators::largest || id == tool_operators::smallest;
}
/// True for the operators that share the kept values of a column.
[[nodiscard]] constexpr bool is_quantile(catalog::id id) noexcept {
  return id == tool_operators::median || id == tool_operators::quantile || has_place(id);
}
/// True for operators of scans whose results depend on later rows too.
[[nodiscard]] bool looks_ahead(catalog::id id) noexcept;
/// True for argmin, argmax, argmin-last and argmax-last.
[[nodiscard]] bool is_arg_extremum(catalog::id id) noexcept;
/// True for operators that also take strings, and for those that take only fields as they are
/// written.
[[nodiscard]] bool takes_texts(operator_use const& use) noexcept;
[[nodiscard]] bool takes_texts_only(operator_use const& use) noexcept;
/// Of those that take strings, the operators that compare values by their order, and those whose
/// result is a value or depends on how values are written.
[[nodiscard]] bool orders_texts(operator_use const& use) noexcept;
[[nodiscard]] bool shows_texts(operator_use const& use) noexcept;
/// True for operators of numbers whose result is one of the values: a code would lose its zeros.
[[nodiscard]] bool shows_numbers(operator_use const& use) noexcept;
/// How many columns an operator takes together.
[[nodiscard]] std::size_t columns_of(catalog::operand_kind takes);
/// True for operators that take several columns together.
[[nodiscard]] bool takes_several_columns(catalog::id id);

/// Every operator, in the order of `upsweep list`, which is that of the ids.
[[nodiscard]] std::vector<listed_operator> const& operators();
[[nodiscard]] std::vector<std::string> operator_names();
[[nodiscard]] listed_operator const& listed(catalog::id id);
/// "; did you mean 'mean'?" for what other tools call an operator, or for a word with a typing
/// mistake; otherwise empty.
[[nodiscard]] std::string operator_hint(std::string_view name);

/// The rank of a value among the largest or smallest ones, from 1 to 1000. Throws usage_error.
[[nodiscard]] std::size_t parse_place(std::string const& text, std::string const& option);

/// Parses "sum", "ema:0.1", "max:price", "ema:0.1:price as smooth", "slope:x:y". Throws usage_error
/// for an unknown operator and suggests the nearest.
[[nodiscard]] std::vector<operator_use> parse_operators(std::vector<std::string> const& words);

/// The uses in the order of their results, each with the index of its column: first those without a
/// column of their own, once for each of the first `columns` columns, then the others.
[[nodiscard]] std::vector<operator_use> applied(std::vector<operator_use> const& uses,
                                                std::size_t columns);

}  // namespace upsweep::cli
