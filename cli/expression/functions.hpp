/// The operations of expressions, and the functions by their names.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace upsweep::cli {

/// `natural` is u64, which is compared exactly, but whose sums are f64, unless that rounds them.
enum class expression_type : std::uint8_t { integer, natural, decimal, text, truth };

[[nodiscard]] constexpr bool is_number(expression_type type) noexcept {
  return type != expression_type::text && type != expression_type::truth;
}

enum class expression_kind : std::uint8_t {
  integer_literal,
  natural_literal,
  decimal_literal,
  text_literal,
  truth_literal,
  column,
  defined,  ///< the name of an earlier expression
  row,
  negate,
  add,
  subtract,
  multiply,
  divide,
  remainder,
  power,
  equal,
  unequal,
  less,
  less_or_equal,
  greater,
  greater_or_equal,
  matches,
  in_list,
  both,
  either,
  negation,
  choice,  ///< if(condition, x, y)
  coalesce,
  // Functions of numbers.
  abs,
  floor,
  ceil,
  round,
  sqrt,
  exp,
  log,
  min,
  max,
  // Functions of strings.
  length,
  field_text,
  lower,
  upper,
  trim,
  substring,
  replace,
  concat,
  starts_with,
  ends_with,
  contains,
  // Functions of times, which are strings.
  year,
  quarter,
  month,
  week,
  weekday,
  day,
  hour,
  minute,
  second,
  days,
  seconds,
  trunc,
  time_text
};

/// A function and its arguments.
struct function {
  std::string_view name;
  expression_kind kind;
  std::size_t least, most;  ///< arguments
  /// Of each argument, the last also of further ones: n number, i integer, t text, b Boolean, x
  /// text or number, . any type that the others have too.
  std::string_view takes;
  /// n the numbers of the arguments, i integer, d decimal, t text, b Boolean, . that of the last.
  char gives;

  [[nodiscard]] char takes_at(std::size_t argument) const noexcept {
    return takes[argument < takes.size() ? argument : takes.size() - 1];
  }
};

[[nodiscard]] std::span<function const> functions() noexcept;
[[nodiscard]] std::vector<std::string> function_names();
/// The units of trunc(time, unit).
[[nodiscard]] std::vector<std::string> const& time_units();

}  // namespace upsweep::cli
