/// Pictures in a terminal. The combining tree has a line per level, a column per element.
#include <lab/picture.hpp>
#include <text/table.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <map>
#include <set>
#include <string>
#include <utility>
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

// A trace in a terminal: a line per moment, a column per thread.

namespace {

constexpr std::size_t widest_line = 120;

std::string padded(std::string const& text, std::size_t width) {
  return std::string(width - std::min(width, text::width_of(text)), ' ') + text;
}

/// Steps of one moment that do the same.
struct line_of_steps {
  std::string label;
  bool is_barrier = false;
  std::map<int, std::string> cells;  ///< by column
};

class step_table {
 public:
  explicit step_table(picture const& p) : p_(p) {
    for (auto const& launch : p.launches) {
      columns_ = std::max(columns_, static_cast<int>(launch.blocks * launch.threads));
      threads_ = std::max(threads_, static_cast<int>(launch.threads));
    }
    for (std::size_t row = 0; row < p.rows.size(); ++row) add(p.rows[row]);
    choose();
  }

  [[nodiscard]] std::string text() const {
    std::string all = std::string(margin_, ' ');
    for (int const c : shown_) all += padded(name_of(c), width_);
    all += '\n';
    for (auto const& line : lines_) all += text_of(line);
    if (shown_.size() < static_cast<std::size_t>(columns_))
      all += fmt::format("\n{} of {} threads are shown; a page, -o page.html, shows all\n",
                         shown_.size(), columns_);
    if (any_unwritten_) all += "\n?: read before anything was written there\n";
    if (any_failed_) all += "\n✗: a compare-and-swap that failed, and the value that it found\n";
    return all;
  }

 private:
  /// "3", or "1.3" for thread 3 of block 1.
  [[nodiscard]] std::string name_of(int column) const {
    return columns_ == threads_ ? fmt::format("{}", column)
                                : fmt::format("{}.{}", column / threads_, column % threads_);
  }

  void add(std::vector<picture_step> const& row) {
    std::vector<line_of_steps> lines;
    for (auto const& s : row) {
      std::string label = fmt::format("{:>4}  {}", s.line, step_label(p_, s));
      auto at = std::ranges::find(lines, label, &line_of_steps::label);
      if (at == lines.end()) at = lines.insert(at, {std::move(label), is_line(s.what), {}});
      unsigned const lanes = std::min(32U, p_.launches[s.launch].threads - s.warp * 32);
      for (unsigned lane = 0; at->is_barrier && lane < lanes; ++lane)
        at->cells[p_.column_of(s, lane)] = "";
      for (auto const& c : s.cells) {
        int const column = p_.column_of(s, c.lane);
        at->cells[column] = (c.finding < 0 ? "" : "!") + ((c.failed ? "✗" : "") + c.value);
        if (c.finding >= 0) marked_.insert(column);
        any_unwritten_ = any_unwritten_ || c.unwritten;
        any_failed_ = any_failed_ || c.failed;
      }
    }
    for (auto& line : lines) {
      margin_ = std::max(margin_, text::width_of(line.label) + 1);
      for (auto const& [column, cell] : line.cells)
        width_ = std::max(width_, text::width_of(cell) + 1);
      lines_.push_back(std::move(line));
    }
  }

  /// The threads of findings, then the first ones, as many as a line holds.
  void choose() {
    if (columns_ > 0) width_ = std::max(width_, text::width_of(name_of(columns_ - 1)) + 1);
    std::size_t const room =
        std::max<std::size_t>((widest_line - std::min(margin_, widest_line)) / width_, 4);
    for (int const c : marked_)
      if (shown_.size() < room) shown_.insert(c);
    for (int c = 0; c < columns_ && shown_.size() < room; ++c) shown_.insert(c);
  }

  /// Empty if none of the shown threads takes part.
  [[nodiscard]] std::string text_of(line_of_steps const& line) const {
    bool any = false;
    std::string all = line.label + std::string(margin_ - text::width_of(line.label), ' ');
    for (int const c : shown_) {
      auto const cell = line.cells.find(c);
      bool const takes_part = cell != line.cells.end();
      any = any || takes_part;
      std::string rule;
      for (std::size_t i = 0; line.is_barrier && takes_part && i < width_; ++i) rule += "─";
      all += line.is_barrier && takes_part ? rule : padded(takes_part ? cell->second : "·", width_);
    }
    return any ? all + "\n" : std::string();
  }

  picture const& p_;
  int columns_ = 0, threads_ = 1;
  std::size_t margin_ = 0, width_ = 3;
  std::vector<line_of_steps> lines_;
  std::set<int> marked_, shown_;
  bool any_unwritten_ = false, any_failed_ = false;
};

}  // namespace

std::string terminal_steps(picture const& p, caption const& c) {
  std::string all = c.stem + "\n";
  if (!c.sentence.empty()) all += c.sentence + "\n";
  all += fmt::format("{}\n\n", fmt::join(c.facts, ", "));
  all += step_table(p).text();
  if (!c.findings.empty())
    all += "\nAccesses of these findings are marked with '!' where the trace has them:\n";
  for (auto const& sentence : c.findings) all += "  " + sentence + "\n";
  return all;
}

}  // namespace upsweep::lab
