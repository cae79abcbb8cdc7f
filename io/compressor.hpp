/// Compresses a stream to gzip or zstd.
#pragma once

#include <io/decompressor.hpp>

#include <functional>
#include <memory>
#include <string_view>

namespace upsweep::io {

class compressor {
 public:
  virtual ~compressor() = default;
  virtual void write(std::string_view bytes) = 0;
  /// Ends the stream.
  virtual void finish() = 0;
};

/// Gives what it compresses to `out`. The same bytes give the same stream: it has no name and no
/// time. Throws unavailable_error if upsweep was built without the library.
[[nodiscard]] std::unique_ptr<compressor> make_compressor(
    compression kind, std::function<void(std::string_view)> out);

}  // namespace upsweep::io
