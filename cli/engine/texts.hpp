/// Operators over columns of text: concat, first, last, min, max, count, distinct; and count of the
/// rows.
#pragma once

#include <cli/engine/buffers.hpp>
#include <cli/engine/operators.hpp>
#include <io/dtype.hpp>

#include <memory>
#include <span>
#include <string>
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
  [[nodiscard]] virtual std::string text() const { return {}; }
  [[nodiscard]] virtual std::uint64_t number() const { return 0; }
};

/// Several of them, in one pass. Copies share nothing.
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
  /// Result r of all rows since restart().
  [[nodiscard]] text_folding const& result(std::size_t r) const { return *foldings_[r]; }

 private:
  std::vector<std::unique_ptr<text_folding>> foldings_;
  std::vector<std::optional<std::size_t>> inputs_;
  std::vector<result_name> results_;
};

}  // namespace upsweep::cli
