/// The destination of output: an atomically created file, a device, or standard output.
#pragma once

#include <io/compressor.hpp>
#include <io/destination.hpp>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

namespace upsweep::io {

/// A regular file is written under a temporary name in the same directory; `commit` synchronizes
/// and renames it. Without `commit` nothing remains. Without `force` the rename fails if the name
/// exists by then (no race). A file that is replaced keeps its owner, permissions and access list.
/// A symbolic link is followed, so its target is replaced, unless another user has planted it
/// (destination.hpp). Existing devices, pipes and /dev/stdout are written directly.
class output_file {
 public:
  /// "-" and "" are standard output. SIGPIPE is then ignored, so that writing to a closed pipe
  /// throws pipe_closed. Throws io_error.
  output_file(std::string const& path, bool force, compression kind = compression::none);
  ~output_file();
  output_file(output_file const&) = delete;
  output_file& operator=(output_file const&) = delete;

  void write(std::string_view bytes);
  /// Overwrites bytes already written. Requires `can_patch`.
  void patch(std::uint64_t at, std::string_view bytes);
  void commit();

  [[nodiscard]] bool can_patch() const noexcept { return !temporary_.empty() && !compressor_; }
  [[nodiscard]] bool is_standard_output() const noexcept { return standard_; }
  [[nodiscard]] std::string const& name() const noexcept { return name_; }

 private:
  void write_all(std::string_view bytes);
  void open_temporary();
  void take_old_attributes();
  void publish();
  [[noreturn]] void fail(std::string_view what, int reason);
  void discard() noexcept;

  std::string name_;
  std::optional<destination> target_;  ///< empty for standard output
  std::string temporary_;              ///< name in the target's folder; empty if written directly
  bool standard_ = false;
  bool force_ = false;
  int file_ = -1;
  std::uint64_t written_ = 0;
  std::unique_ptr<compressor> compressor_;
};

}  // namespace upsweep::io
