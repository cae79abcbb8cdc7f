/// A minimal progress line; Debian 12 packages no progress library for C++.
#include <cli/output/progress.hpp>

#include <fmt/format.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>

namespace upsweep::cli {

std::string byte_count(double bytes) {
  constexpr char const* units[] = {"B", "kB", "MB", "GB", "TB", "PB"};
  int unit = 0;
  while (bytes >= 999.5 && unit < 5) {
    bytes /= 1000;
    ++unit;
  }
  return fmt::format("{:.{}f} {}", bytes, unit == 0 || bytes >= 99.95 ? 0 : 1, units[unit]);
}

std::string progress_line(std::uint64_t done, std::uint64_t total, double seconds) {
  double const rate = static_cast<double>(done) / seconds;
  std::string const speed = byte_count(rate) + "/s";
  if (total == 0 || done > total)
    return fmt::format("{}  {}", byte_count(static_cast<double>(done)), speed);
  double const left = rate > 0 ? static_cast<double>(total - done) / rate : 0;
  std::string const time =
      left < 90 ? fmt::format("{:.0f} s", left) : fmt::format("{:.0f} min", left / 60);
  return fmt::format("{:.0f} %  {} of {}  {}  {} left",
                     100 * static_cast<double>(done) / static_cast<double>(total),
                     byte_count(static_cast<double>(done)), byte_count(static_cast<double>(total)),
                     speed, time);
}

progress::progress(std::uint64_t total_bytes)
    : terminal_(isatty(STDERR_FILENO) == 1),
      total_(total_bytes),
      start_(clock::now()),
      next_(start_ + std::chrono::seconds(1)) {}

progress::~progress() {
  if (shown_) std::fputs("\r\033[K", stderr);
}

void progress::advance(std::uint64_t bytes) {
  done_ += bytes;
  if (!terminal_) return;
  auto const now = clock::now();
  if (now < next_) return;
  next_ = now + std::chrono::milliseconds(100);
  shown_ = true;
  std::fprintf(
      stderr, "\r%s\033[K",
      progress_line(done_, total_, std::chrono::duration<double>(now - start_).count()).c_str());
  std::fflush(stderr);
}

void show_status(std::string const& text) {
  static bool const terminal = isatty(STDERR_FILENO) == 1;
  if (terminal) fmt::print(stderr, "\r\033[K{}", text);
}

bool may_color(int descriptor) {
  char const* const no = std::getenv("NO_COLOR");
  return isatty(descriptor) == 1 && (no == nullptr || *no == '\0');
}

}  // namespace upsweep::cli
