/// Reads up to a limit, whatever a file says about its size.
#include <io/small_file.hpp>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>

namespace upsweep::io {

std::optional<std::string> small_file(std::string const& path, file_kind kind) {
  bool const regular = kind == file_kind::regular;
  int const file = ::open(path.c_str(), O_RDONLY | O_CLOEXEC | (regular ? O_NONBLOCK : 0));
  if (file < 0) return std::nullopt;
  struct stat s{};
  std::string text;
  int reason = ::fstat(file, &s) != 0 ? errno : regular && !S_ISREG(s.st_mode) ? EINVAL : 0;
  for (char part[1 << 16]; reason == 0;) {
    auto const got = ::read(file, part, sizeof part);
    if (got == 0) break;
    if (got < 0 && errno != EINTR) reason = errno;
    if (got > 0) text.append(part, static_cast<std::size_t>(got));
    if (text.size() > most_of_small_file) reason = EFBIG;
  }
  ::close(file);
  errno = reason;
  if (reason != 0) return std::nullopt;
  return text;
}

}  // namespace upsweep::io
