/// A progress line on stderr: amount done, speed, time left.
#pragma once

#include <chrono>
#include <cstdint>
#include <string>

namespace upsweep::cli {

/// A size such as "12.3 GB", in powers of 1000.
std::string byte_count(double bytes);

/// The line for `done` of `total` bytes (0: unknown) after `seconds`, such as
/// "38 %  1.2 GB of 3.1 GB  840 MB/s  2 s left".
std::string progress_line(std::uint64_t done, std::uint64_t total, double seconds);

/// Prints nothing unless stderr is a terminal and the work has taken a second. Then it updates the
/// line at most ten times a second.
class progress {
 public:
  explicit progress(std::uint64_t total_bytes);
  ~progress();
  progress(progress const&) = delete;
  progress& operator=(progress const&) = delete;

  void advance(std::uint64_t bytes);

 private:
  using clock = std::chrono::steady_clock;
  bool terminal_;
  bool shown_ = false;
  std::uint64_t done_ = 0, total_;
  clock::time_point start_, next_;
};

/// On a terminal, replaces the last line of stderr, which says what is being done. An empty text
/// removes it.
void show_status(std::string const& text);

/// True if output to this file descriptor may be colored: it is a terminal, and NO_COLOR is unset
/// or empty.
bool may_color(int descriptor);

}  // namespace upsweep::cli
