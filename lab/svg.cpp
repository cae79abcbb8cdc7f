/// The picture as an SVG file in print colors: the combining tree, and below it the lanes and
/// steps with all arrows.
#include <lab/canvas.hpp>
#include <lab/picture.hpp>
#include <text/markup.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace upsweep::lab {

namespace {

using text::escaped;

/// At most `length` bytes of text that is ASCII except for its first character.
std::string shortened(std::string const& text, std::size_t length) {
  return text.size() > length ? text.substr(0, length - 1) + "…" : text;
}

double cell_width(std::size_t longest, double least) {
  return std::max(least, static_cast<double>(std::min<std::size_t>(longest, 14)) * 7.2 + 14);
}

/// Where the results of an exclusive scan land: one to the right of the last element they cover.
template <class Y>
void draw_results(canvas& on, picture const& p, double w, Y const& y_of) {
  double const y = on.height + 22;
  std::string lands;
  for (std::size_t i = 0; i < p.results.size(); ++i) {
    double const x = 8 + static_cast<double>(i) * w + w / 2;
    bool const identity = p.results[i] < 0;
    auto const* const n = identity ? nullptr : &p.nodes[static_cast<std::size_t>(p.results[i])];
    on.box("store", x - w / 2 + 3, y, w - 6, 29, 4);
    on.write("", x, y + 14, identity ? "id" : escaped(shortened(n->value, 14)));
    on.write("small", x, y + 25, fmt::format("[{}]", i));
    if (!identity) lands += curve(8 + n->column * w + w / 2, y_of(*n) + 29, 20, 20, x, y);
  }
  on.path("lands", lands);
  on.add(R"(<text class="small left" x="8" y="{}">Last row: out. id: the identity. )"
         "Combinations with it change nothing and are not drawn.</text>",
         y + 44);
  on.width = std::max(on.width, 440.0);
  on.height = y + 52;
}

/// One column per element, one level per combination that depends on the level above.
void draw_tree(canvas& on, picture const& p) {
  std::size_t longest = 2;
  int columns = 0, levels = 0;
  for (auto const& n : p.nodes) {
    longest = std::max(longest, n.value.size());
    columns = std::max(columns, n.column + 1);
    levels = std::max(levels, n.level + 1);
  }
  columns = std::max(columns, static_cast<int>(p.results.size()));
  double const w = cell_width(longest, 38), pitch = 64, top = on.height;
  auto const x = [&](picture_node const& n) { return 8 + n.column * w + w / 2; };
  auto const y = [&](picture_node const& n) { return top + 24 + n.level * pitch; };
  for (int c = 0; c < columns; ++c)
    on.write("head", 8 + c * w + w / 2, top + 14, std::to_string(c));
  for (auto const& [side, operand] :
       {std::pair{"later", &picture_node::right}, std::pair{"earlier", &picture_node::left}}) {
    std::string lines;
    for (auto const& n : p.nodes) {
      if (n.*operand < 0) continue;
      auto const& m = p.nodes[static_cast<std::size_t>(n.*operand)];
      double const y0 = y(m) + 29;
      lines += m.column != n.column ? curve(x(m), y0, 20, 20, x(n), y(n))
                                    : "M" + numbers({x(n), y0}) + "V" + numbers({y(n)});
    }
    on.path(side, lines);
  }
  for (auto const& n : p.nodes) {
    on.box(n.left < 0 ? "load"
           : n.result ? "result"
                      : "apply",
           x(n) - w / 2 + 3, y(n), w - 6, 29, n.left < 0 ? 4 : 11);
    on.write("", x(n), y(n) + 14, escaped(shortened(n.value, 14)));
    on.write("small", x(n), y(n) + 25, shortened(n.covers, static_cast<std::size_t>(w / 5)));
  }
  on.width = std::max(on.width, 16 + columns * w);
  on.height = top + levels * pitch;
  if (!p.results.empty()) draw_results(on, p, w, y);
  on.close_groups();
}

/// The geometry of the grid, and the functions that draw its parts.
class grid {
 public:
  grid(canvas& on, picture const& p) : on_(on), p_(p) {
    std::size_t longest = 2;
    for (auto const& row : p.rows)
      for (auto const& s : row)
        for (auto const& c : s.cells) longest = std::max(longest, c.value.size());
    w_ = cell_width(longest, 38);
  }

  void draw() {
    int launch = -1;
    for (std::size_t r = 0; r < p_.rows.size(); ++r) {
      auto const& row = p_.rows[r];
      if (static_cast<int>(row[0].launch) != launch)
        heading(static_cast<unsigned>(launch = static_cast<int>(row[0].launch)));
      bool const line =
          std::all_of(row.begin(), row.end(), [](auto const& s) { return is_line(s.what); });
      arrow_room_ = std::ranges::any_of(row, [&](auto const& s) { return crosses(s); }) ? 20 : 0;
      on_.height +=
          arrow_room_ + (differs(row) ? 13 : 0);  // a label for each warp above the arrows
      tops_.push_back(on_.height);
      lines_.push_back(line);
      label(row, line);
      for (auto const& s : row) step(s);
      on_.close_groups();
      on_.height += line ? 16 : 38;
    }
    draw_labels("left", 6, labels_);
    draw_labels("left small", 6, labels_of_lines_);
    draw_labels("line", label_ - 6, source_lines_);
    for (auto const& a : arrows_) on_.place(a.what, a.x, a.y, a.shape);
    on_.close_groups();
  }

 private:
  [[nodiscard]] double left(int column, unsigned threads) const {
    int const t = static_cast<int>(threads);
    return label_ + column * w_ + column / t * 22 + column % t / 32 * 16 +
           14;  // gaps between blocks and between warps
  }
  [[nodiscard]] bool crosses(picture_step const& s) const {
    return std::any_of(s.cells.begin(), s.cells.end(), [&](auto const& c) {
      return c.from_row >= 0 && c.from_column != p_.column_of(s, c.lane);
    });
  }

  [[nodiscard]] bool differs(std::vector<picture_step> const& row) const {
    return row_label(p_, row) != step_label(p_, row[0]);
  }

  void heading(unsigned number) {
    auto const& launch = p_.launches[number];
    on_.add(R"(<text class="bold" x="6" y="{}">{}</text>)"
            R"(<text class="head left" x="6" y="{}">thread</text>)",
            on_.height + 14, escaped(shortened(launch.name, 24)), on_.height + 32);
    for (int c = 0; c < static_cast<int>(launch.blocks * launch.threads); ++c) {
      int const thread = c % static_cast<int>(launch.threads);
      on_.write("head", left(c, launch.threads) + w_ / 2, on_.height + 32, std::to_string(thread));
      if (thread == 0 && launch.blocks > 1)
        on_.add(R"(<text class="bold" x="{}" y="{}">block {}</text>)", left(c, launch.threads) + 4,
                on_.height + 14, c / static_cast<int>(launch.threads));
      on_.width = std::max(on_.width, left(c, launch.threads) + w_ + 6);
    }
    on_.close_groups();
    on_.height += 40;
  }

  void label(std::vector<picture_step> const& row, bool line) {
    std::string const text = row_label(p_, row);
    double const y = on_.height + (line ? 12 : 23);
    auto& labels = line ? labels_of_lines_ : labels_;
    labels += fmt::format(R"(<text y="{}">{}</text>)", tenths(y), escaped(shortened(text, 24)));
    if (!differs(row)) {
      if (row[0].line > 0)
        source_lines_ += fmt::format(R"(<text y="{}">{}</text>)", tenths(y), row[0].line);
      return;
    }
    for (auto const& s : row) {  // warps do different things at the same time
      unsigned const threads = p_.launches[s.launch].threads;
      auto const room = static_cast<std::size_t>(std::min(32u, threads) * w_ / 5.5);
      std::string const what = step_label(p_, s) + (s.line > 0 ? fmt::format(" · {}", s.line) : "");
      on_.add(R"(<text class="step" x="{}" y="{}">{}</text>)",
              left(p_.column_of(s, 0), threads) + 4, on_.height - arrow_room_,
              escaped(shortened(what, room)));
    }
  }

  void draw_labels(std::string_view what, double x, std::string const& labels) {
    if (!labels.empty())
      on_.add(R"svg(<g class="{}" transform="translate({})">{}</g>)svg", what, x, labels);
  }

  void step(picture_step const& s) {
    auto const& launch = p_.launches[s.launch];
    int const first = p_.column_of(s, 0),
              last = std::min(first + 31, static_cast<int>((s.block + 1) * launch.threads) - 1);
    if (is_line(s.what)) {
      on_.add(R"(<line class="{}" x1="{}" x2="{}" y1="{}" y2="{}"/>)", name_of(s.what),
              left(first, launch.threads), left(last, launch.threads) + w_, on_.height + 8,
              on_.height + 8);
      return;
    }
    std::set<int> busy;
    for (auto const& c : s.cells) {
      busy.insert(p_.column_of(s, c.lane));
      cell(s, c);
      arrow(s, c);
    }
    std::string dots;
    for (int column = first; column <= last; ++column)
      if (!busy.contains(column))
        dots += fmt::format("M{} 0h0", tenths(left(column, launch.threads) + w_ / 2));
    if (!dots.empty()) on_.put("idle", on_.height + 19, fmt::format(R"(<path d="{}"/>)", dots));
  }

  void cell(picture_step const& s, picture_cell const& c) {
    bool const in_buffer = c.buffer >= 0;
    double const x = left(p_.column_of(s, c.lane), p_.launches[s.launch].threads) + gutter / 2,
                 middle = x + w_ / 2 - gutter / 2;
    std::string const what = std::string(name_of(s.what)) + (c.unwritten || c.failed ? " nothing"
                                                             : s.times > 1           ? " waits"
                                                                                     : "");
    on_.box(what, x, on_.height + 3, w_ - gutter, in_buffer ? 31 : 24,
            s.what == action::apply ? 11 : 4);
    on_.write("", middle, on_.height + (in_buffer ? 17 : 19),
              (c.failed ? "✗ " : "") + escaped(shortened(c.value, 14)));
    if (c.finding >= 0)
      on_.put(
          "", on_.height + 3,
          fmt::format(R"(<rect x="{}" width="{}" height="31" rx="4" fill="none" stroke="#d4002a" )"
                      R"(stroke-width="4"/>)",
                      tenths(x), tenths(w_ - gutter)));
    if (in_buffer) on_.write("small", middle, on_.height + 29, fmt::format("[{}]", c.index));
  }

  /// Whether rows with numbers lie between the two.
  [[nodiscard]] bool passes_numbers(int from) const {
    return std::find(lines_.begin() + from + 1, lines_.end() - 1, false) != lines_.end() - 1;
  }

  void arrow(picture_step const& s, picture_cell const& c) {
    int const column = p_.column_of(s, c.lane);
    if (c.from_row < 0 || c.from_column == column ||
        p_.rows[static_cast<std::size_t>(c.from_row)][0].launch != s.launch)
      return;
    unsigned const threads = p_.launches[s.launch].threads;
    double const x0 = left(c.from_column, threads) + w_ / 2,
                 y0 = tops_[static_cast<std::size_t>(c.from_row)] + 35,
                 x = left(column, threads) + w_ / 2 - x0, y = on_.height - 4 - y0;
    std::string line = curve(0, 0, y * 0.6, y * 0.6, x, y);
    if (passes_numbers(c.from_row)) {  // down between two columns, then across above the row
      double const aside = c.from_column < column ? w_ / 2 - 1.5 : 1.5 - w_ / 2, dx = x - aside;
      line = "M0-1q" + numbers({aside, 1, aside, 9}) + "V" + numbers({y - 16}) + "c" +
             numbers({0, 12, dx, 4, dx, 16});
    }
    arrows_.push_back({s.what == action::shuffle ? "arrow exchanged" : "arrow", x0, y0,
                       fmt::format(R"(<g><path d="{}"/><path class="tip" d="M{}l-4-8h8z"/></g>)",
                                   line, numbers({x, y + 7}))});
  }

  static constexpr double gutter = 8;  ///< between the cells of two columns
  struct arrow_place {
    std::string_view what;
    double x, y;
    std::string shape;
  };
  canvas& on_;
  picture const& p_;
  std::vector<arrow_place> arrows_;                      ///< drawn last, over all boxes
  std::string labels_, labels_of_lines_, source_lines_;  ///< of the rows
  double w_ = 38, label_ = 140, arrow_room_ = 0;
  std::vector<double> tops_;
  std::vector<bool> lines_;  ///< rows without numbers
};

/// The pattern of cells that are no data, and what they mean.
void explain_marks(canvas& on, picture const& p) {
  bool unwritten = false, failed = false;
  for (auto const& row : p.rows)
    for (auto const& s : row)
      for (auto const& c : s.cells) {
        unwritten |= c.unwritten;
        failed |= c.failed;
      }
  if (!unwritten && !failed) return;
  on.add(R"svg(<defs><pattern id="hatched" width="6" height="6" patternUnits="userSpaceOnUse" )svg"
         R"svg(patternTransform="rotate(45)">)svg"
         R"svg(<rect width="6" height="6" fill="#fff" stroke="none"/>)svg"
         R"svg(<path d="M0 0V6" stroke="#d5dbe1" stroke-width="3"/></pattern><style>.nothing )svg"
         R"svg({{ fill: url(#hatched); stroke-dasharray: 2 2; }}</style></defs>)svg");
  for (auto const& [is_there, sentence] :
       {std::pair{unwritten, "?: read before anything was written there"},
        std::pair{failed, "✗: a compare-and-swap that failed, and the value that it found"}}) {
    if (!is_there) continue;
    on.add(R"(<text class="left" x="6" y="{}">{}</text>)", on.height + 14, sentence);
    on.height += 18;
  }
}

/// The steps of a long run are too many to read; the tree says more, and --view steps still draws
/// them.
bool is_small(picture const& p) {
  unsigned columns = 0;
  for (auto const& l : p.launches) columns = std::max(columns, l.blocks * l.threads);
  return columns <= 40 && p.rows.size() * columns <= 1000;
}

}  // namespace

std::pair<std::string_view, std::string_view> step_words(action what) {
  static constexpr std::pair<std::string_view, std::string_view> words[] = {
      {"↓", "read"},    {"↑", "write"},           {"⊕", "combine"},     {"⇄", "shuffle"},
      {"?", "vote"},    {"✱", "atomic"},          {"◎", "atomic read"}, {"‖", "fence"},
      {"═", "barrier"}, {"≡", "cluster barrier"}, {"─", "warp barrier"}};
  return words[static_cast<std::size_t>(what)];
}

std::string step_label(picture const& p, picture_step const& s) {
  bool const swaps = s.failures > 0;
  auto const [mark, word] = step_words(swaps ? action::atomic : s.what);
  std::string text = fmt::format("{} {}", mark, swaps ? "swap" : s.times > 1 ? "wait for" : word);
  for (std::size_t i = 0; i < s.buffers.size(); ++i)
    text += (i ? ", " : " ") + p.buffers[static_cast<std::size_t>(s.buffers[i])].name;
  if (s.failures > 0)
    text += fmt::format(" ({} failed)", s.failures);
  else if (s.times > 1)
    text += fmt::format(" ({} reads)", s.times);
  return text;
}

std::string row_label(picture const& p, std::vector<picture_step> const& row) {
  std::string marks, first = step_label(p, row[0]);
  bool different = false;
  for (auto const& s : row) {
    different |= step_label(p, s) != first;
    std::string const mark(step_words(s.failures > 0 ? action::atomic : s.what).first);
    if (marks.find(mark) == std::string::npos) marks += (marks.empty() ? "" : " ") + mark;
  }
  return different ? marks : first;
}

std::string svg(picture const& p, caption const& c, view what) {
  canvas on;
  on.add(
      R"(<text class="bold" x="6" y="16">{}</text><text class="head left" x="6" y="34">{}</text>)",
      escaped(c.stem), escaped(fmt::format("{}", fmt::join(c.facts, ", "))));
  on.width = 440;
  on.height = 44;
  for (auto const& sentence : c.findings) {
    on.add(R"(<text class="left" style="fill:#d4002a" x="6" y="{}">{}</text>)", on.height + 8,
           escaped(sentence));
    on.width = std::max(on.width, 12 + 6.3 * static_cast<double>(sentence.size()));
    on.height += 18;
  }
  if (what != view::steps && !p.nodes.empty()) {
    draw_tree(on, p);
    on.height += 12;
  }
  if (what == view::steps || p.nodes.empty() || (what == view::all && is_small(p))) {
    grid(on, p).draw();
    explain_marks(on, p);
  }
  on.height += 6;
  std::string const body = on.body();
  return fmt::format(
      "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{0}\" height=\"{1}\" viewBox=\"0 0 {0} "
      "{1}\" role=\"img\" aria-label=\"{2}\"><style>\n{3}</style>"
      "<rect width=\"{0}\" height=\"{1}\" fill=\"#fff\"/>\n{4}</svg>\n",
      tenths(on.width), tenths(on.height), escaped(c.stem), style_of(body), body);
}

}  // namespace upsweep::lab
