/// Lays out a table whose columns are as wide as their widest cell.
#include <text/table.hpp>

#include <algorithm>
#include <cstddef>

namespace upsweep::text {

std::size_t width_of(std::string const& text) {
  return static_cast<std::size_t>(
      std::count_if(text.begin(), text.end(), [](char c) { return (c & 0xc0) != 0x80; }));
}

std::string text_table::text() const {
  std::vector<std::size_t> widths;
  for (auto const& row : rows_)
    for (std::size_t c = 0; c < row.size(); ++c) {
      if (widths.size() <= c) widths.resize(c + 1, 0);
      widths[c] = std::max(widths[c], width_of(row[c]));
    }
  std::string all;
  for (auto const& row : rows_) {
    std::string line;
    for (std::size_t c = 0; c < row.size(); ++c) {
      std::string const gap(widths[c] - width_of(row[c]), ' ');
      line += c == 0 ? row[c] + gap : "  " + gap + row[c];
    }
    while (line.ends_with(' ')) line.pop_back();
    all += line + '\n';
  }
  return all;
}

}  // namespace upsweep::text
