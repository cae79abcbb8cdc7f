/// Expressions over the columns of a table, such as the condition 'price > 3 && name == "x"' or the
/// column 'price * qty'. docs/expressions.md is their manual.
///
///   Boolean     a || b, a or b · a && b, a and b · !a, not a · comparison · true, false
///   comparison  x == y (or =), !=, <, <=, >, >= of two numbers or two strings; x in (y, z, ...);
///               text ~ "regular expression", !~
///   number      3, 1.5e-3, + - * / % **, row (counted from 1)
///   text        "x" or 'x'
///   any         columns, f(x, y), those of functions()
///   column      name, `any name at all`, $3 by position
///
/// A column is text or numbers as the input has it. Its fields as they stand are strings too: for ~
/// and functions of strings, and for ==, != and `in` beside such a function or "x".
///
/// The right side of && and || is not evaluated where the left one decides, so that it may guard
/// against a division by 0; nor is the part of `if` that is not chosen. Strings compare byte by
/// byte. Numbers are compared as they are in the file, integers as integers; arithmetic of integers
/// is in i64, of which an overflow is an error, and `/` in f64. What is computed from or compared
/// with a missing value is missing; && and || may be decided by their other side, as in SQL.
#pragma once

#include <cli/engine/buffers.hpp>
#include <cli/expression/node.hpp>
#include <io/input.hpp>
#include <io/text_types.hpp>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace upsweep::cli {

/// Expressions over columns that are read once for all of them.
class expressions {
 public:
  expressions();
  ~expressions();
  expressions(expressions&&) noexcept;
  expressions& operator=(expressions&&) noexcept;

  /// Adds one, which may use earlier ones that have a name. `where` begins the messages about it.
  /// Throws usage_error with the position of what cannot be parsed.
  void add(std::string const& text, std::string const& where, std::string const& name = "");
  [[nodiscard]] std::size_t size() const noexcept;

  /// The only column, if there is one expression, which is a column alone.
  [[nodiscard]] std::optional<std::string> only_column() const;
  /// Whether neither a column nor `row` occurs.
  [[nodiscard]] bool is_constant() const;
  /// The columns that occur, as names or positions. Each is there once, or once as text and once as
  /// it is.
  [[nodiscard]] std::vector<used_column> const& columns() const noexcept { return columns_; }
  /// True if `column` is compared with something as a bare word, which may be meant as a text.
  [[nodiscard]] bool may_mean_text(std::string const& column) const;

  /// Finds columns() at `places` in the chunks of an input whose value columns have `types` and
  /// whose columns have `names`. Throws usage_error if the types do not fit, or if `row` is also a
  /// name.
  void resolve(std::span<std::string const> names, std::vector<io::chosen_column> places,
               std::vector<io::column_info> types);
  [[nodiscard]] expression_type type(std::size_t expression) const;
  /// Whether results may be fields of a column of codes ("07306"): as_text they keep their zeros.
  [[nodiscard]] bool shows_codes(std::size_t expression) const;
  /// Whether a column has codes: otherwise such strings are those of numbers that f64 rounds.
  [[nodiscard]] bool has_codes() const;
  void expect_truth(std::size_t expression) const;

  /// marks[i] = 1 if the condition is true of row i of the chunk, 0 if it is false, and 2 if a
  /// missing value leaves that open (input_options::mark_missing).
  void mark(std::size_t condition, io::chunk const& rows, io::missing_words const* missing,
            std::span<std::uint8_t> marks);
  /// Appends the values of an expression that is no text, and to `present`, unless `missing` is
  /// null, whether each is known. `missing` are the words for which strings that are times are
  /// missing; null: an error. A column of integers may be f64 from a later chunk on, and type()
  /// then changes too. Throws data_error if an integer overflows.
  void append_numbers(std::size_t expression, io::chunk const& rows,
                      io::missing_words const* missing, column_buffer& to, column_buffer& present);
  /// Appends the values as strings, codes as they are written, and to `present`, if it is there,
  /// whether each is known. A missing one is empty; -0 is 0.
  void append_texts(std::size_t expression, io::chunk const& rows, io::missing_words const* missing,
                    text_buffer& to, column_buffer* present = nullptr);
  void follow_types(io::chunk const& rows);

 private:
  struct parsed;
  /// Calls f(first, values) for blocks of rows of a chunk, in order. `as_written`: values that
  /// shows_codes() are strings.
  template <class F>
  void evaluate(std::size_t expression, io::chunk const& rows, io::missing_words const* missing,
                F const& f, bool as_written = false);
  void set_all_types();

  std::vector<parsed> parsed_;
  std::vector<used_column> columns_;
  std::vector<io::chosen_column> places_;
  std::vector<io::column_info> types_;
};

}  // namespace upsweep::cli
