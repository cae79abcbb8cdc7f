/// Temporary file, write loop, fsync, and a rename without a race.
#include <io/output_file.hpp>

#include <io/error.hpp>
#include <io/interruption.hpp>

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <climits>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <random>

namespace upsweep::io {
namespace {

/// `path` with symbolic links resolved; `path` itself if it does not exist yet.
std::string behind_links(std::string const& path) {
  char resolved[PATH_MAX];
  return ::realpath(path.c_str(), resolved) == nullptr ? path : std::string(resolved);
}

std::string directory_of(std::string const& path) {
  auto const slash = path.rfind('/');
  return slash == std::string::npos ? "." : slash == 0 ? "/" : path.substr(0, slash);
}

io_error exists_already(std::string const& name) {
  return io_error(fmt::format(
      "'{}' already exists; give --force to replace it, or choose another name.", name));
}

}  // namespace

output_file::output_file(std::string const& path, bool force) : name_(path), force_(force) {
  std::signal(SIGXFSZ, SIG_IGN);  // makes a write beyond `ulimit -f` fail with EFBIG instead of
                                  // killing the process
  if (path.empty() || path == "-") {
    name_ = "standard output";
    standard_ = true;
    file_ = STDOUT_FILENO;
    std::signal(SIGPIPE, SIG_IGN);
    return;
  }
  struct stat status{};
  bool const exists = ::stat(path.c_str(), &status) == 0;
  if (exists && S_ISDIR(status.st_mode))
    throw io_error(fmt::format("'{}' is a directory; name a file in it.", path));
  if (exists && !S_ISREG(status.st_mode)) {
    std::signal(SIGPIPE, SIG_IGN);
    file_ = ::open(path.c_str(), O_WRONLY | O_CLOEXEC);
    if (file_ < 0)
      throw io_error(fmt::format("Cannot open '{}' for writing: {}.", path, std::strerror(errno)));
    return;
  }
  if (exists && !force) throw exists_already(path);
  open_temporary(path);
  if (exists) ::fchmod(file_, status.st_mode & 07777);
}

void output_file::open_temporary(std::string const& path) {
  target_ = behind_links(path);
  auto const slash = target_.rfind('/');
  auto const base = target_.substr(slash == std::string::npos ? 0 : slash + 1);
  std::random_device entropy;
  for (int attempt = 0; attempt < 100; ++attempt) {
    // A long name is truncated: a file name has at most 255 bytes.
    auto const candidate =
        fmt::format("{}/.{}.{:08x}.part", directory_of(target_), base.substr(0, 200), entropy());
    remember_temporary(
        candidate
            .c_str());  // before creating it, so that a signal in between leaves nothing behind
    file_ = ::open(candidate.c_str(), O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    if (file_ >= 0) {
      temporary_ = candidate;
      return;
    }
    auto const reason = errno;
    forget_temporary(candidate.c_str());
    if (reason != EEXIST)
      throw io_error(fmt::format("Cannot create '{}': {}.", path, std::strerror(reason)));
  }
  throw io_error(fmt::format(
      "Cannot create '{}': 100 random names for a temporary file in its directory are taken.",
      path));
}

output_file::~output_file() {
  discard();
}

void output_file::discard() noexcept {
  if (file_ >= 0 && !standard_) ::close(file_);
  file_ = -1;
  if (temporary_.empty()) return;
  ::unlink(temporary_.c_str());
  forget_temporary(temporary_.c_str());
  temporary_.clear();
}

void output_file::fail(std::string_view what, int reason) {
  bool const closed = reason == EPIPE;
  bool const nothing_left = can_patch();
  discard();
  if (closed) throw pipe_closed();
  throw io_error(fmt::format("{} {} failed after {} bytes: {}.{}", what, name_, written_,
                             std::strerror(reason),
                             nothing_left ? " Nothing was left behind." : ""));
}

void output_file::write(std::string_view bytes) {
  while (!bytes.empty()) {
    auto const got = ::write(file_, bytes.data(), bytes.size());
    if (got < 0 && errno == EINTR) continue;
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

/// Renames the finished temporary file to the target.
void output_file::publish() {
  if (force_) {
    if (::rename(temporary_.c_str(), target_.c_str()) != 0) fail("Replacing", errno);
    return;
  }
  if (::renameat2(AT_FDCWD, temporary_.c_str(), AT_FDCWD, target_.c_str(), RENAME_NOREPLACE) == 0)
    return;
  if (errno == EINVAL ||
      errno == ENOSYS) {  // not supported by this file system; link() never replaces either
    if (::link(temporary_.c_str(), target_.c_str()) == 0) {
      ::unlink(temporary_.c_str());
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
  if (standard_ || file_ < 0) return;
  if (temporary_.empty()) {
    auto const closed = ::close(file_);
    file_ = -1;
    if (closed != 0) fail("Closing", errno);
    return;
  }
  if (::fsync(file_) != 0) fail("Writing", errno);
  auto const closed = ::close(file_);
  file_ = -1;
  if (closed != 0) fail("Closing", errno);
  publish();
  forget_temporary(temporary_.c_str());
  temporary_.clear();
  // The new name is durable once its directory is synchronised. Errors are ignored: some file
  // systems cannot synchronise directories.
  auto const directory = ::open(directory_of(target_).c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (directory < 0) return;
  ::fsync(directory);
  ::close(directory);
}

}  // namespace upsweep::io
