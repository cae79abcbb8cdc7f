/// Files to which others append, such as logs, and the state of their reduction so far.
#pragma once

#include <cli/pieces/part_file.hpp>

#include <optional>
#include <string>
#include <vector>

namespace upsweep::cli {

struct growing_file {
  /// `before` is the part of what was read of it, from the file `state`. Throws data_error if it no
  /// longer begins with that: it is shorter, or its first or last 4 KiB have changed.
  growing_file(std::string path, io::input_options const& reading, std::string const& state,
               std::optional<part_file> before);

  std::string path;
  std::optional<part_file> before;
  /// What is new, up to the end of the last complete line, raw value or row of an array.
  io::file_part unread;
  read_so_far read;  ///< what will have been read then
};

/// The files of a command with their parts in `state`, if that exists. It may have fewer parts than
/// there are files.
[[nodiscard]] std::vector<growing_file> growing_files(std::vector<std::string> const& paths,
                                                      io::input_options const& reading,
                                                      std::string const& state);

/// The first file whose rows have moved back since they were read, because an earlier file has new
/// rows, now or in an earlier call; null if there is none.
[[nodiscard]] growing_file const* first_moved(std::vector<growing_file> const& files);

}  // namespace upsweep::cli
