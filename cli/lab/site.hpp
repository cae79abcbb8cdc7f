/// The laboratory's site: its files and pages.
#pragma once

#include <filesystem>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace upsweep::cli {

/// Contents by path, "editor/index.html".
using site_files = std::map<std::string, std::string>;

/// Every file below `folder`, with names that begin with `under` and '/'. Throws io_error.
[[nodiscard]] site_files files_below(std::filesystem::path const& folder, std::string const& under);

struct site_parts {
  std::filesystem::path packed;        ///< the folder that lab/wasm/pack_site.py writes
  std::vector<std::string> exercises;  ///< numbers, names and folders; {"all"} or {"none"}
  bool with_compiler = false;          ///< with the editor
};

/// The files of a site. Throws usage_error for an exercise that does not exist.
[[nodiscard]] site_files make_site(site_parts const& parts);

/// The address for a link of the text; without one, the link becomes plain text.
using link_address = std::function<std::optional<std::string>(std::string_view to)>;

/// Markdown as HTML, as far as the exercises and the pages of the findings use it: headings,
/// paragraphs, lists, blocks of code, code, emphasis, links, and folded parts. `level` is
/// the level of the text's first heading.
[[nodiscard]] std::string html_of(std::string_view text, link_address const& address,
                                  int level = 1);

}  // namespace upsweep::cli
