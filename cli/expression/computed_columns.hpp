/// Columns that are computed by expressions, for every command that chooses columns.
#pragma once

#include <cli/expression/expression.hpp>
#include <io/column_choice.hpp>
#include <io/input.hpp>
#include <io/text_types.hpp>

#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace upsweep::cli {

/// A chosen column is, in this order: a column of that name; a position, a range or "all"; an
/// expression, in which a minus sign has blanks or parentheses beside it. "EXPRESSION as NAME" has
/// that name. `input_options::as_text` excludes expressions among the columns.
class expression_columns final : public io::computed_columns {
 public:
  [[nodiscard]] bool needs_header(std::string const& wanted) const override;
  void replace(io::input_options& options, io::column_table const& table) override;
  [[nodiscard]] std::unique_ptr<io::reader> computed(std::unique_ptr<io::reader> file) override;

 private:
  friend class computing_reader;
  /// What a chosen column or key is.
  struct item {
    std::optional<std::size_t> expression{};
    std::size_t columns = 1;  ///< of the file, if it is none
    std::string name{};       ///< empty: that of the file
    io::column_use use{};     ///< with `as_numbers` an expression must not be a text
  };
  item item_of(std::string& word, io::column_table const& table);
  [[nodiscard]] bool has_names() const;
  void choose_rest(io::input_options& options, io::column_table const& table);
  void add_columns(io::input_options& options);

  expressions all_;
  std::vector<item> columns_, keys_;
  std::size_t singles_ = 0;          // of the columns read, those that are one each
  std::vector<std::size_t> places_;  // of the columns of all_, among these singles
  std::shared_ptr<io::missing_words const> missing_;
  bool skips_ = false;  // rows in which a chosen value is missing
};

}  // namespace upsweep::cli
