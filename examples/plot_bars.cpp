/// Draws numbers from standard input as horizontal bars. Each line is `label value` or a value.
#include <upsweep/upsweep.hpp>

#include <cstdio>
#include <iostream>
#include <sstream>
#include <string>
#include <vector>

namespace {

struct line {
  std::string label;
  double value;
};

/// A bar of up to `width` columns, with a resolution of an eighth of a column.
std::string bar(double share, int width) {
  static char const* const part[] = {"", "▏", "▎", "▍", "▌", "▋", "▊", "▉"};
  int const eighths = static_cast<int>(share * width * 8 + 0.5);
  std::string text;
  for (int i = 0; i < eighths / 8; ++i) text += "█";
  return text + part[eighths % 8];
}

}  // namespace

int main() {
  std::vector<line> lines;
  for (std::string text; std::getline(std::cin, text);) {
    std::istringstream words(text);
    line l{};
    if (words >> l.label && !(words >> l.value)) l.value = std::stod(l.label), l.label.clear();
    if (!text.empty()) lines.push_back(l);
  }
  double const largest = upsweep::transform_reduce(lines, [](line const& l) { return l.value; },
                                                   upsweep::max{}, {.initial = 0.0});
  for (line const& l : lines) {
    double const share = largest > 0 && l.value > 0 ? l.value / largest : 0;
    std::printf("%6s %s %.1f\n", l.label.c_str(), bar(share, 60).c_str(), l.value);
  }
}
