/// Decompresses gzip and zstd as a stream, in bounded memory.
#pragma once

#include <io/byte_source.hpp>

#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string_view>

namespace upsweep::io {

/// `deflate` is that of members of zip archives, which nothing before it tells.
enum class compression : std::uint8_t { none, gzip, zstd, deflate };

/// By the first bytes of the content, of which there are four or more unless it is shorter.
[[nodiscard]] compression compression_of(std::string_view start) noexcept;
/// By the extension: .gz, .zst, .zstd.
[[nodiscard]] compression compression_of_path(std::string_view path) noexcept;
/// The path without an extension of compression.
[[nodiscard]] std::string_view without_compression(std::string_view path) noexcept;

class decompressor {
 public:
  virtual ~decompressor() = default;
  /// Writes up to `room` bytes of the content to `out` and returns their number, 0 at the end.
  /// Throws data_error if the data are truncated or damaged.
  [[nodiscard]] virtual std::size_t read(char* out, std::size_t room) = 0;
  /// True if `read` would have to wait longer than `time` for the other end of a pipe.
  [[nodiscard]] virtual bool would_wait(std::chrono::milliseconds time) const noexcept = 0;
  /// How many compressed bytes have been read.
  [[nodiscard]] std::uint64_t bytes_read() const noexcept { return bytes_read_; }

 protected:
  std::atomic<std::uint64_t> bytes_read_ = 0;  // another thread may decompress
};

/// Decompresses `from`. Concatenated members or frames are one content. With `ahead`, and if `from`
/// is mapped and so never waits, a thread decompresses the next MiB meanwhile. Throws
/// unavailable_error if the library is not compiled in.
[[nodiscard]] std::unique_ptr<decompressor> make_decompressor(std::unique_ptr<byte_source> from,
                                                              compression kind, bool ahead);

}  // namespace upsweep::io
