/// The operators of a command over columns of a stream that may turn out to hold decimals after
/// all.
#pragma once

#include <cli/engine/operators.hpp>

#include <exception>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace upsweep::cli {

/// A folding_set whose columns of integers may become f64 from some chunk on, with the results that
/// it would have had if they had been f64 from the beginning. Only with `may_widen`, at the price
/// of computing with every column of integers twice.
class widening_set {
 public:
  widening_set(std::vector<operator_use> const& uses, std::vector<io::column_info> const& columns,
               folding_settings const& settings, bool may_widen);

  [[nodiscard]] std::vector<io::column_info> const& results() const noexcept { return results_; }
  [[nodiscard]] std::vector<std::pair<std::string, std::string>> const& origins() const noexcept {
    return origins_;
  }
  void restart(std::uint64_t first_row);
  /// Throws data_error when a column becomes f64 and results were shown (`rows`, then `clear`) that
  /// f64 would have rounded.
  void reduce(std::span<io::typed_column const> columns,
              std::span<std::uint64_t const> numbers = {});
  void scan(scan_kind kind, std::span<io::typed_column const> columns,
            std::span<std::uint64_t const> numbers = {});
  void finish();
  [[nodiscard]] std::vector<io::typed_column> rows() const;
  void clear();

 private:
  /// Columns that share operators: one of them, or all for an operator that takes several.
  struct part {
    std::vector<io::column_info> columns;
    folding_set set;
    std::optional<folding_set> wide = {};  ///< the same over f64
    std::exception_ptr narrow_only = {};   ///< why there is none: an operator for integers
    bool shown_the_same = true;            ///< all results so far are integers that f64 holds
  };
  template <class F>
  void for_each_part(std::span<io::typed_column const> columns, F const& f);
  static void widen(part& of, std::span<io::typed_column const> columns);

  std::vector<part> parts_;
  std::vector<io::column_info> results_;
  std::vector<std::pair<std::string, std::string>> origins_;
};

}  // namespace upsweep::cli
