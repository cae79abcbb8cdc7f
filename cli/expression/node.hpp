/// The tree of an expression, its operations, and the functions by their names.
#pragma once

#include <io/dtype.hpp>
#include <io/input.hpp>

#include <cstddef>
#include <cstdint>
#include <memory>
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

/// The type of a column of such values; f64 for strings.
[[nodiscard]] constexpr io::dtype dtype_of(expression_type type) noexcept {
  return type == expression_type::integer   ? io::dtype::i64
         : type == expression_type::natural ? io::dtype::u64
         : type == expression_type::truth   ? io::dtype::boolean
                                            : io::dtype::f64;
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
  call  ///< of a function
};

struct expression_node;
struct block;
struct block_values;

/// A function and its arguments.
struct function {
  std::string_view name;
  std::size_t least, most;  ///< arguments
  /// Of each argument, the last also of further ones: n number, i integer, t text, b Boolean, x
  /// text or number, . any type that the others have too, and the value may be that of the result.
  std::string_view takes;
  /// n the numbers of the arguments, i integer, d decimal, t text, b Boolean, . that of the last.
  char gives;
  block_values (*evaluate)(expression_node const& of, block& here);

  [[nodiscard]] char takes_at(std::size_t argument) const noexcept {
    return takes[argument < takes.size() ? argument : takes.size() - 1];
  }
};
[[nodiscard]] std::span<function const> functions();
/// Null if there is none of that name.
[[nodiscard]] function const* find_function(std::string_view name);

/// Matched by RE2 in time linear in the text, without recursion. Without RE2 there are no regular
/// expressions.
class text_pattern {
 public:
  text_pattern() = default;
  /// Throws std::invalid_argument with what is wrong with the expression, and usage_error for more
  /// than 10000 bytes, or without RE2.
  explicit text_pattern(std::string const& expression);

  /// True if it matches anywhere in `text`. In a text that is not UTF-8, '.' is a byte.
  [[nodiscard]] bool occurs_in(std::string_view text) const;

 private:
  struct automata;
  std::shared_ptr<automata const> automata_;
};

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

/// The column that a node is, perhaps by a name of its own; null if it is none.
[[nodiscard]] expression_node const* column_of(expression_node const& of);

[[nodiscard]] std::shared_ptr<expression_node> parse_expression(
    expression_text const& source, std::span<defined_name const> defined = {});
/// A column that occurs in an expression, and for what it is used.
struct used_column {
  std::string name;
  bool as_text = false;   ///< its fields are used as strings: it must be read as text
  bool in_order = false;  ///< it is compared by < and the like
  bool compares = false;  ///< it is compared
  bool is_value = false;  ///< a result may be one of its fields, as of if(x > 0, a, b)
  bool in_string =
      false;  ///< a string may be made of such a value, as of concat(if(x > 0, a, b), c)
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
