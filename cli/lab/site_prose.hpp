/// Markdown as HTML, as far as the exercises and the pages of the findings use it: headings,
/// paragraphs, lists, blocks of code, code, emphasis, links, and folded parts.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>

namespace upsweep::cli {

/// The address for a link of the text; without one, the link becomes plain text.
using link_address = std::function<std::optional<std::string>(std::string_view to)>;

/// `level` is the level of the text's first heading.
[[nodiscard]] std::string html_of(std::string_view text, link_address const& address,
                                  int level = 1);

}  // namespace upsweep::cli
