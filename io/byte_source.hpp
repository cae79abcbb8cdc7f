/// The bytes of a file or a pipe, or what they decompress to, in order, through a window in memory:
/// the whole file if it can be mapped, otherwise a bounded buffer.
#pragma once

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace upsweep::io {

enum class compression : std::uint8_t;
class decompressor;

class byte_source {
 public:
  /// Opens `path`; "-" and "" are standard input. Throws io_error.
  explicit byte_source(std::string const& path);
  /// The content of `compressed`, as a stream. With `ahead` a thread decompresses.
  byte_source(std::unique_ptr<byte_source> compressed, compression kind, bool ahead);
  /// Throws the io_error that opening `path` would throw, without waiting for the writer of a pipe.
  static void check_readable(std::string const& path);
  ~byte_source();
  byte_source(byte_source const&) = delete;
  byte_source& operator=(byte_source const&) = delete;

  /// The path, or "standard input".
  [[nodiscard]] std::string const& name() const noexcept { return name_; }
  /// If true, the window is the whole rest of the file, and its address is stable for the lifetime
  /// of the source.
  [[nodiscard]] bool mapped() const noexcept { return mapping_ != nullptr; }
  /// The bytes in memory that are not yet consumed. `more`, `fill` and `consume` may move them,
  /// unless the file is mapped.
  [[nodiscard]] std::string_view window() const noexcept {
    return {begin_, static_cast<std::size_t>(end_ - begin_)};
  }
  /// Where the window begins in the file or stream.
  [[nodiscard]] std::uint64_t position() const noexcept { return position_; }
  /// The size of a regular file; nothing for a pipe or decompressed data.
  [[nodiscard]] std::optional<std::uint64_t> size() const noexcept { return size_; }
  /// Bytes read of the file or pipe itself, and its size if it is a regular file.
  [[nodiscard]] std::uint64_t bytes_read() const noexcept;
  [[nodiscard]] std::optional<std::uint64_t> bytes_total() const noexcept;
  /// True if no byte follows those in the window.
  [[nodiscard]] bool ended() const noexcept { return ended_; }

  /// Waits for at least one more byte; false if there is none.
  bool more();
  /// Waits until the window holds `bytes` or the stream ends. The window grows as data arrive, so a
  /// huge `bytes` allocates nothing in advance.
  void fill(std::size_t bytes);
  /// Whether the window begins with `magic`. Waits while it may.
  [[nodiscard]] bool begins_with(std::string_view magic);
  /// Like fill, but waits at most `time` in total.
  void fill_within(std::size_t bytes, std::chrono::milliseconds time);
  /// If the window is the whole rest (it is mapped, or ended() is true): the file ends at this
  /// position.
  void end_at(std::uint64_t position) noexcept {
    auto const end = position_ + window().size();
    end_ -= std::min(window().size(), static_cast<std::size_t>(end - std::min(end, position)));
    if (size_) size_ = std::min(*size_, position);
  }
  /// Another name for messages.
  void rename(std::string name) { name_ = std::move(name); }
  /// Drops `bytes` from the front of the window.
  void consume(std::size_t bytes) noexcept;
  /// Drops the next `bytes`, which need not be in the window yet; false if there are fewer.
  [[nodiscard]] bool skip(std::uint64_t bytes);
  /// Lets the system drop mapped pages well before `upto`; reading them again loads them again.
  void release(char const* upto) noexcept;
  /// True if `more` would have to wait longer than `time` for the other end of a pipe.
  [[nodiscard]] bool would_wait(std::chrono::milliseconds time = {}) const noexcept;

 private:
  byte_source() = default;
  void map(std::uint64_t file_size, std::uint64_t from);

  /// Like read(2), also of decompressed data.
  [[nodiscard]] std::size_t read(char* out, std::size_t room);

  std::string name_;
  std::unique_ptr<decompressor> decompressor_;  ///< if the source is decompressed
  std::optional<std::uint64_t> compressed_size_;
  int file_ = -1;
  bool owns_file_ = false;
  bool ended_ = false;
  void* mapping_ = nullptr;
  std::size_t mapped_bytes_ = 0;
  std::size_t released_ = 0;  ///< bytes released, from the beginning of the mapping
  std::optional<std::uint64_t> size_;
  std::uint64_t position_ = 0;
  std::vector<char> buffer_;
  char const* begin_ = nullptr;
  char const* end_ = nullptr;
};

}  // namespace upsweep::io
