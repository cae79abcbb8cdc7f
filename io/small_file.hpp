/// Files that people write: sources, rules, reports.
#pragma once

#include <cstddef>
#include <optional>
#include <string>

namespace upsweep::io {

inline constexpr std::size_t most_of_small_file = std::size_t{1} << 24;

enum class file_kind { regular, any };

/// The content of `path`; nothing, with the reason in errno, if it cannot be read, has more than
/// 16 MiB (EFBIG), or, with `regular`, is something else (EINVAL), such as a device that never ends
/// or a pipe that never begins.
[[nodiscard]] std::optional<std::string> small_file(std::string const& path,
                                                    file_kind kind = file_kind::regular);

}  // namespace upsweep::io
