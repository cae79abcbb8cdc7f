/// The operators by the names of the command line, and all that one command applies, as one set.
#pragma once

#include <cli/engine/folding.hpp>

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace upsweep::cli {

/// A row of the catalog, of an operator or of a result that is derived from one.
struct listed_operator {
  catalog::id id;
  std::string_view name;
  catalog::operand_kind takes;
  std::string_view parameter;  ///< "WEIGHT" in ema:WEIGHT; empty when there is none; in brackets
                               ///< when it may be left away
  std::string_view meaning;
  bool ordered;  ///< a result is one number in an order: no row, no bits, no matrix
};

/// Every operator, in the order of `upsweep list`, which is that of catalog::id.
[[nodiscard]] std::vector<listed_operator> const& operators();
[[nodiscard]] std::vector<std::string> operator_names();
[[nodiscard]] listed_operator const& listed(catalog::id id);

/// "sum,ema:0.1" as uses; a name that is no operator is a usage_error which proposes the nearest.
[[nodiscard]] std::vector<operator_use> parse_operators(std::vector<std::string> const& words);

/// Several operators over the columns of one table, in one pass. The results are columns too:
/// sum(x), max(x), sum(y), max(y).
class folding_set {
 public:
  folding_set(std::vector<operator_use> const& uses, std::vector<io::column_info> const& columns,
              folding_settings const& settings);

  /// One for each column of results.
  [[nodiscard]] std::vector<io::column_info> const& results() const noexcept { return results_; }
  /// Of each column of results: the operator and the column of values (for affine "a,b").
  [[nodiscard]] std::vector<std::pair<std::string, std::string>> const& origins() const noexcept {
    return origins_;
  }

  /// True when every operator sees its values as `type`, whatever the columns hold.
  [[nodiscard]] bool takes_only(io::dtype type) const;

  void restart(std::uint64_t first_row);
  /// The next rows, every column given when the set was made, in that order. `numbers`: which rows
  /// they are, where rows are left out; else nothing.
  void reduce(std::span<io::typed_column const> columns,
              std::span<std::uint64_t const> numbers = {});
  /// The same, and appends as many rows of results.
  void scan(scan_kind kind, std::span<io::typed_column const> columns,
            std::span<std::uint64_t const> numbers = {});
  /// Appends one row: the results of all rows since restart().
  void finish();

  /// The rows of results appended since clear(), good until the next call.
  [[nodiscard]] std::vector<io::typed_column> rows() const;
  [[nodiscard]] std::size_t row_count() const;
  void clear();

 private:
  struct member {
    std::unique_ptr<folding> fold;
    std::vector<std::size_t> inputs;  // columns
    std::vector<column_buffer> results;
  };
  /// A column in one of the types in which operators want it, filled for the rows at hand.
  struct widened {
    std::size_t column;
    column_buffer values;
  };

  void add_joint(operator_use const& use, std::size_t wanted,
                 std::vector<io::column_info> const& columns, folding_settings const& settings);
  void add(std::unique_ptr<folding> fold, std::vector<std::size_t> inputs,
           folding_settings const& settings);
  void add_column(std::vector<operator_use> const& uses,
                  std::vector<io::column_info> const& columns, std::size_t column,
                  folding_settings const& settings);
  template <class F>
  void for_each_block(std::span<io::typed_column const> columns,
                      std::span<std::uint64_t const> numbers, F const& f);
  io::typed_column value_column(io::typed_column values, std::size_t column, io::dtype type,
                                std::vector<bool>& fresh);

  std::vector<member> members_;
  std::vector<std::pair<std::size_t, std::size_t>>
      order_;  // of result r: its member, and which of its fields
  std::vector<io::column_info> results_;
  std::vector<std::pair<std::string, std::string>> origins_;
  std::vector<widened> widened_;
};

}  // namespace upsweep::cli
