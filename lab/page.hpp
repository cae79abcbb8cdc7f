/// What a trace is written as: a page that needs nothing else, a picture for slides, or lines of
/// text.
#pragma once

#include <lab/picture.hpp>

#include <string>
#include <vector>

namespace upsweep::lab {

/// What stands around the picture.
struct caption {
  std::string stem, sentence, cost, source, op, type, file, verdict;
  std::vector<std::string> findings;
  std::uint64_t n = 0;
  int threads = 0;
  bool correct = true;
};

/// One HTML file with the picture, its program and its data inside.
[[nodiscard]] std::string page(picture const& p, caption const& c);

/// Which parts of a picture an SVG shows.
enum class view { all, steps, tree };
[[nodiscard]] std::string svg(picture const& p, caption const& c, view what);

/// The combining tree as lines of text, one for each level: which elements each combination covers.
[[nodiscard]] std::string terminal_tree(picture const& p);

}  // namespace upsweep::lab
