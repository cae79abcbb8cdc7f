/// The operators by their names on the command line.
#pragma once

#include <cli/engine/aggregate.hpp>

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace upsweep::cli {

/// What may be true of an operator.
namespace trait {
inline constexpr unsigned
    unordered = 1 << 0,  ///< its result is no ordered number: a row number, bits or a matrix
    reduce_only = 1 << 1, scan_only = 1 << 2,
    ahead = 1 << 3,            ///< in a scan, its results depend on later rows too
    takes_initial = 1 << 4,    ///< it takes --init
    in_f64 = 1 << 5,           ///< it computes in f64, whatever the type of the values
    at_rank = 1 << 6,          ///< its result is the value at a rank, which there may not be
    shows_numbers = 1 << 7,    ///< its result is one of the values: a code would lose its zeros
    decimal = 1 << 8,          ///< its results are strings of exact decimals
    only_strings = 1 << 9,     ///< it takes only fields as they are written
    takes_strings = 1 << 10,   ///< it also takes strings
    orders_strings = 1 << 11,  ///< it compares strings by their order
    shows_strings = 1 << 12,   ///< its result is a string, or depends on how values are written
    finds_row = 1 << 13,       ///< argmin, argmax, argmin-last and argmax-last
    ranks = 1 << 14;           ///< its result depends on the order of the values alone
}  // namespace trait

/// What follows the name of an operator and a ':'.
struct operator_parameter {
  std::string_view name;     ///< "WEIGHT" in ema:WEIGHT, "W:OPERATOR" for two; empty if there is
                             ///< none; in brackets if it is optional
  std::string_view needed;   ///< what it must be, for errors: "a number of rows"
  std::string_view example;  ///< if it begins with a number, so must the parameter

  [[nodiscard]] constexpr bool is_optional() const noexcept { return name.starts_with('['); }
};

/// An operator of the catalog, a result derived from one, or one that only the tool has.
struct operator_row {
  std::string_view name;
  operator_parameter parameter;
  std::string_view meaning;
  unsigned traits = 0;
  aggregate_maker* make = nullptr;    ///< null: a stream of the library, or made with others
  std::string_view also_called = {};  ///< by other tools, with blanks between the words
  catalog::operand_kind takes = catalog::operand_kind::numbers;
  catalog::id id = {};  ///< its index in operators()

  [[nodiscard]] constexpr bool is(unsigned wanted) const noexcept { return traits & wanted; }
};

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
/// True for operators of numbers whose result depends on their order alone.
[[nodiscard]] bool compares_numbers(operator_use const& use);
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
