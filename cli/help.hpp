/// The help of a command and the manual of the tool, both made from help/*.md and the option tree,
/// so that they cannot disagree.
///
/// A page of help/ is Markdown of this shape: its first line is the command's sentence, then come
/// `## Examples`, with commands and their output in indented blocks, and any other sections.
#pragma once

#include <string>
#include <utility>
#include <vector>

namespace CLI {
class App;
}

namespace upsweep::cli {

struct page {
  std::string name;
  std::string text;
};

/// Every embedded page.
std::vector<page> const& pages();

/// What `upsweep COMMAND --help` prints: sentence, usage, examples, options, the other sections.
std::string help_text(CLI::App const& command);

/// The manual of the whole tool in roff, section 1.
std::string manual(CLI::App const& tool);

}  // namespace upsweep::cli
