/// The operators of a command over columns of a stream whose integers may turn into decimals.
#pragma once

#include <cli/engine/folding_set.hpp>

#include <cstddef>
#include <cstdint>
#include <exception>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace upsweep::cli {

/// A folding_set whose columns of integers may become f64 in a later chunk. Its results are those
/// of columns that are f64 from the beginning. With `may_widen` it computes every integer column
/// twice, in i64 and in f64.
class widening_set {
 public:
  widening_set(std::vector<operator_use> const& uses, std::vector<io::column_info> const& columns,
               folding_settings const& settings, bool may_widen);

  [[nodiscard]] std::vector<io::column_info> const& results() const noexcept { return results_; }
  [[nodiscard]] std::vector<std::pair<std::string, std::string>> const& origins() const noexcept {
    return origins_;
  }
  [[nodiscard]] bool looks_ahead() const;
  void restart(std::uint64_t first_row);
  /// Throws data_error if a column becomes f64 after results were delivered (`rows`, then `clear`)
  /// that f64 would have rounded.
  void reduce(std::span<io::typed_column const> columns,
              std::span<std::uint64_t const> numbers = {},
              std::span<io::typed_column const> present = {});
  /// As of folding_set.
  void collect(std::span<io::typed_column const> columns,
               std::span<io::typed_column const> present);
  void scan(scan_kind kind, std::span<io::typed_column const> columns,
            std::span<std::uint64_t const> numbers = {},
            std::span<io::typed_column const> present = {});
  void finish();
  /// What the operators keep of the rows scanned since restart(); see `folding`. Columns may have
  /// become f64 between the two.
  void save(saved_state& to) const;
  void load(saved_reader& from);
  /// Throws usage_error if an operator cannot reduce such a piece.
  void expect_takes(piece of, std::vector<bool> const& has_values) const;
  /// See folding_set.
  [[nodiscard]] value_counts counts(bool only_count) const;
  void place(value_counts const* in_front);
  /// The partials of the operators, as such a piece, whose f64 may be left out; and adds those of a
  /// later piece of so many rows. A column of missing values only, whose type is not known, has no
  /// values.
  void save_part(saved_state& to, piece as) const;
  void join_part(saved_reader& from, std::vector<bool> const& has_values, std::uint64_t rows);
  [[nodiscard]] std::vector<io::typed_column> rows() const;
  /// As of folding_set.
  [[nodiscard]] std::vector<io::typed_column> present() const;
  [[nodiscard]] std::vector<std::uint64_t> missing() const;
  void clear();

 private:
  /// Some columns and their operators.
  struct part {
    std::vector<std::size_t> inputs;  ///< of the table
    std::vector<io::column_info> columns;
    folding_set set;
    std::optional<folding_set> wide = {};  ///< the same over f64
    std::exception_ptr narrow_only = {};   ///< why `wide` is absent: an operator for integers only
    bool shown_the_same = true;            ///< f64 holds all results delivered so far

    /// Whether one of its columns, which begin at `first`, has values.
    [[nodiscard]] bool has_any(std::vector<bool> const& has_values, std::size_t first) const {
      bool any = false;
      for (std::size_t c = 0; c < columns.size(); ++c) any = any || has_values[first + c];
      return any;
    }
  };
  template <class F>
  void for_each_part(std::span<io::typed_column const> columns,
                     std::span<io::typed_column const> present, F const& f);
  /// For each result of a part's set, in the order of results().
  template <class F>
  [[nodiscard]] auto collected(F const& of) const;
  static void widen(part& of, std::span<io::typed_column const> columns);

  void add_part(std::vector<operator_use> const& uses, std::vector<io::column_info> const& table,
                std::vector<std::size_t> const& inputs, folding_settings const& settings,
                bool may_widen);

  std::vector<part> parts_;
  std::vector<io::typed_column> mine_, mine_present_;       // of the part at work
  std::vector<std::pair<std::size_t, std::size_t>> order_;  // for result r: its part, and where
  std::vector<io::column_info> results_;
  std::vector<std::pair<std::string, std::string>> origins_;
};

}  // namespace upsweep::cli
