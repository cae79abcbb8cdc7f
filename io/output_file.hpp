/// Where output bytes go: a file that appears whole or not at all, a device, or standard output.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace upsweep::io {

/// A regular file is written under a temporary name in its own directory, synchronised and renamed
/// by `commit`; until then, or if this is destroyed first, nothing is left. Without `force` the
/// name is taken only if it is still free at that moment (no race). A symbolic link is followed, so
/// that the file behind it is replaced. Devices and pipes that exist are written to at once.
class output_file {
 public:
  /// "-" and "" are standard output, for which SIGPIPE is ignored so that a closed pipe becomes
  /// pipe_closed. Throws io_error.
  output_file(std::string const& path, bool force);
  ~output_file();
  output_file(output_file const&) = delete;
  output_file& operator=(output_file const&) = delete;

  void write(std::string_view bytes);
  /// Overwrites bytes written before. Only when `can_patch`.
  void patch(std::uint64_t at, std::string_view bytes);
  void commit();

  [[nodiscard]] bool can_patch() const noexcept { return !temporary_.empty(); }
  [[nodiscard]] bool is_standard_output() const noexcept { return standard_; }
  [[nodiscard]] std::string const& name() const noexcept { return name_; }

 private:
  void open_temporary(std::string const& path);
  void publish();
  [[noreturn]] void fail(std::string_view what, int reason);
  void discard() noexcept;

  std::string name_;
  std::string target_;     ///< where `commit` puts it
  std::string temporary_;  ///< empty when written directly
  bool standard_ = false;
  bool force_ = false;
  int file_ = -1;
  std::uint64_t written_ = 0;
};

}  // namespace upsweep::io
