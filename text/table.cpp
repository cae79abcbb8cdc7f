/// Lays out a table whose columns are as wide as their widest cell.
#include <text/table.hpp>

#include <algorithm>
#include <cstddef>
#include <string_view>

namespace upsweep::text {

std::size_t width_of(std::string_view text) {
  return static_cast<std::size_t>(
      std::count_if(text.begin(), text.end(), [](char c) { return (c & 0xc0) != 0x80; }));
}

std::string text_table::text(table_form const& form) const {
  auto const first_of = [&](std::size_t row) { return row == 0 ? 0 : row_ends_[row - 1]; };
  auto const cell_of = [&](std::size_t at) {
    std::size_t const begin = at == 0 ? 0 : cell_ends_[at - 1];
    return std::string_view(characters_).substr(begin, cell_ends_[at] - begin);
  };
  std::vector<std::size_t> widths, width(cell_ends_.size());  // of columns, of cells
  for (std::size_t i = 0; i < row_ends_.size(); ++i)
    for (std::size_t at = first_of(i), c = 0; at < row_ends_[i]; ++at, ++c) {
      if (widths.size() <= c) widths.resize(c + 1, form.least);
      width[at] = width_of(cell_of(at));
      widths[c] = std::max(widths[c], width[at]);
    }
  auto const is_right = [&](std::size_t c) { return form.right.empty() ? c > 0 : form.right[c]; };
  std::string all;
  all.reserve(characters_.size() + 4 * cell_ends_.size());
  for (std::size_t i = form.has_head ? 0 : 1; i < row_ends_.size(); ++i) {
    auto const begin = all.size();
    if (form.is_markdown) all += "| ";
    for (std::size_t at = first_of(i), c = 0; at < row_ends_[i]; ++at, ++c) {
      auto const cell = cell_of(at);
      auto const gap = widths[c] - width[at];
      if (c > 0) all += form.is_markdown ? " | " : "  ";
      if (is_right(c)) all.append(gap, ' ');
      all += cell;
      if (!is_right(c)) all.append(gap, ' ');
    }
    if (form.is_markdown) all += " |";
    while (all.size() > begin && all.back() == ' ') all.pop_back();
    all += '\n';
    if (i > 0 || !form.is_markdown) continue;
    for (std::size_t c = 0; c < widths.size(); ++c)
      all += "| " + std::string(widths[c] - 1, '-') + (is_right(c) ? ": " : "- ");
    all += "|\n";
  }
  return all;
}

}  // namespace upsweep::text
