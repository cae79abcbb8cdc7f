/// The values of an expression for a block of rows.
#pragma once

#include <cli/expression/node.hpp>
#include <io/input.hpp>
#include <io/text_types.hpp>
#include <upsweep/core/number_types.hpp>

#include <cstddef>
#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace upsweep::cli {

/// Those of its type.
struct block_values {
  std::vector<std::int64_t> integers{};
  std::vector<std::uint64_t> naturals{};
  std::vector<double> decimals{};
  std::vector<std::string_view> texts{};
  std::vector<std::uint8_t> truths{};
  std::vector<std::uint8_t> unknown{};  ///< 1 where a value is missing; empty: nowhere
  std::vector<std::string> owned{};     ///< what `texts` refers to, if the node makes strings

  [[nodiscard]] bool is_unknown(std::size_t i) const noexcept {
    return !unknown.empty() && unknown[i] != 0;
  }
  /// A value of integers or naturals.
  [[nodiscard]] int128 whole(std::size_t i) const {
    return naturals.empty() ? int128{integers[i]} : int128{naturals[i]};
  }
};

/// Calls f(values) with those of the type, which is not text.
template <class F>
void with_numbers(block_values const& values, expression_type type, F const& f) {
  if (type == expression_type::integer)
    f(values.integers);
  else if (type == expression_type::natural)
    f(values.naturals);
  else if (type == expression_type::truth)
    f(values.truths);
  else
    f(values.decimals);
}

/// The rows at work.
struct block {
  io::chunk const& rows;
  std::size_t first, n;
  expression_text const& source;
  io::missing_words const* missing;  ///< null: a missing text is an error where a time is needed
  std::map<expression_node const*, block_values> earlier{};  ///< of `defined` names

  [[nodiscard]] std::uint64_t number(std::size_t i) const { return rows.number(first + i) + 1; }
};

[[nodiscard]] block_values value_of(expression_node const& of, block& here);

/// What is made of two parts is unknown where one of them is.
[[nodiscard]] std::vector<std::uint8_t> unknown_of(block_values const& a, block_values const& b);
/// The values as decimals, if they are numbers.
[[nodiscard]] block_values as_decimals(block_values values);
/// The values of part `p` as those of the type of `of`, which joins it with other parts. Throws
/// data_error where a value is `needed`, or anywhere, if f64 rounds an integer beside integers.
[[nodiscard]] block_values converted(expression_node const& of, std::size_t p, block_values values,
                                     block const& here,
                                     std::vector<std::uint8_t> const* needed = nullptr);
/// x in f64; throws data_error if that rounds it.
[[nodiscard]] double as_exact_decimal(int128 x, expression_node const& of, block const& here,
                                      std::size_t i);
/// Builds the strings of `owned`, which is complete.
void refer_to_owned(block_values& values);

/// The operations by kind. `arithmetic`: of two numbers, and '-'; `comparison`: the first part
/// beside each of the others, true if it holds for one of them.
[[nodiscard]] block_values arithmetic(expression_node const& of, block& here);
[[nodiscard]] block_values comparison(expression_node const& of, block& here);
[[nodiscard]] block_values where_pattern_occurs(expression_node const& of, block& here);
/// The rows of these kinds.
[[nodiscard]] std::span<function const> functions_of_numbers();
[[nodiscard]] std::span<function const> functions_of_texts();
inline constexpr std::size_t many_arguments = 100;

}  // namespace upsweep::cli
