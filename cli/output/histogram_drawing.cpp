/// Lays out the lines of a histogram for a terminal, and draws it in SVG.
#include <cli/output/histogram.hpp>
#include <io/number.hpp>
#include <text/markup.hpp>

#include <fmt/format.h>

#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace upsweep::cli {

namespace {

std::size_t terminal_width() {
  winsize size{};
  bool const known = ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0;
  return known ? size.ws_col : 80;
}

bool is_utf8_locale() {
  for (char const* const name : {"LC_ALL", "LC_CTYPE", "LANG"})
    if (char const* const value = std::getenv(name); value != nullptr && *value != '\0') {
      std::string_view const text(value);
      return text.find("UTF-8") != text.npos || text.find("utf8") != text.npos;
    }
  return false;
}

/// A bar of `length` columns; anything above 0 is visible.
std::string bar(double length, bool blocks) {
  if (!(length > 0)) return {};
  auto const units = [](double exact) {
    return std::max<std::size_t>(1, static_cast<std::size_t>(std::lround(exact)));
  };
  if (!blocks) return std::string(units(length), '#');
  constexpr std::string_view parts[] = {"", "▏", "▎", "▍", "▌", "▋", "▊", "▉"};
  std::size_t const eighths = units(length * 8);
  std::string text;
  for (std::size_t i = 0; i < eighths / 8; ++i) text += "█";
  return text.append(parts[eighths % 8]);
}

// With six digits, or so many that the error is less than a hundredth of a bin.
std::vector<std::string> border_texts(drawn_histogram const& of) {
  std::vector<std::string> texts;
  if (!of.number_format.empty()) {
    io::number_format const format(of.number_format);
    for (double const& level : of.levels)
      format.append(texts.emplace_back(), io::dtype::f64, &level);
    return texts;
  }
  auto const fits = [&](int digits) {
    texts.clear();
    double before = 0, width = 0;
    for (double const level : of.levels) {
      double const shown = std::strtod(fmt::format("{:.{}g}", level, digits).c_str(), nullptr);
      if (!texts.empty()) width = level - before;
      if (std::abs(shown - level) > width / 100 && !texts.empty()) return false;
      texts.push_back(io::number_text(shown));
      before = level;
    }
    return true;
  };
  for (int digits = 6; digits < 17; ++digits)
    if (fits(digits)) return texts;
  static_cast<void>(fits(17));
  return texts;
}

std::string bin_text(drawn_histogram const& of, std::vector<std::string> const& borders,
                     std::size_t b) {
  bool const is_closed = of.closed_right && b + 1 == of.heights.size();
  return fmt::format("[{}, {}{}", borders[b], borders[b + 1], is_closed ? ']' : ')');
}

double bin_height(drawn_histogram const& of, std::size_t b) {
  auto const& heights = of.heights;
  if (heights.type == io::dtype::f64) return heights.as<double>()[b];
  if (heights.type == io::dtype::i64) return static_cast<double>(heights.as<std::int64_t>()[b]);
  return static_cast<double>(heights.as<std::uint64_t>()[b]);
}

std::string histogram_bars(drawn_histogram const& of, std::size_t width, bool blocks) {
  struct line {
    std::string label, number;
    double height;
  };
  auto const borders = border_texts(of);
  std::size_t const bins = of.heights.size();
  std::vector<line> lines;
  auto const outside = [&](char const* label, std::size_t count) {
    if (count > 0) lines.push_back({label, fmt::format("{}", count), 0});
  };
  outside("below", of.outside.below);
  for (std::size_t b = 0; b < bins; ++b)
    lines.push_back({bin_text(of, borders, b),
                     io::number_text(of.heights.type, element(of.heights, b)), bin_height(of, b)});
  outside("above", of.outside.above);
  outside("NaN", of.outside.nan);
  std::size_t label = 0, number = 0;
  double tallest = 0;
  for (auto const& l : lines) {
    label = std::max(label, l.label.size());
    number = std::max(number, l.number.size());
    if (std::isfinite(l.height)) tallest = std::max(tallest, l.height);
  }
  std::size_t const taken = label + number + 4;
  auto const room = static_cast<double>(std::max<std::size_t>(10, width - std::min(width, taken)));
  std::string text;
  for (auto const& l : lines) {
    auto const drawn = bar(room * std::min(l.height / tallest, 1.0), blocks);
    text += fmt::format("{:<{}}  {:>{}}{}{}\n", l.label, label, l.number, number,
                        drawn.empty() ? "" : "  ", drawn);
  }
  return text;
}

using text::escaped;

constexpr char const* head = R"(<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>{title}</title>
<style>
:root {{
  color-scheme: light dark;
  --paper: #ffffff; --ink: #1b1f24; --quiet: #5b6470; --line: #d8dde3;
  --accent: #0072b2; --hover: #b35900;
}}
@media (prefers-color-scheme: dark) {{
  :root {{
    --paper: #14171b; --ink: #e6e9ed; --quiet: #9aa4b0; --line: #333a43;
    --accent: #56b4e9; --hover: #e69f00;
  }}
}}
body {{
  margin: 0 auto; padding: 1.25rem; max-width: 64rem; background: var(--paper); color: var(--ink);
  font: 16px/1.45 system-ui, "Segoe UI", Roboto, sans-serif;
}}
h1 {{ font-size: 1.35rem; margin: 0; overflow-wrap: anywhere; }}
.quiet {{ color: var(--quiet); font-size: 0.875rem; margin: 0.35rem 0; overflow-wrap: anywhere; }}
.scroll {{ overflow-x: auto; }}
svg {{ display: block; width: 100%; min-width: 36rem; height: auto; }}
svg text {{ font-size: 13px; fill: var(--quiet); }}
.end {{ text-anchor: end; }} .middle {{ text-anchor: middle; }}
line {{ stroke: var(--line); }} .zero {{ stroke: var(--quiet); }}
rect {{ fill: var(--accent); }} rect:hover {{ fill: var(--hover); }}
table {{ border-collapse: collapse; font-size: 0.875rem; font-variant-numeric: tabular-nums; }}
th, td {{ text-align: right; padding: 0.2rem 0.8rem; border-bottom: 1px solid var(--line); }}
th {{ color: var(--quiet); }} summary {{ cursor: pointer; margin: 0.8rem 0 0.4rem; }}
</style>
</head>
<body>
)";

constexpr double left = 90, top = 12, width = 860, height = 340, below = 48;

/// The distance of about `wanted` lines over `range`: 1, 2 or 5 times a power of ten.
double nice_step(double range, double wanted) {
  double const least = range / wanted, power = std::pow(10, std::floor(std::log10(least)));
  for (double const times : {1.0, 2.0, 5.0})
    if (times * power >= least) return times * power;
  return 10 * power;
}

/// Where heights lie in the picture.
class scale {
 public:
  explicit scale(drawn_histogram const& of) {
    for (std::size_t b = 0; b < of.heights.size(); ++b)
      if (double const h = bin_height(of, b); std::isfinite(h)) {
        low_ = std::min(low_, h);
        high_ = std::max(high_, h);
      }
    // Halves, because the difference of two finite numbers may be none.
    if (!(high_ / 2 - low_ / 2 > 1e-300)) high_ = low_ + 1;
    step_ = 2 * nice_step(high_ / 2 - low_ / 2, 5);
  }
  [[nodiscard]] double y(double h) const {
    return top + height * ((high_ / 2 - h / 2) / (high_ / 2 - low_ / 2));
  }
  /// The heights of lines.
  [[nodiscard]] std::vector<double> lines() const {
    std::vector<double> all;
    for (double k = std::ceil(low_ / step_); k * step_ <= high_ && all.size() < 20; ++k)
      all.push_back(k * step_);
    return all;
  }

 private:
  double low_ = 0, high_ = 0, step_ = 1;
};

std::string lines_of(scale const& y) {
  std::string svg;
  for (double const h : y.lines())
    svg += fmt::format(
        "<line class=\"{}\" x1=\"{}\" x2=\"{}\" y1=\"{:.2f}\" y2=\"{:.2f}\"/>"
        "<text class=\"end\" x=\"{}\" y=\"{:.2f}\">{:.6g}</text>\n",
        h == 0 ? "zero" : "line", left, left + width, y.y(h), y.y(h), left - 8, y.y(h) + 4, h);
  return svg;
}

/// As many borders as there is room for their strings.
std::string border_labels(std::vector<std::string> const& borders) {
  std::size_t longest = 0;
  for (auto const& text : borders) longest = std::max(longest, text.size());
  auto const bins = static_cast<double>(borders.size() - 1);
  double const room = 8 * static_cast<double>(longest) + 16;
  auto const every = static_cast<std::size_t>(std::ceil(room * bins / width));
  std::string svg;
  for (std::size_t b = 0; b < borders.size(); b += std::max<std::size_t>(every, 1))
    svg += fmt::format("<text class=\"middle\" x=\"{:.2f}\" y=\"{}\">{}</text>\n",
                       left + width * static_cast<double>(b) / bins, top + height + 20,
                       escaped(borders[b]));
  return svg;
}

std::string bars(drawn_histogram const& of, std::vector<std::string> const& borders,
                 scale const& y) {
  std::size_t const bins = of.heights.size();
  double const slot = width / static_cast<double>(bins), gap = slot > 4 ? 1 : 0;
  std::string svg;
  for (std::size_t b = 0; b < bins; ++b) {
    double const h = bin_height(of, b);
    if (!std::isfinite(h)) continue;
    double const from = y.y(std::max(h, 0.0)), to = y.y(std::min(h, 0.0));
    svg += fmt::format(
        "<rect x=\"{:.3f}\" y=\"{:.2f}\" width=\"{:.3f}\" height=\"{:.2f}\">"
        "<title>{}: {}</title></rect>\n",
        left + slot * static_cast<double>(b) + gap / 2, from, slot - gap,
        h == 0 ? 0 : std::max(to - from, 0.5), escaped(bin_text(of, borders, b)),
        io::number_text(of.heights.type, element(of.heights, b)));
  }
  return svg;
}

std::string table(drawn_histogram const& of, std::vector<std::string> const& borders,
                  std::string const& heights) {
  std::string html = fmt::format(
      "<details><summary>Table</summary><div class=\"scroll\"><table>\n"
      "<tr><th>bin</th><th>{}</th></tr>\n",
      escaped(heights));
  for (std::size_t b = 0; b < of.heights.size(); ++b)
    html += fmt::format("<tr><td>{}</td><td>{}</td></tr>\n", escaped(bin_text(of, borders, b)),
                        io::number_text(of.heights.type, element(of.heights, b)));
  return html + "</table></div></details>\n";
}

/// How many numbers lie outside of the bins; nothing if none does.
std::string outside_text(drawn_histogram const& of) {
  std::string text;
  for (auto const& [count, where] : {std::pair{of.outside.below, "below the bins"},
                                     std::pair{of.outside.above, "above the bins"},
                                     std::pair{of.outside.nan, "not a number (NaN)"}})
    if (count > 0) text += fmt::format("{}{} {}", text.empty() ? "" : ", ", count, where);
  return text.empty() ? text : fmt::format("<p class=\"quiet\">{}.</p>\n", text);
}

}  // namespace

std::string histogram_bars(drawn_histogram const& of) {
  return histogram_bars(of, terminal_width(), is_utf8_locale());
}

std::string histogram_page(drawn_histogram const& of, histogram_names const& names) {
  auto const borders = border_texts(of);
  scale const y(of);
  std::string const title =
      names.column.empty() ? "Histogram" : "Histogram of " + escaped(names.column);
  std::string page = fmt::format(fmt::runtime(head), fmt::arg("title", title));
  page += fmt::format(
      "<h1>{}</h1>\n<p class=\"quiet\">{} rows of {}, {} bins, {}</p>\n<div class=\"scroll\">\n"
      "<svg viewBox=\"0 0 {} {}\" role=\"img\" aria-label=\"{}\">\n",
      title, names.rows, escaped(names.input), of.heights.size(), escaped(names.heights),
      left + width + 50, top + height + below, title);
  page += lines_of(y) + bars(of, borders, y) + border_labels(borders);
  page += "</svg>\n</div>\n" + outside_text(of) + table(of, borders, names.heights);
  return page + "</body>\n</html>\n";
}

}  // namespace upsweep::cli
