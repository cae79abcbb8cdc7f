/// The formats of a trace: a self-contained page, an SVG picture for slides, or lines of text.
#pragma once

#include <lab/picture.hpp>

#include <string>
#include <vector>

namespace upsweep::lab {

/// The text around the picture.
struct caption {
  std::string stem, sentence, cost, source, op, type, file, verdict;
  std::vector<std::string> findings;
  std::string form;     ///< "reduction", "inclusive scan"
  std::string no_tree;  ///< why there is no combining tree; empty if there is one
  std::uint64_t n = 0;
  int threads = 0;
  bool correct = true;
};

/// A self-contained HTML file with the picture, its script and its data.
[[nodiscard]] std::string page(picture const& p, caption const& c);

/// Which parts of a picture an SVG shows.
enum class view { all, steps, tree };
[[nodiscard]] std::string svg(picture const& p, caption const& c, view what);

/// The combining tree as text, one line per level: the elements that each combination covers.
[[nodiscard]] std::string terminal_tree(picture const& p);

}  // namespace upsweep::lab
