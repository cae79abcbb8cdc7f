/// The body of an SVG picture. Parts that look alike and are at one height share a group, and lines
/// share a path, so that a picture has a third of the bytes of one with separate parts.
#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <initializer_list>
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

/// A box of one size, drawn many times.
struct shape {
  double width;
  int height, radius;
  bool operator==(shape const&) const = default;
};

class canvas {
 public:
  double width = 0, height = 0;

  template <class... Args>
  void add(fmt::format_string<Args...> format, Args&&... args) {
    body_ += fmt::format(format, std::forward<Args>(args)...);
    body_ += '\n';
  }
  void path(std::string_view what, std::string_view commands) {
    if (!commands.empty()) add(R"(<path class="{}" d="{}"/>)", what, commands);
  }
  /// A text whose middle is at x.
  void write(std::string_view what, double x, double y, std::string_view words) {
    put(what, y, fmt::format("<text x=\"{}\">{}</text>", tenths(x), words));
  }
  /// A box whose upper left corner is at (x, y).
  void box(std::string_view what, double x, double y, shape const& s) {
    auto const at = std::find(shapes_.begin(), shapes_.end(), s);
    auto const name = static_cast<char>('a' + (at - shapes_.begin()));
    if (at == shapes_.end()) shapes_.push_back(s);
    put(what, y, fmt::format("<use href=\"#{}\" x=\"{}\"/>", name, tenths(x)));
  }
  /// Adds an element to those of its class and height.
  void put(std::string_view what, double y, std::string const& element) {
    auto at = std::find_if(groups_.begin(), groups_.end(),
                           [&](auto const& g) { return g.what == what && g.y == y; });
    if (at == groups_.end()) at = groups_.insert(at, {std::string(what), y, {}, 0});
    at->drawn += element;
    ++at->count;
  }
  /// Draws the groups, boxes first, so that none covers a label.
  void close_groups() {
    std::stable_partition(groups_.begin(), groups_.end(),
                          [](auto const& g) { return g.drawn.starts_with("<use"); });
    for (auto& [what, y, drawn, count] : groups_) {
      std::string const styled = what.empty() ? "" : fmt::format(" class=\"{}\"", what);
      if (count == 1)
        add("{}", drawn.insert(drawn.find(' '), fmt::format("{} y=\"{}\"", styled, tenths(y))));
      else
        add(R"svg(<g{} transform="translate(0 {})">{}</g>)svg", styled, tenths(y), drawn);
    }
    groups_.clear();
  }

  /// Everything, after the definitions that it uses.
  [[nodiscard]] std::string body() const {
    std::string shapes;
    for (std::size_t i = 0; i < shapes_.size(); ++i)
      shapes += fmt::format(R"(<rect id="{}" width="{}" height="{}" rx="{}"/>)",
                            static_cast<char>('a' + i), tenths(shapes_[i].width), shapes_[i].height,
                            shapes_[i].radius);
    return "<defs>" + shapes + "</defs>\n" + body_;
  }

 private:
  struct part_group {
    std::string what;
    double y;
    std::string drawn;
    int count;
  };
  std::string body_;
  std::vector<part_group> groups_;
  std::vector<shape> shapes_;
};

}  // namespace upsweep::lab
