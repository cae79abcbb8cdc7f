/// Follows links one at a time, relative to open folders, so that nothing can be exchanged between
/// a check and its use; temporary file, write loop, fsync, and a rename without a race.
#include <io/output_file.hpp>

#include <io/error.hpp>
#include <io/interruption.hpp>

#include <fcntl.h>
#include <fmt/format.h>
#include <linux/magic.h>
#include <poll.h>
#include <sys/syscall.h>
#include <sys/vfs.h>
#include <sys/xattr.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <climits>
#include <csignal>
#include <cstring>
#include <random>

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
  return io_error("Cannot create '{}': {}.", name, std::strerror(reason));
}

/// Gives `file` the owner, group, permissions, access list and attributes user.* of the regular
/// file `base` in `folder`, whose status is `old`. Where that is not permitted, nobody gets more
/// access than they had.
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

io_error exists_already(std::string const& name) {
  return io_error("'{}' already exists; give --force to replace it, or choose another name.", name);
}

/// renameat2 with RENAME_NOREPLACE; musl has no function for that call of the kernel.
int rename_unless_there(int folder, char const* from, char const* to) {
  return static_cast<int>(::syscall(SYS_renameat2, folder, from, folder, to, 1U));
}

}  // namespace

destination::destination(std::string const& path) : destination() {  // so errors destroy it
  name_ = path;
  follow(path);
}

destination::~destination() {
  if (folder_ >= 0) ::close(folder_);
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
  throw io_error(
      "'{}' is not written: the {} '{}' belongs to another user (uid {}) and is in a folder where "
      "all users can create one; choose another name.",
      name_, what, base_, found_->st_uid);
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
    throw io_error("'{}' is a file of another process that has been removed; choose another name.",
                   name_);
  is_in_place_ = true;
  return true;
}

int destination::open_in_place() const {
  int const opened = is_descriptor()
                         ? ::fcntl(descriptor_, F_DUPFD_CLOEXEC, 0)
                         : ::openat(folder_, base_.c_str(),
                                    O_WRONLY | O_CLOEXEC | (is_in_place_ ? 0 : O_NOFOLLOW));
  if (opened < 0) throw io_error("Cannot open '{}' for writing: {}.", name_, std::strerror(errno));
  struct stat s{};
  if (is_descriptor() || (::fstat(opened, &s) == 0 && !S_ISREG(s.st_mode))) return opened;
  ::close(opened);
  throw io_error("'{}' was replaced by another file meanwhile.", name_);
}

output_file::output_file(std::string const& path, bool force, compression kind)
    : name_(path),
      force_(force),
      compressor_(make_compressor(kind, [this](std::string_view bytes) { write_all(bytes); })) {
  std::signal(SIGXFSZ, SIG_IGN);  // makes a write beyond `ulimit -f` fail with EFBIG instead of
                                  // killing the process
  if (path == "-") {
    name_ = "standard output";
    standard_ = true;
    file_ = STDOUT_FILENO;
    std::signal(SIGPIPE, SIG_IGN);
    return;
  }
  target_.emplace(path);
  auto const& found = target_->found();
  if (found && S_ISDIR(found->st_mode))
    throw io_error("'{}' is a directory; name a file in it.", path);
  if (found && !S_ISREG(found->st_mode)) {
    std::signal(SIGPIPE, SIG_IGN);
    file_ = target_->open_in_place();
    return;
  }
  if (found && !force) throw exists_already(path);
  open_temporary();
}

/// Private while it is written if it replaces a file, which may be private.
void output_file::open_temporary() {
  mode_t const mode = target_->found() ? 0600 : 0666;
  std::random_device entropy;
  for (int attempt = 0; attempt < 100; ++attempt) {
    // A long name is truncated: a file name has at most 255 bytes.
    auto const candidate =
        fmt::format(".{}.{:08x}.part", target_->base().substr(0, 200), entropy());
    // Before creating it, so that a signal in between leaves no file.
    remember_temporary(target_->folder(), candidate.c_str());
    file_ = ::openat(target_->folder(), candidate.c_str(),
                     O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, mode);
    if (file_ >= 0) {
      temporary_ = candidate;
      return;
    }
    auto const reason = errno;
    forget_temporary(target_->folder());
    if (reason != EEXIST) throw refused(name_, reason);
  }
  throw io_error(
      "Cannot create '{}': 100 random names for a temporary file in its directory are taken.",
      name_);
}

output_file::~output_file() {
  discard();
}

void output_file::discard() noexcept {
  if (file_ >= 0 && !standard_) ::close(file_);
  file_ = -1;
  if (temporary_.empty()) return;
  ::unlinkat(target_->folder(), temporary_.c_str(), 0);
  forget_temporary(target_->folder());
  temporary_.clear();
}

void output_file::fail(std::string_view what, int reason) {
  bool const closed = reason == EPIPE;
  bool const nothing_left = !temporary_.empty();
  discard();
  if (closed) throw pipe_closed();
  throw io_error("{} {} failed after {} bytes: {}.{}", what, name_, written_, std::strerror(reason),
                 nothing_left ? " No incomplete file remains." : "");
}

void output_file::write(std::string_view bytes) {
  if (compressor_)
    compressor_->write(bytes);
  else
    write_all(bytes);
}

void output_file::write_all(std::string_view bytes) {
  while (!bytes.empty()) {
    auto const got = ::write(file_, bytes.data(), bytes.size());
    if (got < 0 && errno == EINTR) continue;
    if (got < 0 && errno == EAGAIN) {  // a non-blocking pipe or terminal
      pollfd wish{file_, POLLOUT, 0};
      ::poll(&wish, 1, -1);
      continue;
    }
    if (got < 0) fail("Writing", errno);
    written_ += static_cast<std::uint64_t>(got);
    bytes.remove_prefix(static_cast<std::size_t>(got));
  }
}

void output_file::patch(std::uint64_t at, std::string_view bytes) {
  while (!bytes.empty()) {
    auto const got = ::pwrite(file_, bytes.data(), bytes.size(), static_cast<off_t>(at));
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) fail("Writing", got < 0 ? errno : EIO);
    at += static_cast<std::uint64_t>(got);
    bytes.remove_prefix(static_cast<std::size_t>(got));
  }
}

/// Those of the file that is there now, or that was there at first.
void output_file::take_old_attributes() {
  auto const before = target_->found();
  target_->look();
  auto const& now = target_->found();
  auto const& old = now && S_ISREG(now->st_mode) ? now : before;
  if (old) take_attributes(file_, target_->folder(), target_->base(), *old);
}

/// Renames the finished temporary file to the target.
void output_file::publish() {
  int const folder = target_->folder();
  char const *const from = temporary_.c_str(), *const to = target_->base().c_str();
  if (force_) {
    if (::renameat(folder, from, folder, to) != 0) fail("Replacing", errno);
    return;
  }
  if (rename_unless_there(folder, from, to) == 0) return;
  if (errno == EINVAL ||
      errno == ENOSYS) {  // not supported by this file system; link() never replaces either
    if (::linkat(folder, from, folder, to, 0) == 0) {
      ::unlinkat(folder, from, 0);
      return;
    }
  }
  auto const reason = errno;
  if (reason == EEXIST) {
    discard();
    throw exists_already(name_);
  }
  fail("Renaming to", reason);
}

void output_file::commit() {
  if (compressor_) compressor_->finish();
  if (standard_) return;
  bool const is_renamed = !temporary_.empty();
  if (is_renamed && force_) take_old_attributes();
  if (is_renamed && ::fsync(file_) != 0) fail("Writing", errno);
  auto const closed = ::close(file_);
  file_ = -1;
  if (closed != 0) fail("Closing", errno);
  if (!is_renamed) return;
  publish();
  forget_temporary(target_->folder());
  temporary_.clear();
  // The new name is durable once its directory is synchronized. Errors are ignored: some file
  // systems cannot synchronize directories.
  auto const directory = ::openat(target_->folder(), ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (directory < 0) return;
  ::fsync(directory);
  ::close(directory);
}

}  // namespace upsweep::io
