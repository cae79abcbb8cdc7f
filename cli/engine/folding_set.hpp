/// The operators of a command over the columns of a table.
#pragma once

#include <cli/engine/gapless_rows.hpp>
#include <cli/engine/operators.hpp>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace upsweep::cli {

/// How many values there are of a column, or of several together ("x,y").
using value_counts = std::vector<std::pair<std::string, std::uint64_t>>;

/// Several operators over the columns of a table, in one pass. The results are columns too: sum(x),
/// max(x), sum(y), max(y), in the order of `applied`.
class folding_set {
 public:
  folding_set(std::vector<operator_use> const& uses, std::vector<io::column_info> const& columns,
              folding_settings const& settings);

  /// Names and types of the columns of results.
  [[nodiscard]] std::vector<io::column_info> const& results() const noexcept { return results_; }
  /// For each column of results: the operator and the column of values (for affine "a,b").
  [[nodiscard]] std::vector<std::pair<std::string, std::string>> const& origins() const noexcept {
    return origins_;
  }

  /// True if every operator takes its values as `type`, whatever the types of the columns.
  [[nodiscard]] bool takes_only(io::dtype type) const;

  /// Whether all rows of a group must be passed to collect() before they are scanned.
  [[nodiscard]] bool looks_ahead() const;

  void restart(std::uint64_t first_row);
  /// Adds rows of all columns, in the order given to the constructor. `numbers` are the row numbers
  /// if rows are skipped, otherwise empty; `present` is as in io::chunk.
  void reduce(std::span<io::typed_column const> columns,
              std::span<std::uint64_t const> numbers = {},
              std::span<io::typed_column const> present = {});
  /// Shows rows to the operators that look ahead. All are then passed to scan().
  void collect(std::span<io::typed_column const> columns,
               std::span<io::typed_column const> present = {});
  /// Adds rows and appends as many rows of results. A row in which an operator's column has no
  /// value has no result of it.
  void scan(scan_kind kind, std::span<io::typed_column const> columns,
            std::span<std::uint64_t const> numbers = {},
            std::span<io::typed_column const> present = {});
  /// Appends one row: the results of all rows since restart().
  void finish();
  /// What the operators keep of the rows scanned since restart(); see `folding`.
  void save(saved_state& to) const;
  void load(saved_reader& from);

  /// Throws usage_error if an operator cannot reduce such a piece.
  void expect_takes(piece of) const;
  /// How many values there have been of each column, as the operators say that are not exact, and
  /// `count`; or only that.
  [[nodiscard]] value_counts counts(bool only_count) const;
  /// In a piece, before its first value: so many values precede it, or none if it is null. Throws
  /// data_error if an operator that is not exact is over other columns.
  void place(value_counts const* in_front);
  /// The partials of the operators; see `folding`.
  void save_part(saved_state& to) const;
  void join_part(saved_reader& from);
  /// Adds rows without a value.
  void join_missing(std::uint64_t rows);

  /// The rows of results appended since clear(); valid until the next call.
  [[nodiscard]] std::vector<io::typed_column> rows() const;
  /// Whether a field may lack a result although there are values.
  [[nodiscard]] bool may_lack_fields() const;
  /// With folding_settings::missing, or of reductions if `wanted`, for each column of rows()
  /// whether the rows have a result; otherwise empty.
  [[nodiscard]] std::vector<io::typed_column> present(bool wanted) const;
  /// For each column of results, how many values were missing since restart().
  [[nodiscard]] std::vector<std::uint64_t> missing() const;
  [[nodiscard]] std::size_t row_count() const;
  void clear();

 private:
  struct member {
    std::unique_ptr<folding> fold;
    std::vector<std::size_t> inputs;  // columns
    std::vector<std::size_t> uses;    // for each field: the index of its use in applied()
    std::vector<column_buffer> results = {};
    std::vector<latest_result> latest = {};          // of each column, if rows repeat it
    column_buffer present{io::dtype::boolean};       // whether the rows of `results` have one
    std::vector<column_buffer> present_fields = {};  // the same of each field, if they may differ
    std::uint64_t missing = 0;
  };
  void add_joint(std::vector<operator_use> const& uses, std::size_t wanted,
                 std::vector<io::column_info> const& columns, folding_settings const& settings);
  void add(std::unique_ptr<folding> fold, std::vector<std::size_t> inputs,
           std::vector<std::size_t> uses, folding_settings const& settings);
  void add_sharing(std::vector<operator_use> const& uses, std::vector<std::size_t> const& here,
                   std::size_t column, io::dtype type, folding_settings const& settings);
  template <class F>
  void for_each_block(std::span<io::typed_column const> columns,
                      std::span<std::uint64_t const> numbers,
                      std::span<io::typed_column const> present, F const& f);
  void give_gaps(member& m, std::span<io::typed_column const> columns,
                 std::span<io::typed_column const> present, std::size_t first, std::size_t n);
  io::typed_column value_column(io::typed_column values, std::size_t column, io::dtype type,
                                std::vector<bool>& fresh);

  std::vector<member> members_;
  std::vector<std::pair<std::size_t, std::size_t>> order_;  // for result r: its member and field
  std::vector<io::column_info> results_;
  std::vector<std::pair<std::string, std::string>> origins_;
  void put_beside_rows(member& m, std::size_t values, io::typed_column present, std::size_t n);

  bool may_miss_ = false, may_lack_results_ = false, carries_ = false;
  gapless_rows block_;
  std::vector<column_buffer> widened_;  // current rows, converted to the type an operator takes
  std::vector<std::vector<std::size_t>> widened_of_;  // which of them each column has
  std::vector<io::typed_column> values_;              // of the member at work
};

}  // namespace upsweep::cli
