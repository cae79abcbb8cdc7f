/// NVIDIA's libraries, which the emulator does not have.
#pragma once

#include <lab/source/source_tree.hpp>

#include <filesystem>
#include <string>
#include <string_view>

namespace upsweep::lab::source {

/// A sentence about a header of such a library; empty for any other header.
[[nodiscard]] std::string about_header(std::string_view name);

/// Writes headers of these names below `folder` that are errors where a file of the tree includes
/// them. A compiler looks there before the folders of the system, where NVIDIA's may be installed:
/// they do not compile with the emulator's, or cannot be linked.
void write_absent_headers(source_tree const& tree, std::filesystem::path const& folder);

}  // namespace upsweep::lab::source
