/// The body and the style of an SVG picture. Parts that look alike and are at one height share a
/// group, equal shapes, equal groups and rows of equal distances are defined once, and lines share
/// a path, so that a picture has a fifth of the bytes of one with separate parts.
#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstddef>
#include <initializer_list>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace upsweep::lab {

/// A coordinate: all are multiples of a tenth.
inline double tenths(double x) {
  return std::round(x * 10) / 10 + 0.0;
}

/// The numbers of a path's command: a minus sign separates them, too.
inline std::string numbers(std::initializer_list<double> all) {
  std::string text;
  for (double const x : all) {
    std::string const digits = fmt::format("{}", tenths(x));
    text += (text.empty() || digits[0] == '-' ? "" : " ") + digits;
  }
  return text;
}
/// A curve from a point to another, whose first and last part are vertical.
inline std::string curve(double x0, double y0, double first, double last, double x, double y) {
  return "M" + numbers({x0, y0}) + "c" + numbers({0, first, x - x0, y - last - y0, x - x0, y - y0});
}

/// The style of a class. Okabe and Ito's colors, darker for text on white; as in page/page.css.
struct rule {
  std::string_view selector, style;
};
inline constexpr rule rules[] = {
    {".small", "font-size: 9px; fill: #59626d"},
    {".head", "font-size: 11px; fill: #59626d"},
    {".left", "text-anchor: start"},
    {".bold", "font-weight: 600; text-anchor: start"},
    {".line", "font-size: 9px; fill: #59626d; text-anchor: end"},
    {".load", "stroke: #0072b2; fill: #fff"},
    {".store", "stroke: #b35900; fill: #f3e4d6"},
    {".apply", "stroke: #007a5a; fill: #d3e9e2"},
    {".shuffle", "stroke: #a0467b; fill: #fff; stroke-dasharray: 4 2"},
    {".vote", "stroke: #a0467b; fill: #fff; stroke-dasharray: 4 2"},
    {".atomic", "stroke: #c43d00; fill: #fff; stroke-width: 2.5"},
    {".atomic_read", "stroke: #c43d00; fill: #fff"},
    {".waits", "fill: #fbe3d9; stroke-dasharray: 2 2"},
    {".step", "font-size: 10px; fill: #59626d; text-anchor: start"},
    {".result", "stroke: #007a5a; fill: #d3e9e2; stroke-width: 3"},
    {".idle", "stroke: #d5dbe1; stroke-width: 4; stroke-linecap: round"},
    {".barrier", "stroke: #59626d; stroke-width: 3"},
    {".cluster_barrier", "stroke: #59626d; stroke-width: 3"},
    {".warp_sync", "stroke: #59626d; stroke-dasharray: 5 3"},
    {".fence", "stroke: #59626d; stroke-dasharray: 2 3"},
    {".arrow",
     "color: #0072b2; fill: none; stroke: currentColor; stroke-width: 1.3; "
     "stroke-opacity: 0.75"},
    {".arrow.exchanged", "color: #a0467b"},
    {".tip", "fill: currentColor; stroke: none"},
    {".lands", "fill: none; stroke: #b35900; stroke-width: 1.3; stroke-dasharray: 4 3"},
    {".earlier", "fill: none; stroke: #0072b2; stroke-width: 1.8"},
    {".later", "fill: none; stroke: #8a939d; stroke-width: 1.3"},
};

/// Whether an element of the picture has that class, alone or beside another one.
inline bool has_class(std::string_view body, std::string_view name) {
  for (auto const& attribute :
       {fmt::format("\"{}\"", name), fmt::format("\"{} ", name), fmt::format(" {}\"", name)})
    if (body.find(attribute) != body.npos) return true;
  return false;
}

/// The rules of the classes that the picture has.
inline std::string style_of(std::string_view body) {
  std::string text =
      "svg{font: 12px system-ui, \"Segoe UI\", Roboto, \"DejaVu Sans\", sans-serif; fill: #1b1f24; "
      "text-anchor: middle; stroke-width: 1.5}\n";
  for (auto const& [selector, style] : rules)
    if (has_class(body, selector.substr(selector.rfind('.') + 1)))
      text += fmt::format("{}{{{}}}\n", selector, style);
  return text;
}

class canvas {
 public:
  double width = 0, height = 0;

  template <class... Args>
  void add(fmt::format_string<Args...> format, Args&&... args) {
    parts_.push_back({fmt::format(format, std::forward<Args>(args)...), "", 0, 0});
  }
  void path(std::string_view what, std::string_view commands) {
    if (!commands.empty()) add(R"(<path class="{}" d="{}"/>)", what, commands);
  }
  /// A text whose middle is at x.
  void write(std::string_view what, double x, double y, std::string_view words) {
    put(what, y, fmt::format(R"(<text x="{}">{}</text>)", tenths(x), words));
  }
  /// A box whose upper left corner is at (x, y).
  void box(std::string_view what, double x, double y, double wide, int high, int radius) {
    place(what, x, y,
          fmt::format(R"(<rect width="{}" height="{}" rx="{}"/>)", tenths(wide), high, radius));
  }
  /// A shape that is drawn many times, moved by (x, y). It is one element.
  void place(std::string_view what, double x, double y, std::string const& shape) {
    group(what, y).places[name_of(shape)].push_back(x);
  }
  /// Adds an element to those of its class and height.
  void put(std::string_view what, double y, std::string const& element) {
    auto& g = group(what, y);
    g.drawn += element;
    ++g.count;
  }
  /// Draws the groups, shapes first, so that none covers a label.
  void close_groups() {
    std::stable_partition(groups_.begin(), groups_.end(),
                          [](auto const& g) { return !g.places.empty(); });
    for (auto& g : groups_) {
      for (auto const& [name, at] : g.places)
        for (std::size_t i = 0; i < at.size(); ++g.count) {
          std::size_t n = 1;
          double const pitch = i + 1 < at.size() ? at[i + 1] - at[i] : 0;
          while (i + n < at.size() && tenths(at[i + n] - at[i + n - 1]) == tenths(pitch)) ++n;
          n = std::bit_floor(n);
          g.drawn += use(row(name, pitch, n), at[i]);
          i += n;
        }
      parts_.push_back(g);
    }
    groups_.clear();
  }

  /// Everything, after the definitions that it uses.
  [[nodiscard]] std::string body() const {
    std::string definitions = definitions_, body;
    std::map<std::string_view, int> times;
    for (auto const& p : parts_) ++times[p.drawn];
    std::map<std::string_view, std::size_t> defined;
    for (auto const& p : parts_) {
      std::string const styled = p.what.empty() ? "" : fmt::format(R"( class="{}")", p.what);
      if (p.count == 0) {
        body += p.drawn;
      } else if (p.count == 1 && !p.drawn.starts_with("<path")) {  // which has no y
        body += p.drawn;
        auto const name = p.drawn.find(' ');
        body.insert(body.size() - p.drawn.size() + name,
                    fmt::format(R"({} y="{}")", styled, tenths(p.y)));
      } else if (times[p.drawn] == 1) {
        body += fmt::format(R"svg(<g{} transform="translate(0 {})">{}</g>)svg", styled, tenths(p.y),
                            p.drawn);
      } else {
        auto const [at, is_new] = defined.try_emplace(p.drawn, defined.size());
        if (is_new) definitions += fmt::format(R"(<g id="g{}">{}</g>)", at->second, p.drawn);
        body += fmt::format(R"(<use href="#g{}"{} y="{}"/>)", at->second, styled, tenths(p.y));
      }
      body += '\n';
    }
    return "<defs>" + definitions + "</defs>\n" + body;
  }

 private:
  /// Elements of one class and height; one element with a position if `count` is 0.
  struct part {
    std::string drawn, what;
    double y;
    int count;
    std::map<std::string, std::vector<double>> places = {};  ///< where each shape is
  };

  part& group(std::string_view what, double y) {
    auto const at = std::find_if(groups_.begin(), groups_.end(),
                                 [&](auto const& g) { return g.what == what && g.y == y; });
    return at != groups_.end() ? *at : groups_.emplace_back(part{"", std::string(what), y, 0});
  }
  static std::string use(std::string_view name, double x) {
    return fmt::format(R"(<use href="#{}" x="{}"/>)", name, tenths(x));
  }
  /// The name of an element, which is defined when it is seen first.
  std::string name_of(std::string const& element) {
    std::size_t const n = names_.size();
    auto const [at, is_new] =
        names_.try_emplace(element, std::string(n / 26, 'z') + static_cast<char>('a' + n % 26));
    if (is_new)
      definitions_ += std::string(element).insert(element.find_first_of(" >"),
                                                  fmt::format(R"( id="{}")", at->second));
    return at->second;
  }
  /// The name of a row of 2^k such shapes: that of two rows of half as many.
  std::string row(std::string const& name, double pitch, std::size_t n) {
    if (n == 1) return name;
    std::string const half = row(name, pitch, n / 2);
    return name_of(fmt::format(R"(<g><use href="#{}"/>{}</g>)", half,
                               use(half, pitch * static_cast<double>(n / 2))));
  }

  std::vector<part> parts_, groups_;
  std::string definitions_;
  std::map<std::string, std::string> names_;  ///< of the elements that are defined
};

}  // namespace upsweep::lab
