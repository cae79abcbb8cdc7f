/// Tables on the terminal.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace upsweep::text {

/// Columns on a terminal: two of an East Asian character, none of a combining mark.
[[nodiscard]] std::size_t width_of(std::string_view text);

struct table_form {
  std::vector<bool> right =
      {};  ///< of each column; if empty, the first is left and the others right
  bool has_head = true;
  bool is_markdown = false;
  std::size_t least = 0;  ///< the least width of a column
};

/// Rows of cells, in columns as wide as their widest cell.
class text_table {
 public:
  text_table() = default;
  explicit text_table(std::vector<std::string> const& head) { add(head); }
  void add(std::vector<std::string> const& row) {
    for (auto const& cell : row) add_cell(cell);
    end_row();
  }
  void add_cell(std::string_view cell) {
    characters_ += cell;
    cell_ends_.push_back(characters_.size());
  }
  void end_row() { row_ends_.push_back(cell_ends_.size()); }
  [[nodiscard]] std::string text(table_form const& form = {}) const;

 private:
  std::string characters_;  // of all cells
  std::vector<std::size_t> cell_ends_, row_ends_;
};

}  // namespace upsweep::text
