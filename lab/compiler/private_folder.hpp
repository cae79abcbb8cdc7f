/// Folders and files that no other user can change: what is compiled and executed lies in them.
#pragma once

#include <filesystem>
#include <string>

namespace upsweep::lab {

/// Why another user could change what `folder` leads to, as a clause; empty if none could. The
/// folder, the folders above it and the links on the way must belong to this user or to root and
/// must not be writable by others; a sticky folder such as /tmp is allowed on the way. What does
/// not exist is created with mode 0700, but only below folders that are safe.
[[nodiscard]] std::string exposure_of(std::filesystem::path const& folder);

/// The same for a folder that holds what is executed: it must also be this user's own, no link, and
/// not writable by others at all. Gets mode 0700.
[[nodiscard]] std::string exposure_of_own(std::filesystem::path const& folder);

/// A new folder of mode 0700 in $TMPDIR, /tmp or /var/tmp. Throws io_error if none is safe.
[[nodiscard]] std::filesystem::path new_temporary_folder();

/// A descriptor, for reading, of a file that this user alone can write: a regular file of one name,
/// not a link; -1 for anything else.
[[nodiscard]] int open_own_file(std::filesystem::path const& file);

/// The content of such a file; empty for anything else, and beyond 16 MiB.
[[nodiscard]] std::string text_of_own_file(std::filesystem::path const& file);

/// Creates `file` with mode 0600. Throws io_error if it is there already or cannot be written.
void write_own_file(std::filesystem::path const& file, std::string const& text);

}  // namespace upsweep::lab
