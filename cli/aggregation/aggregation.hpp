/// The operators of `upsweep reduce` and `upsweep scan` over columns of numbers and of text: which
/// columns are read, and in which order the results are written.
#pragma once

#include <cli/engine/column_set.hpp>
#include <cli/engine/texts.hpp>
#include <cli/output/results.hpp>
#include <io/input.hpp>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace upsweep::cli {

/// What is asked for, first in words, then, once the input is open, by the positions of columns.
class aggregation_plan {
 public:
  struct result {
    bool is_text_set;   ///< of text_uses(), not of numeric_uses()
    std::size_t index;  ///< among them
  };

  /// `columns` are those of --column, `by` those of --by, `keep` those that are only written.
  aggregation_plan(std::vector<operator_use> uses, std::vector<std::string> columns,
                   std::vector<std::string> const& by, std::vector<std::string> keep = {});
  /// One that resolve() has resolved before.
  aggregation_plan(std::vector<operator_use> numeric, std::vector<operator_use> texts,
                   std::vector<result> results)
      : numeric_(std::move(numeric)), text_(std::move(texts)), results_(std::move(results)) {}

  /// Chooses the columns to read.
  void choose(io::input_options& options) const;
  /// Finds them in the open input.
  void resolve(io::input const& in);

  [[nodiscard]] std::vector<operator_use> const& numeric_uses() const noexcept { return numeric_; }
  [[nodiscard]] std::vector<operator_use> const& text_uses() const noexcept { return text_; }
  /// Of the columns of times of window-by, those that are dates: their keys in the input. Their
  /// nanoseconds follow the columns of numbers.
  [[nodiscard]] std::vector<std::size_t> const& dates() const noexcept { return dates_; }
  /// The results in the order in which they were asked for; empty if they all are numeric.
  [[nodiscard]] std::vector<result> const& results() const noexcept { return results_; }
  /// True if an operator's result, or its error of a row, is the number of a row.
  [[nodiscard]] bool needs_row_numbers() const;
  /// The first operator that takes strings only; empty if there is none.
  [[nodiscard]] std::string operator_of_texts() const;

 private:
  void add(operator_use use, io::chosen_column const& column);
  [[nodiscard]] std::size_t place_of_text(io::input const& in, std::string const& op,
                                          std::string const& column);

  std::vector<operator_use> uses_;
  std::vector<std::string> columns_;           // of --column
  std::vector<std::string> own_;               // of operators that name their column, each once
  std::vector<std::string> by_, keep_, keys_;  // keys_: of operators of strings only
  bool counts_rows_ = false, may_count_rows_ = false;
  bool joins_columns_ = false, only_texts_ = false;  // of strings, in --column
  std::vector<operator_use> numeric_, text_;
  std::vector<std::size_t> dates_;
  std::vector<result> results_;
};

/// What an aggregation has to know of an input.
struct table_columns {
  std::vector<io::column_info> columns;
  std::vector<std::string> key_names;
  bool may_widen;                    ///< integers may become f64
  io::number_spelling numbers = {};  ///< of strings that operators take for numbers

  static table_columns of(io::input const& in, io::number_spelling numbers) {
    return {in->columns, in->keys, in->may_widen, std::move(numbers)};
  }
};

/// Results in rows, of which those of text are keys.
class aggregation {
 public:
  aggregation(aggregation_plan const& plan, table_columns const& in,
              aggregate_settings const& settings);

  /// Names of the results that are strings, and names and types of the others.
  [[nodiscard]] std::vector<std::string> const& texts() const noexcept { return text_names_; }
  [[nodiscard]] std::vector<io::column_info> const& columns() const noexcept { return columns_; }
  /// The keys of a row of results: those of the input, then the strings.
  [[nodiscard]] std::vector<written_key> keys(std::vector<written_key> of_input) const;
  /// The order of the results: strings, then columns; after `keys` keys that come first.
  [[nodiscard]] std::vector<std::size_t> order(std::size_t keys) const;
  struct origin {
    std::string op, column;     ///< no column: count of the rows
    std::uint64_t missing = 0;  ///< values of the column since restart()
  };
  /// Of each result, in the order of `order`.
  [[nodiscard]] std::vector<origin> origins() const;

  /// Whether all rows of a group must be passed to collect() before they are scanned.
  [[nodiscard]] bool looks_ahead() const { return numbers_.looks_ahead(); }

  void restart(std::uint64_t row);
  /// Adds rows [first, first + n).
  void add(io::chunk const& rows, std::size_t first, std::size_t n);
  /// Shows them to the operators that look ahead.
  void collect(io::chunk const& rows, std::size_t first, std::size_t n);
  /// Adds them and appends as many rows of results.
  void scan(scan_kind kind, io::chunk const& rows, std::size_t first, std::size_t n);
  /// Appends a row: the results of all rows since restart().
  void finish();
  /// What the operators keep of the rows scanned since restart(); see `aggregate`.
  void save(saved_state& to) const;
  void load(saved_state const& from);
  /// The operators over numbers.
  [[nodiscard]] column_set& numbers() noexcept { return numbers_; }
  /// What the operators keep of the rows since restart(), as such a piece; and adds those of a
  /// later piece, as column_set does.
  [[nodiscard]] saved_state save_part(piece as = piece::in_place) const;
  /// From now on finish() appends not the results, but what save_part() returns, as a column of
  /// text.
  void deliver_parts(piece as = piece::in_place) {
    parts_.emplace();
    parts_as_ = as;
  }
  void join_part(std::span<std::byte const> part, std::vector<bool> const& has_values,
                 std::uint64_t rows);
  /// The rows of results since clear().
  [[nodiscard]] io::chunk rows() const;
  void clear();

 private:
  /// Appends the nanoseconds of dates to the values of the rows.
  void take_dates(io::chunk const& rows, std::size_t first, std::size_t n);
  /// Takes the values of rows [first, first + n); returns the rows' numbers.
  std::span<std::uint64_t const> take(io::chunk const& rows, std::size_t first, std::size_t n);

  column_set numbers_;
  text_set texts_;
  std::optional<text_buffer> parts_;
  piece parts_as_ = piece::in_place;
  std::vector<aggregation_plan::result> order_;
  std::vector<std::string> text_names_;
  std::vector<io::column_info> columns_;
  std::size_t counts_ = 0;  // results that are numbers, of strings
  std::size_t finished_ = 0;
  std::vector<io::typed_column> values_, present_;
  std::shared_ptr<io::missing_words const> missing_;
  std::vector<std::size_t> dates_;  // keys
  std::vector<std::string> date_names_;
  std::vector<column_buffer> of_dates_, present_dates_;
};

/// What an object of JSON says beside the results of a whole input.
struct results_source {
  std::string mode, input;
  io::container format;
  std::uint64_t rows, skipped;
  bool says_missing;  ///< how many values were missing, beside each result
};

/// Writes this object: the results of `from`, which has finished once.
void write_results_object(output_flags const& flags, results_source const& of,
                          aggregation const& from);

}  // namespace upsweep::cli
