/// Walks along a path as the kernel does. The rule is that of sshd for the files with its keys:
/// nobody but the user and root can have put in place what the path leads to.
#include <lab/compiler/private_folder.hpp>

#include <io/error.hpp>

#include <fcntl.h>
#include <fmt/format.h>
#include <grp.h>
#include <pwd.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <iterator>
#include <list>
#include <system_error>

namespace upsweep::lab {

namespace {

namespace fs = std::filesystem;

constexpr int most_links = 40;  // as the kernel
constexpr mode_t by_group = 0020, by_others = 0002;

/// Shown for files of users that this user namespace does not have. In a namespace with every user
/// it is an ordinary one, "nobody".
bool is_unmapped(uid_t user) {
  std::uint64_t inside = 0, outside = 0, count = 0;
  uid_t overflow = 0;
  std::ifstream map("/proc/self/uid_map"), number("/proc/sys/kernel/overflowuid");
  return number >> overflow && user == overflow && map >> inside >> outside >> count &&
         count < 0xffffffffu;
}

bool is_trusted(uid_t user) {
  return user == 0 || user == ::geteuid() || is_unmapped(user);
}

/// Root's, or a group of this user's name without other members, as Debian and Fedora make one for
/// each user, with an umask that lets it write.
bool is_trusted_group(gid_t id) {
  if (id == 0) return true;
  passwd const* const user = ::getpwuid(::geteuid());
  if (user == nullptr || user->pw_gid != id) return false;
  std::string const name = user->pw_name;
  group const* const found = ::getgrgid(id);
  if (found == nullptr || name != found->gr_name) return false;
  for (char* const* member = found->gr_mem; *member != nullptr; ++member)
    if (name != *member) return false;
  return true;
}

bool others_can_write(struct stat const& s) {
  return (s.st_mode & by_others) != 0 ||
         ((s.st_mode & by_group) != 0 && !is_trusted_group(s.st_gid));
}

std::string failure(fs::path const& at, int reason) {
  return fmt::format("'{}' is not accessible ({})", at.string(), std::strerror(reason));
}

/// Why a folder or link on the way is not safe; empty if it is.
std::string exposure_of_part(fs::path const& at, struct stat const& s) {
  if (!is_trusted(s.st_uid))
    return fmt::format("'{}' belongs to another user (uid {})", at.string(), s.st_uid);
  if (S_ISLNK(s.st_mode)) return {};
  if (!S_ISDIR(s.st_mode)) return fmt::format("'{}' is not a folder", at.string());
  if (others_can_write(s) && (s.st_mode & S_ISVTX) == 0)
    return fmt::format("others can write in '{}' (mode {:04o})", at.string(), s.st_mode & 07777);
  return {};
}

/// The folder or link `at`; a folder is made if there is none. Returns 0 or errno.
int look_at(fs::path const& at, struct stat& s) {
  if (::lstat(at.c_str(), &s) == 0) return 0;
  if (errno != ENOENT) return errno;
  if (::mkdir(at.c_str(), 0700) != 0 && errno != EEXIST) return errno;
  return ::lstat(at.c_str(), &s) == 0 ? 0 : errno;
}

}  // namespace

std::string exposure_of(fs::path const& folder) {
  fs::path const full = fs::absolute(folder);
  std::list<fs::path> left(full.begin(), full.end());
  fs::path at;  // without links
  for (int links = 0; !left.empty();) {
    fs::path const part = left.front(), next = at / part;
    left.pop_front();
    if (part.empty() || part == ".") continue;
    if (part == "..") {
      at = at.parent_path();
      continue;
    }
    struct stat s{};
    if (int const reason = look_at(next, s); reason != 0) return failure(next, reason);
    if (auto why = exposure_of_part(next, s); !why.empty()) return why;
    if (!S_ISLNK(s.st_mode)) {
      at = next;
      continue;
    }
    std::error_code failed;
    fs::path const to = fs::read_symlink(next, failed);
    if (failed || ++links > most_links) return failure(next, failed ? failed.value() : ELOOP);
    left.insert(left.begin(), to.begin(), to.end());
    if (to.is_absolute()) at.clear();
  }
  return {};
}

std::string exposure_of_own(fs::path const& folder) {
  if (auto why = exposure_of(folder); !why.empty()) return why;
  struct stat s{};
  if (::lstat(folder.c_str(), &s) != 0) return failure(folder, errno);
  if (!S_ISDIR(s.st_mode)) return fmt::format("'{}' is a link", folder.string());
  if (s.st_uid != ::geteuid())
    return fmt::format("'{}' belongs to another user (uid {})", folder.string(), s.st_uid);
  if (others_can_write(s))
    return fmt::format("others can write in '{}' (mode {:04o})", folder.string(),
                       s.st_mode & 07777);
  if ((s.st_mode & 0777) != 0700 && ::access(folder.c_str(), W_OK) == 0 &&
      ::chmod(folder.c_str(), 0700) != 0)
    return failure(folder, errno);
  return {};
}

fs::path new_temporary_folder() {
  char const* const wanted = std::getenv("TMPDIR");
  std::string first;
  for (char const* const in : {wanted, "/tmp", "/var/tmp"}) {
    if (in == nullptr || in[0] != '/') continue;
    std::error_code none;
    std::string name = (fs::path(in) / "upsweep-XXXXXX").string();
    std::string why = fs::is_directory(in, none) ? exposure_of(in) : failure(in, ENOTDIR);
    if (why.empty() && ::mkdtemp(name.data()) != nullptr) return name;
    if (why.empty()) why = failure(in, errno);
    if (first.empty()) first = why;
  }
  throw io::io_error(fmt::format(
      "a program is compiled in a temporary folder, but {}; set TMPDIR to a folder that only you "
      "can write",
      first));
}

int open_own_file(fs::path const& file) {
  int const opened = ::open(file.c_str(), O_RDONLY | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK);
  if (opened < 0) return -1;
  struct stat s{};
  if (::fstat(opened, &s) == 0 && S_ISREG(s.st_mode) && s.st_uid == ::geteuid() &&
      (s.st_mode & (by_group | by_others)) == 0 && s.st_nlink == 1)
    return opened;
  ::close(opened);
  return -1;
}

std::string text_of_own_file(fs::path const& file) {
  constexpr std::size_t most = std::size_t{1} << 24;
  int const opened = open_own_file(file);
  if (opened < 0) return {};
  std::string text;
  char part[1 << 12];
  for (ssize_t n = 0; text.size() <= most && (n = ::read(opened, part, sizeof part)) > 0;)
    text.append(part, static_cast<std::size_t>(n));
  ::close(opened);
  return text.size() > most ? std::string() : text;
}

void write_own_file(fs::path const& file, std::string const& text) {
  int const out = ::open(file.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
  bool good = out >= 0;
  for (std::size_t done = 0; good && done < text.size();) {
    auto const n = ::write(out, text.data() + done, text.size() - done);
    if (n < 0 && errno == EINTR) continue;
    good = n > 0;
    if (good) done += static_cast<std::size_t>(n);
  }
  int const reason = errno;
  if (out >= 0 && ::close(out) != 0) good = false;
  if (!good)
    throw io::io_error(fmt::format("cannot write '{}': {}", file.string(), std::strerror(reason)));
}

}  // namespace upsweep::lab
