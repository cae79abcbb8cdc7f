/// Compresses and decompresses gzip and zstd as streams, in bounded memory, and opens members of
/// .npz archives, which are zip files of .npy files.
#pragma once

#include <io/byte_source.hpp>

#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <utility>

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

class compressor {
 public:
  compressor() = default;
  compressor(compressor const&) = delete;
  compressor& operator=(compressor const&) = delete;
  virtual ~compressor() = default;
  virtual void write(std::string_view bytes) = 0;
  /// Ends the stream.
  virtual void finish() = 0;
};

/// Gives what it compresses to `out`. The same bytes give the same stream: it has no name and no
/// time. Throws unavailable_error if upsweep was built without the library.
[[nodiscard]] std::unique_ptr<compressor> make_compressor(
    compression kind, std::function<void(std::string_view)> out);

/// "x.npz:weights" is the member "weights" of x.npz, unless there is a file of that name. Returns
/// the path of the file, and the member, which is empty for other paths.
[[nodiscard]] std::pair<std::string, std::string> member_of_path(std::string const& path);

/// The name of the first member if `source` begins as a zip archive; otherwise empty.
[[nodiscard]] std::string_view first_zip_member(byte_source& source);

/// The content of the member `wanted`, with or without its ".npy"; of the only one if `wanted` is
/// empty. An archive that is not mapped is read into memory: its directory is at the end. Checksums
/// are not compared. Throws usage_error, with the names of the members, or data_error.
[[nodiscard]] std::unique_ptr<byte_source> open_member(std::unique_ptr<byte_source> archive,
                                                       std::string const& wanted, bool ahead);

}  // namespace upsweep::io
