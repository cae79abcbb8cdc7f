/// The tree of a condition.
#pragma once

#include <cli/condition/pattern.hpp>
#include <io/input.hpp>

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace upsweep::cli {

/// `natural` is u64, which is compared exactly, but computed with in f64.
enum class condition_type : std::uint8_t { integer, natural, decimal, text, truth };

enum class condition_kind : std::uint8_t {
  integer_literal,
  natural_literal,
  decimal_literal,
  text_literal,
  truth_literal,
  column,
  row,
  negate,
  add,
  subtract,
  multiply,
  divide,
  remainder,
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
  abs,
  length,
  field_text,
  lower,
  upper,
  starts_with,
  ends_with,
  contains
};

struct condition_node {
  condition_kind kind;
  std::size_t at;         ///< position in the text, for errors
  condition_type type{};  ///< of the result; of a column known after resolve()
  std::vector<std::unique_ptr<condition_node>> parts{};
  std::int64_t integer = 0;
  std::uint64_t natural = 0;  ///< of a literal beyond i64
  double decimal = 0;
  std::string text{};
  text_pattern pattern{};     ///< of matches
  std::size_t column = 0;     ///< index among condition::columns()
  bool used_as_text = false;  ///< a column whose fields are used as texts
  io::chosen_column place{};  ///< after resolve(): where the column is in a chunk
  int levels = 1;             ///< of the tree below it, with itself
};

[[nodiscard]] std::unique_ptr<condition_node> parse_condition(std::string const& text);
/// Appends the columns that occur to `columns`, and to `texts` whether their fields are used as
/// texts. A column that is used as a number too is there twice.
void list_columns(condition_node& root, std::vector<std::string>& columns,
                  std::vector<bool>& texts);
/// Sets the types of all nodes, and the places of columns; may be called again. Throws usage_error
/// if the types do not fit.
void set_types(condition_node& root, std::string const& text,
               std::vector<io::chosen_column> const& columns,
               std::vector<io::column_info> const& types);
/// Whether `word` stands on the right side of a comparison, without quotes of any kind.
[[nodiscard]] bool has_bare_word(condition_node const& of, std::string const& text,
                                 std::string const& word);
/// Throws usage_error if the number of the row occurs, whose name is that of a column too.
void refuse_row(condition_node const& root, std::string const& text);
/// Throws usage_error: `what` is wrong at position `at` of the condition.
[[noreturn]] void refuse_condition(std::string const& text, std::size_t at,
                                   std::string const& what);

}  // namespace upsweep::cli
