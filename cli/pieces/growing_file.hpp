/// A file to which others append, such as a log, and the state of its reduction so far.
#pragma once

#include <cli/pieces/part_file.hpp>

#include <optional>
#include <string>
#include <vector>

namespace upsweep::cli {

class growing_file {
 public:
  /// Of a single path, read in this way. There is no state if no file `state` exists. Throws
  /// data_error if the file no longer begins with what was read: it is shorter, or its first or
  /// last 4 KiB have changed.
  growing_file(std::vector<std::string> const& paths, io::input_options const& reading,
               std::string const& state);

  [[nodiscard]] std::optional<part_file> const& state() const noexcept { return state_; }
  /// What is new, up to the end of the last complete line or raw value.
  [[nodiscard]] io::file_part unread() const noexcept { return unread_; }
  /// What will have been read then.
  [[nodiscard]] read_so_far read() const noexcept { return read_; }

 private:
  std::optional<part_file> state_;
  io::file_part unread_;
  read_so_far read_;
};

}  // namespace upsweep::cli
