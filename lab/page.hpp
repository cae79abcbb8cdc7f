/// The formats of a trace: a self-contained page, an SVG picture for slides, or lines of text.
#pragma once

#include <lab/picture.hpp>

#include <string>
#include <vector>

namespace upsweep::lab {

/// The text around the picture.
struct caption {
  std::string stem, sentence, cost, source, file, verdict;
  std::vector<std::string> facts;  ///< "16 elements", "sum of i32"
  std::vector<std::string> findings;
  std::string no_tree;  ///< why there is no combining tree; empty if there is one
  int first_row = 0;    ///< in which a page begins
  bool correct = true;
};

/// A self-contained HTML file with the picture, its script and its data.
[[nodiscard]] std::string page(picture const& p, caption const& c);

/// Which parts of a picture an SVG shows.
enum class view { all, steps, tree };
[[nodiscard]] std::string svg(picture const& p, caption const& c, view what);

/// The combining tree as text, one line per level: the elements that each combination covers, or
/// the values that it has.
enum class tree_text { covered, values };
[[nodiscard]] std::string terminal_tree(picture const& p, tree_text what = tree_text::covered);

/// The steps as text: a line for each moment, a column for each thread, the values that the threads
/// read, write and combine. Accesses of findings are marked, and findings listed below. Of a launch
/// that is wider than the line, the threads around the first finding are shown.
[[nodiscard]] std::string terminal_steps(picture const& p, caption const& c);

}  // namespace upsweep::lab
