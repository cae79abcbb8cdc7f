/// The laboratory's site: its files, and the folder into which they are written.
#pragma once

#include <cstddef>
#include <filesystem>
#include <map>
#include <string>
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

/// Writes `files` into `folder`, which is created if necessary, and returns how many were new or
/// changed. All are written to a folder in it, then renamed, index.html last: what fails before
/// leaves `folder` as it was. Files with other contents are replaced only with `force`.
std::size_t write_site(std::filesystem::path const& folder, site_files const& files, bool force);

}  // namespace upsweep::cli
