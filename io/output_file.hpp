/// The destination of output: an atomically created file, a device, or standard output.
#pragma once

#include <io/compression.hpp>

#include <sys/stat.h>

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

namespace upsweep::io {

/// The open folder of an output, and the name in it, symbolic links resolved. Links, pipes and
/// files that another user has put into a sticky folder that all users can write, such as /tmp, are
/// refused unless the folder is that user's, as the kernel does for programs that open them
/// (fs.protected_symlinks, _fifos and _regular).
class destination {
 public:
  /// Throws io_error when the folder cannot be reached, or when what is there must not be used.
  explicit destination(std::string const& path);
  ~destination();
  destination(destination const&) = delete;
  destination& operator=(destination const&) = delete;

  [[nodiscard]] int folder() const noexcept { return folder_; }
  [[nodiscard]] std::string const& base() const noexcept { return base_; }
  /// Of what is there; empty if nothing is.
  [[nodiscard]] std::optional<struct stat> const& found() const noexcept { return found_; }
  /// Looks again at the name itself, and refuses as the constructor does.
  void look();
  /// A new descriptor of what is not a regular file: a device, a pipe (also one of another process,
  /// by its name in /proc/PID/fd), or, for /dev/stdout and /dev/fd/N, the file that is open there.
  [[nodiscard]] int open_in_place() const;
  /// The name is that of a descriptor of this process.
  [[nodiscard]] bool is_descriptor() const noexcept { return descriptor_ >= 0; }

 private:
  destination() = default;
  void follow(std::string path);
  void refuse_planted(char const* what) const;
  [[nodiscard]] bool is_in_proc() const;
  [[nodiscard]] bool names_descriptor();
  [[nodiscard]] bool names_what_has_no_path(std::string const& text);

  std::string name_;
  int folder_ = -1;
  std::string base_;
  std::optional<struct stat> found_;
  int descriptor_ = -1;
  bool is_in_place_ = false;  // the name leads there, although it is a link
};

/// A regular file is written under a temporary name in the same directory; `commit` synchronizes
/// and renames it. Without `commit` nothing remains. Without `force` the rename fails if the name
/// exists by then (no race). A file that is replaced keeps its owner, permissions and access list.
/// A symbolic link is followed, so its target is replaced, unless another user has planted it.
/// Existing devices, pipes and /dev/stdout are written directly.
class output_file {
 public:
  /// "-" and "" are standard output. SIGPIPE is then ignored, so that writing to a closed pipe
  /// throws pipe_closed. Throws io_error.
  output_file(std::string const& path, bool force, compression kind = compression::none);
  ~output_file();
  output_file(output_file const&) = delete;
  output_file& operator=(output_file const&) = delete;

  void write(std::string_view bytes);
  /// Overwrites bytes already written. Requires `can_patch`.
  void patch(std::uint64_t at, std::string_view bytes);
  void commit();

  [[nodiscard]] bool can_patch() const noexcept { return !temporary_.empty() && !compressor_; }
  [[nodiscard]] bool is_standard_output() const noexcept { return standard_; }
  [[nodiscard]] std::string const& name() const noexcept { return name_; }

 private:
  void write_all(std::string_view bytes);
  void open_temporary();
  void take_old_attributes();
  void publish();
  [[noreturn]] void fail(std::string_view what, int reason);
  void discard() noexcept;

  std::string name_;
  std::optional<destination> target_;  ///< empty for standard output
  std::string temporary_;              ///< name in the target's folder; empty if written directly
  bool standard_ = false;
  bool force_ = false;
  int file_ = -1;
  std::uint64_t written_ = 0;
  std::unique_ptr<compressor> compressor_;
};

}  // namespace upsweep::io
