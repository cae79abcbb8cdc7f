/// Lays out a table whose columns are as wide as their widest cell.
#include <text/table.hpp>

#include <algorithm>
#include <cstddef>
#include <string_view>

namespace upsweep::text {

namespace {

struct range {
  char32_t first, last;
  [[nodiscard]] bool has(char32_t c) const { return first <= c && c <= last; }
};
// The blocks of Unicode whose characters join the one before, or are invisible; and those that are
// two columns wide. Not exact: terminals differ about emoji and about marks of other scripts.
constexpr range joined[] = {{0x300, 0x36f},   {0x591, 0x5bd},   {0x610, 0x61a},   {0x64b, 0x65f},
                            {0x1ab0, 0x1aff}, {0x1dc0, 0x1dff}, {0x200b, 0x200f}, {0x20d0, 0x20ff},
                            {0xfe00, 0xfe0f}, {0xfe20, 0xfe2f}, {0xfeff, 0xfeff}};
constexpr range wide[] = {{0x1100, 0x115f},   {0x2e80, 0x303e},   {0x3041, 0xa4cf},
                          {0xac00, 0xd7a3},   {0xf900, 0xfaff},   {0xfe30, 0xfe6f},
                          {0xff00, 0xff60},   {0xffe0, 0xffe6},   {0x1f300, 0x1f64f},
                          {0x1f680, 0x1f6ff}, {0x1f900, 0x1f9ff}, {0x20000, 0x3fffd}};

std::size_t width_of(char32_t c) {
  auto const has = [c](range const& each) { return each.has(c); };
  return std::ranges::any_of(joined, has) ? 0 : std::ranges::any_of(wide, has) ? 2 : 1;
}

}  // namespace

std::size_t width_of(std::string_view text) {
  std::size_t width = 0;
  for (std::size_t at = 0; at < text.size();) {
    auto const byte = static_cast<unsigned char>(text[at++]);
    char32_t c = byte < 0x80 ? byte : byte & (0x3fu >> (byte >= 0xe0) >> (byte >= 0xf0));
    while (at < text.size() && (text[at] & 0xc0) == 0x80)
      c = c << 6 | (static_cast<unsigned char>(text[at++]) & 0x3fu);
    width += width_of(c);
  }
  return width;
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
