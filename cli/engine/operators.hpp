/// The operators by their names on the command line, and the set of operators of a command.
#pragma once

#include <cli/engine/folding.hpp>

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace upsweep::cli {

/// An operator of the catalog, a result derived from one, or median or quantile.
struct listed_operator {
  catalog::id id;
  std::string_view name;
  catalog::operand_kind takes;
  std::string_view parameter;  ///< "WEIGHT" in ema:WEIGHT; empty if there is none; in brackets if
                               ///< it is optional
  std::string_view meaning;
  bool ordered;  ///< its result is an ordered number, not a row number, bits or a matrix
};

/// median and quantile:Q, which are no operators of the library: they need all values at once. The
/// ids follow those of the catalog.
inline constexpr std::size_t catalog_size = catalog::operator_count + catalog::derived.size();
inline constexpr auto median_id = static_cast<catalog::id>(catalog_size);
inline constexpr auto quantile_id = static_cast<catalog::id>(catalog_size + 1);
[[nodiscard]] constexpr bool is_quantile(catalog::id id) noexcept {
  return id == median_id || id == quantile_id;
}

/// Every operator, in the order of `upsweep list`, which is that of the ids.
[[nodiscard]] std::vector<listed_operator> const& operators();
[[nodiscard]] std::vector<std::string> operator_names();
[[nodiscard]] listed_operator const& listed(catalog::id id);

/// Parses "sum,ema:0.1". Throws usage_error for an unknown operator and suggests the nearest.
[[nodiscard]] std::vector<operator_use> parse_operators(std::vector<std::string> const& words);

/// Several operators over the columns of a table, in one pass. The results are columns too: sum(x),
/// max(x), sum(y), max(y).
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

  void restart(std::uint64_t first_row);
  /// Adds rows of all columns, in the order given to the constructor. `numbers` are the row numbers
  /// if rows are skipped, otherwise empty.
  void reduce(std::span<io::typed_column const> columns,
              std::span<std::uint64_t const> numbers = {});
  /// Adds rows and appends as many rows of results.
  void scan(scan_kind kind, std::span<io::typed_column const> columns,
            std::span<std::uint64_t const> numbers = {});
  /// Appends one row: the results of all rows since restart().
  void finish();

  /// The rows of results appended since clear(); valid until the next call.
  [[nodiscard]] std::vector<io::typed_column> rows() const;
  [[nodiscard]] std::size_t row_count() const;
  void clear();

 private:
  struct member {
    std::unique_ptr<folding> fold;
    std::vector<std::size_t> inputs;  // columns
    std::vector<column_buffer> results;
  };
  /// The current rows of a column, converted to the type that an operator takes.
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
  std::vector<std::pair<std::size_t, std::size_t>> order_;  // for result r: its member and field
  std::vector<io::column_info> results_;
  std::vector<std::pair<std::string, std::string>> origins_;
  std::vector<widened> widened_;
};

}  // namespace upsweep::cli
