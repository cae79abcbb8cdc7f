/// Where the name of an output leads.
#pragma once

#include <sys/stat.h>

#include <optional>
#include <string>

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

/// Gives `file` the owner, group, permissions, access list and attributes user.* of the regular
/// file `base` in `folder`, whose status is `old`. Where that is not permitted, nobody gets more
/// access than they had.
void take_attributes(int file, int folder, std::string const& base,
                     struct stat const& old) noexcept;

}  // namespace upsweep::io
