/// The operators of a command over the columns of a table.
#pragma once

#include <cli/engine/gapless_rows.hpp>
#include <cli/engine/operators.hpp>

#include <cstddef>
#include <cstdint>
#include <exception>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace upsweep::cli {

/// How many values there are of a column, or of several together ("x,y").
using value_counts = std::vector<std::pair<std::string, std::uint64_t>>;

/// Several operators over the columns of a table, in one pass. The results are columns too: sum(x),
/// max(x), sum(y), max(y), in the order of `applied`. With `may_widen`, columns of integers may
/// become f64 in a later chunk: as long as they have not, every operator is computed twice, in i64
/// and in f64, so that the results are those of columns that are f64 from the beginning.
class column_set {
 public:
  column_set() = default;
  column_set(std::vector<operator_use> const& uses, std::vector<io::column_info> const& columns,
             aggregate_settings const& settings, bool may_widen = false);

  /// A column of results, its operator and the column of values (for affine "a,b").
  struct result {
    io::column_info info;
    std::string op, column;
    std::size_t use, part, member, field;  ///< where it comes from
  };
  [[nodiscard]] std::vector<result> const& results() const noexcept { return results_; }
  /// Whether all rows of a group must be passed to collect() before they are scanned.
  [[nodiscard]] bool looks_ahead() const;

  void restart(std::uint64_t first_row);
  /// Adds rows of all columns, in the order given to the constructor. `numbers` are the row numbers
  /// if rows are skipped, otherwise empty; `present` is as in io::chunk. Throws data_error if a
  /// column becomes f64 after results were delivered (`rows`, then `clear`) that f64 would have
  /// rounded.
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
  /// What the operators keep of the rows scanned since restart(); see `aggregate`. Columns may have
  /// become f64 between the two.
  void save(saved_state& to) const;
  void load(saved_reader& from);

  /// Throws usage_error if an operator over columns of the table with values cannot reduce such a
  /// piece.
  void expect_takes(piece of, std::vector<bool> const& has_values) const;
  /// How many values there have been of each column, as the operators say that are not exact, and
  /// `count`; or only that.
  [[nodiscard]] value_counts counts(bool only_count) const;
  /// In a piece, before its first value: so many values precede it, or none if it is null. Values
  /// of other columns, for an operator that is not exact, are then a data_error.
  void place(value_counts const* before);
  /// The partials of the operators, as such a piece, whose f64 may be left out; and adds those of a
  /// later piece of so many rows. A column of missing values only, whose type is not known, has no
  /// values.
  void serialize(saved_state& to, piece as) const;
  void combine(saved_reader& from, std::vector<bool> const& has_values, std::uint64_t rows);

  /// The rows of results appended since clear(); valid until the next call.
  [[nodiscard]] std::vector<io::typed_column> rows() const;
  /// If rows may lack results, for each column of rows() whether they have one; otherwise empty.
  [[nodiscard]] std::vector<io::typed_column> present() const;
  /// For each column of results, how many values were missing since restart().
  [[nodiscard]] std::vector<std::uint64_t> missing() const;
  void clear();

 private:
  /// An operator and its rows of results.
  struct state {
    std::unique_ptr<aggregate> of;
    std::vector<column_buffer> results = {};
    std::vector<saved_state> latest = {};            // of each column, if rows repeat it
    column_buffer present{io::dtype::boolean};       // whether the rows of `results` have one
    std::vector<column_buffer> present_fields = {};  // the same of each field, if they may differ
    std::uint64_t missing = 0;
    std::exception_ptr not_placed = {};  // why it can take no values: their positions are unknown
  };
  struct member {
    std::vector<std::size_t> inputs;  // columns of the part
    std::vector<std::size_t> uses;    // for each field: the index of its use in the part
  };
  /// Some columns and their operators.
  struct part {
    std::vector<std::size_t> inputs;  // of the table
    std::vector<io::column_info> columns;
    std::vector<member> members = {};
    std::vector<state> narrow = {}, wide = {};  // of each member; and over f64, if it may become so
    std::exception_ptr narrow_only = {};  // why there is no f64: an operator for integers only
    bool shown_the_same = true;           // f64 holds all results delivered so far

    [[nodiscard]] bool has_any(std::vector<bool> const& has_values) const;
  };
  /// Makes the operators of a part.
  class maker;

  void add_part(std::vector<operator_use> const& uses, std::vector<std::size_t> const& inputs,
                std::vector<io::column_info> const& table, aggregate_settings const& settings,
                bool may_widen);
  /// Throws usage_error if an operator of a part cannot reduce such a piece.
  void expect_takes(std::size_t part, piece of, bool is_wide) const;
  static void widen(part& of, std::span<io::typed_column const> columns);
  template <class F>
  void for_each_state(F const& f);
  template <class F>
  void for_each_block(std::span<io::typed_column const> columns,
                      std::span<std::uint64_t const> numbers,
                      std::span<io::typed_column const> present, F const& f);
  template <class F>
  void for_blocks_of(part& of, std::span<std::uint64_t const> numbers, F const& f);
  io::typed_column value_column(io::typed_column values, std::size_t column, io::dtype type);
  void put_beside_rows(state& s, std::size_t values, io::typed_column present, std::size_t n);
  template <class F>
  static void save_part(part const& of, bool has_wide, saved_state& to, F const& save);
  template <class F>
  static void load_part(part& of, saved_reader& from, F const& load);
  /// Calls f(state, field) for each result.
  template <class F>
  void for_each_result(F const& f) const;

  std::vector<part> parts_;
  std::vector<result> results_;
  bool may_miss_ = false, may_lack_results_ = false, carries_ = false;
  gapless_rows block_;
  struct converted_column {
    column_buffer values;
    bool is_of_block = false;  // not of an earlier one
  };
  /// The current rows of a column in the type that an operator takes.
  std::map<std::pair<std::size_t, io::dtype>, converted_column> converted_;
  std::vector<io::typed_column> mine_, mine_present_;  // of the part at work
  std::vector<io::typed_column> values_;               // of the member at work
};

}  // namespace upsweep::cli
