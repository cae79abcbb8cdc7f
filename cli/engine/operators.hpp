/// The operators by their names on the command line.
#pragma once

#include <cli/engine/tool_operators.hpp>

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace upsweep::cli {

/// Every operator, in the order of `upsweep list`, which is that of the ids.
[[nodiscard]] std::vector<operator_row> const& operators();
[[nodiscard]] std::vector<std::string> operator_names();
[[nodiscard]] operator_row const& listed(catalog::id id);

/// True for operators with one of these traits.
[[nodiscard]] inline bool is(catalog::id id, unsigned traits) {
  return listed(id).is(traits);
}
/// True for operators that also take strings, and for those that take only fields as they are
/// written.
[[nodiscard]] bool takes_texts(operator_use const& use);
[[nodiscard]] bool takes_texts_only(operator_use const& use);
/// True for operators of numbers whose result is one of the values: a code would lose its zeros.
[[nodiscard]] bool shows_numbers(operator_use const& use);
/// How many columns an operator takes together.
[[nodiscard]] std::size_t columns_of(catalog::operand_kind takes);
/// True for operators that take several columns together.
[[nodiscard]] bool takes_several_columns(catalog::id id);

/// "; did you mean 'mean'?" for what other tools call an operator, or for a word with a typing
/// mistake; otherwise empty.
[[nodiscard]] std::string operator_hint(std::string_view name);

/// The rank of a value among the largest or smallest ones, from 1 to 1000. Throws usage_error.
[[nodiscard]] std::size_t parse_place(std::string const& text, std::string const& option);

/// Parses "sum", "ema:0.1", "max:price", "ema:0.1:price as smooth", "slope:x:y". Throws usage_error
/// for an unknown operator and suggests the nearest.
[[nodiscard]] std::vector<operator_use> parse_operators(std::vector<std::string> const& words);

}  // namespace upsweep::cli
