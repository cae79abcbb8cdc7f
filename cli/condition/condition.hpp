/// Conditions on the rows of a table, such as 'price > 3 && name == "x"'.
///
///   condition   a || b, a or b · a && b, a and b · !a, not a · comparison
///   comparison  x == y (or =), !=, <, <=, >, >= of two numbers or two texts; x in (y, z, ...);
///               text ~ "regular expression", !~
///   number      columns, 3, 1.5e-3, + - * / %, abs(x), length(text), row (counted from 1)
///   text        columns, "x" or 'x', text(column), lower(text), upper(text)
///   truth       columns of true and false, true, false, starts_with(text, text), ends_with,
///               contains
///   column      name, `any name at all`, $3 by position
///
/// A column is text or numbers as the input has it. Its fields as they stand are texts too: for ~
/// and functions of texts, and for ==, != and `in` beside such a function or "x".
///
/// The right side of && and || is not evaluated where the left one decides, so that it may guard
/// against a division by 0. Texts are compared byte by byte. Numbers are compared as they are in
/// the file, integers as integers; arithmetic of integers is in i64, of which an overflow is an
/// error, and `/` in f64. What is computed from or compared with a missing number is neither true
/// nor false; && and || may be decided by their other side, as in SQL.
#pragma once

#include <io/input.hpp>

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

namespace upsweep::cli {

struct condition_node;

class condition {
 public:
  /// Throws usage_error with the position of what cannot be parsed.
  explicit condition(std::string const& text);
  ~condition();
  condition(condition&&) noexcept;
  condition& operator=(condition&&) noexcept;

  /// The columns that occur, as names or positions.
  [[nodiscard]] std::vector<std::string> const& columns() const noexcept { return columns_; }
  /// For each of them, whether it must be read as text. Each is there once, or once as text and
  /// once as it is.
  [[nodiscard]] std::vector<bool> const& texts() const noexcept { return texts_; }
  /// True if `column` is compared with something as a bare word, which may be meant as a text.
  [[nodiscard]] bool may_mean_text(std::string const& column) const;
  /// Finds the columns in the open input. Throws usage_error if their types do not fit, or if `row`
  /// is also the name of a column.
  void resolve(io::input const& in);
  /// marks[i] = 1 if the condition is true of row i of the chunk, 0 if it is false, and 2 if a
  /// missing number leaves that open (input_options::mark_missing). A column of integers
  /// may be f64 from a later chunk on. Throws data_error if an integer overflows.
  void evaluate(io::chunk const& rows, std::span<std::uint8_t> marks);

 private:
  void follow_types(io::chunk const& rows);

  std::string text_;
  std::vector<std::string> columns_;
  std::vector<bool> texts_;
  std::vector<io::chosen_column> places_;
  std::vector<io::column_info> types_;
  std::unique_ptr<condition_node> root_;
};

}  // namespace upsweep::cli
