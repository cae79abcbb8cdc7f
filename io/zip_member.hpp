/// The members of .npz archives, which are zip files of .npy files.
#pragma once

#include <io/byte_source.hpp>

#include <memory>
#include <string>
#include <string_view>
#include <utility>

namespace upsweep::io {

/// "x.npz:weights" is the member "weights" of x.npz, unless there is a file of that name. Returns
/// the path of the file, and the member, which is empty for other paths.
[[nodiscard]] std::pair<std::string, std::string> member_of_path(std::string const& path);

/// True if `source` begins as a zip archive whose first member is a .npy file. Waits for its name.
[[nodiscard]] bool begins_as_npz(byte_source& source);

/// The content of the member `wanted`, with or without its ".npy"; of the only one if `wanted` is
/// empty. An archive that is not mapped is read into memory: its directory is at the end. Checksums
/// are not compared. Throws usage_error, with the names of the members, or data_error.
[[nodiscard]] std::unique_ptr<byte_source> open_member(std::unique_ptr<byte_source> archive,
                                                       std::string const& wanted, bool ahead);

}  // namespace upsweep::io
