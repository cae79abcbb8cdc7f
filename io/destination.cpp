/// Follows links one at a time, relative to open folders, so that nothing can be exchanged between
/// a check and its use.
#include <io/destination.hpp>

#include <io/error.hpp>

#include <fcntl.h>
#include <fmt/format.h>
#include <linux/magic.h>
#include <sys/vfs.h>
#include <sys/xattr.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <climits>
#include <cstring>
#include <string_view>

namespace upsweep::io {
namespace {

constexpr int most_links = 40;  // as the kernel

std::string directory_of(std::string const& path) {
  auto const slash = path.rfind('/');
  if (slash == std::string::npos) return {'.'};
  return path.substr(0, std::max<std::size_t>(slash, 1));
}

constexpr char const* access_list = "system.posix_acl_access";

/// False if the old file has an access list that the new one cannot have.
bool take_extended(int file, std::string const& old) {
  char names[1 << 12], value[1 << 12];
  auto const length = ::llistxattr(old.c_str(), names, sizeof names);
  bool good = true;
  for (char const* name = names; length > 0 && name < names + length;
       name += std::strlen(name) + 1) {
    bool const is_list = std::strcmp(name, access_list) == 0;
    if (!is_list && !std::string_view(name).starts_with("user.")) continue;
    auto const bytes = ::lgetxattr(old.c_str(), name, value, sizeof value);
    bool const taken =
        bytes >= 0 && ::fsetxattr(file, name, value, static_cast<std::size_t>(bytes), 0) == 0;
    if (is_list && !taken) good = false;
  }
  return good;
}

bool is_same_file(struct stat const& a, struct stat const& b) {
  return a.st_ino == b.st_ino && a.st_dev == b.st_dev;
}

io_error refused(std::string const& name, int reason) {
  return io_error(fmt::format("Cannot create '{}': {}.", name, std::strerror(reason)));
}

}  // namespace

destination::destination(std::string const& path) : name_(path) {
  try {
    follow(path);
  } catch (...) {
    if (folder_ >= 0) ::close(folder_);
    throw;
  }
}

destination::~destination() {
  ::close(folder_);
}

/// Sets the members for `path`, which is relative to the folder so far.
void destination::follow(std::string path) {
  for (int links = 0; links <= most_links; ++links) {
    int const from = folder_ < 0 ? AT_FDCWD : folder_;
    int const next = ::openat(from, directory_of(path).c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC);
    int const reason = errno;
    if (folder_ >= 0) ::close(folder_);
    folder_ = next;
    if (folder_ < 0) throw refused(name_, reason);
    base_ = path.substr(path.rfind('/') + 1);
    if (base_.empty()) base_.assign(1, '.');  // of a name that ends in a slash
    look();
    if (!found_ || !S_ISLNK(found_->st_mode)) return;
    if (names_descriptor()) return;
    char target[PATH_MAX];
    auto const bytes = ::readlinkat(folder_, base_.c_str(), target, sizeof target);
    if (bytes < 0) throw refused(name_, errno);
    path.assign(target, static_cast<std::size_t>(bytes));
    if (names_what_has_no_path(path)) return;
  }
  throw refused(name_, ELOOP);
}

void destination::look() {
  struct stat s{};
  if (::fstatat(folder_, base_.c_str(), &s, AT_SYMLINK_NOFOLLOW) == 0) {
    found_ = s;
    if (S_ISLNK(s.st_mode)) refuse_planted("link");
    if (S_ISFIFO(s.st_mode)) refuse_planted("pipe");
    if (S_ISREG(s.st_mode)) refuse_planted("file");
  } else if (errno == ENOENT) {
    found_.reset();
  } else {
    throw refused(name_, errno);
  }
}

void destination::refuse_planted(char const* what) const {
  struct stat folder{};
  if (::fstat(folder_, &folder) != 0) throw refused(name_, errno);
  bool const is_common = (folder.st_mode & S_ISVTX) != 0 && (folder.st_mode & S_IWOTH) != 0;
  if (!is_common || found_->st_uid == ::geteuid() || found_->st_uid == folder.st_uid) return;
  throw io_error(fmt::format(
      "'{}' is not written: the {} '{}' belongs to another user (uid {}) and is in a folder where "
      "all users can create one; choose another name.",
      name_, what, base_, found_->st_uid));
}

bool destination::is_in_proc() const {
  struct statfs system{};
  return ::fstatfs(folder_, &system) == 0 && system.f_type == PROC_SUPER_MAGIC;
}

/// A link in /proc/self/fd, whose text need not be a path.
bool destination::names_descriptor() {
  struct stat own{}, here{};
  if (!is_in_proc() || ::stat("/proc/self/fd", &own) != 0 || ::fstat(folder_, &here) != 0)
    return false;
  if (!is_same_file(own, here)) return false;
  std::from_chars(base_.data(), base_.data() + base_.size(), descriptor_);
  return true;
}

/// A link in /proc/PID/fd of another process to a pipe, whose text is not a path.
bool destination::names_what_has_no_path(std::string const& text) {
  struct stat open{}, named{};
  if (!is_in_proc() || ::fstatat(folder_, base_.c_str(), &open, 0) != 0) return false;
  if (::stat(text.c_str(), &named) == 0 && is_same_file(open, named)) return false;
  if (S_ISREG(open.st_mode))
    throw io_error(fmt::format(
        "'{}' is a file of another process that has been removed; choose another name.", name_));
  is_in_place_ = true;
  return true;
}

int destination::open_in_place() const {
  int const opened = is_descriptor()
                         ? ::fcntl(descriptor_, F_DUPFD_CLOEXEC, 0)
                         : ::openat(folder_, base_.c_str(),
                                    O_WRONLY | O_CLOEXEC | (is_in_place_ ? 0 : O_NOFOLLOW));
  if (opened < 0)
    throw io_error(fmt::format("Cannot open '{}' for writing: {}.", name_, std::strerror(errno)));
  struct stat s{};
  if (is_descriptor() || (::fstat(opened, &s) == 0 && !S_ISREG(s.st_mode))) return opened;
  ::close(opened);
  throw io_error(fmt::format("'{}' was replaced by another file meanwhile.", name_));
}

void take_attributes(int file, int folder, std::string const& base,
                     struct stat const& old) noexcept {
  constexpr mode_t of_group = 070, of_others = 07;
  struct stat now{};
  if (::fstat(file, &now) != 0) return;
  bool same_group = now.st_gid == old.st_gid;
  if (now.st_uid != old.st_uid || !same_group)
    same_group = ::fchown(file, old.st_uid, old.st_gid) == 0 || same_group ||
                 ::fchown(file, static_cast<uid_t>(-1), old.st_gid) == 0;
  bool const whole = take_extended(file, "/proc/self/fd/" + std::to_string(folder) + '/' + base);
  auto mode = old.st_mode & 0777;
  // The bits of a group mean another group now, or the bound of an access list that is lost.
  if (!same_group || !whole) mode &= ~of_group | (mode & of_others) << 3;
  ::fchmod(file, mode);
}

}  // namespace upsweep::io
