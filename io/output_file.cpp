/// Temporary file, write loop, fsync, and a rename without a race.
#include <io/output_file.hpp>

#include <io/error.hpp>
#include <io/interruption.hpp>

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <random>

namespace upsweep::io {
namespace {

io_error exists_already(std::string const& name) {
  return io_error(fmt::format(
      "'{}' already exists; give --force to replace it, or choose another name.", name));
}

/// renameat2 with RENAME_NOREPLACE; musl has no function for that call of the kernel.
int rename_unless_there(int folder, char const* from, char const* to) {
  return static_cast<int>(::syscall(SYS_renameat2, folder, from, folder, to, 1U));
}

}  // namespace

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
    throw io_error(fmt::format("'{}' is a directory; name a file in it.", path));
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
    if (reason != EEXIST)
      throw io_error(fmt::format("Cannot create '{}': {}.", name_, std::strerror(reason)));
  }
  throw io_error(fmt::format(
      "Cannot create '{}': 100 random names for a temporary file in its directory are taken.",
      name_));
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
  throw io_error(fmt::format("{} {} failed after {} bytes: {}.{}", what, name_, written_,
                             std::strerror(reason),
                             nothing_left ? " Nothing was left behind." : ""));
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
  if (temporary_.empty()) {
    auto const closed = ::close(file_);
    file_ = -1;
    if (closed != 0) fail("Closing", errno);
    return;
  }
  if (force_) take_old_attributes();
  if (::fsync(file_) != 0) fail("Writing", errno);
  auto const closed = ::close(file_);
  file_ = -1;
  if (closed != 0) fail("Closing", errno);
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
