/// Operators over columns of text: concat, decimal-sum, first, last, min, max, count, distinct,
/// mode, run, session; and count of the rows.
#pragma once

#include <cli/engine/buffers.hpp>
#include <cli/engine/operators.hpp>
#include <cli/engine/saved_state.hpp>
#include <io/dtype.hpp>

#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace upsweep::cli {

/// One operator over a column of text.
class text_folding {
 public:
  virtual ~text_folding() = default;
  virtual void restart() = 0;
  /// Adds rows [first, first + n) of `column`, which is null for count of the rows.
  virtual void add(io::text_column const* column, std::size_t first, std::size_t n) = 0;
  /// Whether the result is a number, u64, instead of a text.
  [[nodiscard]] virtual bool is_number() const noexcept { return false; }
  /// Throws data_error if there were no rows and the operator needs one.
  [[nodiscard]] virtual std::string_view text() const { return {}; }
  [[nodiscard]] virtual std::uint64_t number() const { return 0; }
  /// False if text() would throw that error.
  [[nodiscard]] virtual bool has_result() const noexcept { return true; }
  /// Appends what join() needs of the rows since restart().
  virtual void save(saved_state& to) const = 0;
  /// Adds the rows of a later piece.
  virtual void join(saved_reader& from) = 0;
};

/// Several of them, in one pass, and their results.
class text_set {
 public:
  /// Each use has the index of its column of text in `at`, or none if it counts rows. Throws
  /// usage_error if there is an initial value, which texts do not have.
  text_set(std::vector<operator_use> const& uses, std::vector<std::string> const& columns,
           folding_settings const& settings);

  struct result_name {
    std::string name, op, column;
    bool is_number;
  };
  [[nodiscard]] std::vector<result_name> const& results() const noexcept { return results_; }
  void restart();
  void add(std::span<io::text_column const> columns, std::size_t first, std::size_t n);
  /// Adds rows and appends as many rows of results.
  void scan(scan_kind kind, std::span<io::text_column const> columns, std::size_t first,
            std::size_t n);
  /// How many texts were missing since restart().
  [[nodiscard]] std::uint64_t missing(std::size_t f) const { return missing_[f]; }
  /// Appends one row: the results of all rows since restart().
  void finish();
  /// What the operators keep of the rows since restart(), and adds them as later rows.
  void save(saved_state& to) const;
  void join(saved_reader& from);

  /// Appends the results since clear() to the rows: texts to the keys, numbers to the columns.
  void append_to(io::chunk& rows) const;
  void clear();

 private:
  void append(std::size_t f, bool has_result = true);
  [[nodiscard]] bool is_missing(io::text_column const* column, std::size_t row) const;

  std::vector<std::unique_ptr<text_folding>> foldings_;
  std::shared_ptr<io::missing_words const> words_;  // null: no text is missing
  bool may_lack_results_, carries_;
  std::vector<std::optional<std::size_t>> inputs_;
  std::vector<std::uint64_t> missing_;
  std::vector<result_name> results_;
  std::vector<text_buffer> texts_;      // of each folding, if its result is a text
  std::vector<column_buffer> counts_;   // if it is a number
  std::vector<column_buffer> present_;  // whether there is one
};

}  // namespace upsweep::cli
