/// A compiler's error in the lines and columns of the file that the user wrote.
#pragma once

#include <lab/source/source_tree.hpp>

#include <filesystem>
#include <string>

namespace upsweep::lab::source {

/// The first error in the compiler's output `log`, without a line break at its end.
[[nodiscard]] std::string users_error(std::filesystem::path const& log, source_tree const& tree);

}  // namespace upsweep::lab::source
