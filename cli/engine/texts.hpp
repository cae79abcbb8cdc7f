/// Operators over columns of text: concat, distinct-list, those of decimals, first, last, min, max,
/// count, distinct, mode, run, session, the arg operators with a second column; and count of the
/// rows.
#pragma once

#include <cli/engine/buffers.hpp>
#include <cli/engine/operators.hpp>
#include <cli/engine/saved_state.hpp>
#include <cli/engine/string_order.hpp>
#include <io/dtype.hpp>
#include <io/text_types.hpp>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace upsweep::cli {

/// Rows [first, end) of a chunk, and the columns of them that an operator takes.
struct text_rows {
  io::chunk const& chunk;
  io::text_column const* column;  ///< null for count of the rows
  io::text_column const* other;   ///< of argmax:price:name, the names
  std::size_t first, end;

  [[nodiscard]] std::string_view operator[](std::size_t row) const { return (*column)[row]; }
  /// "Row 3: ", with the number of the row in the file from 1, for errors.
  [[nodiscard]] std::string place(std::size_t row) const;
};

class text_aggregate {
 public:
  virtual ~text_aggregate() = default;
  virtual void initialize() = 0;
  virtual void update(text_rows const& rows) = 0;
  /// Whether the result is a number, u64, instead of a text.
  [[nodiscard]] virtual bool is_number() const noexcept { return false; }
  /// Valid until the next call. Throws data_error if there were no rows and the operator needs one.
  [[nodiscard]] virtual std::string_view text() const { return {}; }
  [[nodiscard]] virtual std::uint64_t number() const { return 0; }
  /// False if text() would throw that error.
  [[nodiscard]] virtual bool has_result() const noexcept { return true; }
  /// Appends what combine() needs of the rows since initialize().
  virtual void serialize(saved_state& to) const = 0;
  /// Adds the rows of a later piece.
  virtual void combine(saved_reader& from) = 0;
};

/// Throws data_error: there were no rows, but the operator `name` needs one.
[[noreturn]] void refuse_empty(std::string_view name);

/// concat, distinct and distinct-list.
[[nodiscard]] std::unique_ptr<text_aggregate> make_text_list(operator_use const& use);
/// decimal-sum, decimal-mean and decimal-product.
[[nodiscard]] std::unique_ptr<text_aggregate> make_decimals(operator_use const& use,
                                                            std::string const& column,
                                                            io::number_spelling const& numbers);
/// argmax:price:name and its like: the name in the row of the largest price. `from_end`: the last
/// row comes first.
[[nodiscard]] std::unique_ptr<text_aggregate> make_arg_text(operator_use const& use,
                                                            std::string const& column,
                                                            io::number_spelling const& numbers,
                                                            bool from_end);

/// Several operators, in one pass, and their results.
class text_set {
 public:
  /// Each use has the index of its column of text in `at`, or none if it counts rows, and that of a
  /// second one in `others_at`. Throws usage_error if there is an initial value: strings have
  /// none.
  text_set(std::vector<operator_use> const& uses, std::vector<std::string> const& columns,
           io::number_spelling const& numbers, aggregate_settings const& settings);

  struct result_name {
    std::string name, op, column;
    bool is_number, is_decimal;
    std::optional<std::size_t> key;  ///< it is a text of this key's column, chosen by another
  };
  [[nodiscard]] std::vector<result_name> const& results() const noexcept { return results_; }
  void restart();
  void add(io::chunk const& rows, std::size_t first, std::size_t n);
  /// Adds rows and appends as many rows of results.
  void scan(scan_kind kind, io::chunk const& rows, std::size_t first, std::size_t n);
  /// How many strings were missing since restart().
  [[nodiscard]] std::uint64_t missing(std::size_t f) const { return missing_[f]; }
  /// Appends one row: the results of all rows since restart().
  void finish();
  /// What the operators keep of the rows since restart(), and adds them as later rows.
  void serialize(saved_state& to) const;
  void combine(saved_reader& from);

  /// Appends the results since clear() to the rows: strings to the keys, numbers to the columns.
  void append_to(io::chunk& rows) const;
  void clear();

 private:
  /// Where an operator's columns are among the keys of a chunk.
  struct places {
    std::optional<std::size_t> column, other;
  };
  void append(std::size_t f, bool has_result = true);
  [[nodiscard]] text_rows rows_of(std::size_t f, io::chunk const& rows, std::size_t first,
                                  std::size_t n) const;
  [[nodiscard]] bool is_missing(text_rows const& rows, std::size_t row) const;

  std::vector<std::unique_ptr<text_aggregate>> aggregates_;
  std::shared_ptr<io::missing_words const> words_;  // null: no text is missing
  bool may_lack_results_, carries_;
  std::vector<places> inputs_;
  std::vector<std::uint64_t> missing_;
  std::vector<result_name> results_;
  std::vector<text_buffer> texts_;      // of each operator whose result is text
  std::vector<column_buffer> counts_;   // of the others
  std::vector<column_buffer> present_;  // whether there is one
};

}  // namespace upsweep::cli
