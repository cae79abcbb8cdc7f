/// The combining tree in a terminal: a line per level, a column per element.
#include <lab/page.hpp>
#include <text/table.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <string>
#include <vector>

namespace upsweep::lab {

namespace {

std::string shown(picture_node const& n, tree_text what) {
  auto const& text = what == tree_text::values ? n.value : n.covers;
  return n.result ? fmt::format("[{}]", text) : text;
}

std::string head_of(int level) {
  return level == 0 ? "  element " : fmt::format("  level {:<2}", level);
}

/// A level that is wider than the terminal: the number of combinations, and the first and last of
/// them.
std::string summary_of(std::vector<picture_node const*> const& all, tree_text what) {
  std::string text = fmt::format(" {:>3}:", all.size());
  for (std::size_t i = 0; i < all.size(); ++i) {
    if (all.size() > 9 && i == 4) text += " …";
    if (all.size() <= 9 || i < 4 || i + 4 >= all.size())
      text += fmt::format(" {}", shown(*all[i], what));
  }
  return text;
}

}  // namespace

std::string terminal_tree(picture const& p, tree_text what) {
  constexpr std::size_t widest_line = 120;
  int columns = 0, levels = 0;
  std::size_t widest = 3;
  for (auto const& n : p.nodes) {
    columns = std::max(columns, n.column + 1);
    levels = std::max(levels, n.level + 1);
    widest = std::max(widest, text::width_of(shown(n, what)) + 1);
  }
  bool const fits = static_cast<std::size_t>(columns) * widest + 10 <= widest_line;
  std::string drawn;
  for (int level = 0; level < levels; ++level) {
    std::vector<picture_node const*> all(static_cast<std::size_t>(columns), nullptr);
    for (auto const& n : p.nodes)
      if (n.level == level) all[static_cast<std::size_t>(n.column)] = &n;
    drawn += head_of(level);
    if (!fits) std::erase(all, nullptr);
    if (!fits) drawn += summary_of(all, what);
    for (std::size_t c = 0; fits && c < all.size(); ++c) {
      std::string const cell = all[c] ? shown(*all[c], what) : level == 0 ? "" : "·";
      drawn += std::string(widest - std::min(widest, text::width_of(cell)), ' ') + cell;
    }
    drawn += '\n';
  }
  return drawn;
}

}  // namespace upsweep::lab
