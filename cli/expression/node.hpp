/// The tree of an expression.
#pragma once

#include <cli/expression/functions.hpp>
#include <cli/expression/pattern.hpp>
#include <io/input.hpp>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

namespace upsweep::cli {

/// What a user wrote, and where: "--where", "--add", or the expression itself in quotes.
struct expression_text {
  std::string where, text;
};

struct expression_node {
  expression_kind kind;
  std::size_t at;          ///< position in the text, for errors
  expression_type type{};  ///< of the result; of a column known after set_types()
  std::vector<std::shared_ptr<expression_node>> parts{};
  std::int64_t integer = 0;
  std::uint64_t natural = 0;  ///< of a literal beyond i64
  double decimal = 0;
  std::string text{};                             ///< of a literal, a name
  text_pattern pattern{};                         ///< of matches
  function const* called = nullptr;               ///< what a function is
  std::size_t column = 0;                         ///< index among the columns of all expressions
  bool used_as_text = false;                      ///< a column whose fields are used as strings
  bool as_written = false;                        ///< a column of codes: its values are strings
  std::shared_ptr<expression_node> with_codes{};  ///< after set_types(): itself as_written()
  io::chosen_column place{};                      ///< after set_types(): of a column in a chunk
  expression_text const* defined_by = nullptr;    ///< of `defined`: what its part was written as
  int levels = 1;                                 ///< of the tree below it, with itself
};

/// An expression that later ones may use by its name.
struct defined_name {
  std::string name;
  std::shared_ptr<expression_node> root;
  expression_text const* source;
};

[[nodiscard]] std::shared_ptr<expression_node> parse_expression(
    expression_text const& source, std::span<defined_name const> defined = {});
/// A column that occurs in an expression, and for what it is used.
struct used_column {
  std::string name;
  bool as_text = false;    ///< its fields are used as strings
  bool in_order = false;   ///< it is compared by < and the like
  bool is_value = false;   ///< a result may be one of its fields, as of if(x > 0, a, b)
  bool in_string = false;  ///< a string may be made of such a value
};

/// Appends the columns that occur. One that is used as a text and as a number is there twice.
void list_columns(expression_node& root, std::vector<used_column>& columns, bool is_value = true,
                  bool in_string = false);
/// Sets the types of all nodes, and the indices of columns; may be called again. Throws usage_error
/// if the types do not fit.
void set_types(expression_node& root, expression_text const& source,
               std::vector<io::chosen_column> const& columns,
               std::vector<io::column_info> const& types);
/// After set_types: the expression with codes as they are written, if one may be a value. Null: all
/// values are numbers, or strings anyway.
[[nodiscard]] std::shared_ptr<expression_node> as_written(
    std::shared_ptr<expression_node> const& root);
/// Throws usage_error unless the result is a Boolean.
void expect_truth(expression_node const& root, expression_text const& source);
/// Whether `word` is on the right side of a comparison, without quotes of any kind.
[[nodiscard]] bool has_bare_word(expression_node const& of, std::string const& text,
                                 std::string const& word);
/// Where the number of the row occurs, without names that are defined elsewhere; or null.
[[nodiscard]] expression_node const* find_row(expression_node const& root);
/// Which character stands at position `at`, from 1.
[[nodiscard]] std::size_t character_at(expression_text const& source, std::size_t at);
/// Two lines for the end of a message: the expression, or a part of it, and a caret at `at`.
[[nodiscard]] std::string caret_at(expression_text const& source, std::size_t at);
/// Throws usage_error: `what` is wrong at position `at` of the expression.
[[noreturn]] void refuse(expression_text const& source, std::size_t at, std::string const& what);

}  // namespace upsweep::cli
