/// The help of a command and the manual of the tool. Both are generated from help/*.md and the
/// definitions of the options, so they cannot disagree.
///
/// A page of help/ is Markdown. Its first line is the one-line description of the command. It is
/// followed by `## Examples`, with commands and their output in indented blocks, and by any other
/// sections.
#pragma once

#include <string>
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

/// The output of `upsweep COMMAND --help`: description, examples, usage, options, other sections.
std::string help_text(CLI::App const& command);

/// The manual of the whole tool in roff, section 1.
std::string manual(CLI::App const& tool);

}  // namespace upsweep::cli
