/// Lays out the lines of a histogram for a terminal.
#include <cli/engine/buffers.hpp>
#include <cli/output/histogram_bars.hpp>
#include <io/number.hpp>

#include <sys/ioctl.h>
#include <unistd.h>

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <string_view>
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

}  // namespace

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

std::string histogram_bars(drawn_histogram const& of) {
  return histogram_bars(of, terminal_width(), is_utf8_locale());
}

}  // namespace upsweep::cli
