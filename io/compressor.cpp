/// gzip by zlib and zstd by libzstd, at their usual levels.
#include <io/compressor.hpp>

#include <io/error.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <new>
#include <utility>
#include <vector>

#ifdef UPSWEEP_ZLIB
#define ZLIB_CONST  // next_in is const
#include <zlib.h>
#endif
#ifdef UPSWEEP_ZSTD
#include <zstd.h>
#endif

namespace upsweep::io {
namespace {

[[maybe_unused]] constexpr std::size_t block_bytes = std::size_t{1} << 16;
using byte_sink = std::function<void(std::string_view)>;

#ifdef UPSWEEP_ZLIB
class gzip_encoder final : public compressor {
 public:
  explicit gzip_encoder(byte_sink out) : out_(std::move(out)) {
    if (::deflateInit2(&stream_, Z_DEFAULT_COMPRESSION, Z_DEFLATED, 16 + MAX_WBITS, 8,
                       Z_DEFAULT_STRATEGY) != Z_OK)
      throw std::bad_alloc();
  }
  ~gzip_encoder() override { ::deflateEnd(&stream_); }
  gzip_encoder(gzip_encoder const&) = delete;
  gzip_encoder& operator=(gzip_encoder const&) = delete;

  void write(std::string_view bytes) override {
    constexpr std::size_t most = std::size_t{1} << 30;  // zlib counts in 32 bits
    for (; !bytes.empty(); bytes.remove_prefix(std::min(bytes.size(), most)))
      run(bytes.substr(0, most), Z_NO_FLUSH);
  }
  void finish() override { run({}, Z_FINISH); }

 private:
  void run(std::string_view bytes, int flush) {
    stream_.next_in = reinterpret_cast<Bytef const*>(bytes.data());
    stream_.avail_in = static_cast<uInt>(bytes.size());
    do {
      stream_.next_out = reinterpret_cast<Bytef*>(buffer_.data());
      stream_.avail_out = static_cast<uInt>(block_bytes);
      ::deflate(&stream_, flush);
      out_({buffer_.data(), block_bytes - stream_.avail_out});
    } while (stream_.avail_out == 0);
  }

  byte_sink out_;
  z_stream stream_{};
  std::vector<char> buffer_ = std::vector<char>(block_bytes);
};
#endif

#ifdef UPSWEEP_ZSTD
class zstd_encoder final : public compressor {
 public:
  explicit zstd_encoder(byte_sink out)
      : out_(std::move(out)), context_(::ZSTD_createCCtx(), &::ZSTD_freeCCtx) {
    if (!context_) throw std::bad_alloc();
    ::ZSTD_CCtx_setParameter(context_.get(), ZSTD_c_checksumFlag, 1);
  }

  void write(std::string_view bytes) override { run(bytes, ZSTD_e_continue); }
  void finish() override { run({}, ZSTD_e_end); }

 private:
  void run(std::string_view bytes, ZSTD_EndDirective how) {
    ZSTD_inBuffer from{bytes.data(), bytes.size(), 0};
    for (bool done = false; !done;) {
      ZSTD_outBuffer to{buffer_.data(), block_bytes, 0};
      auto const left = ::ZSTD_compressStream2(context_.get(), &to, &from, how);
      if (::ZSTD_isError(left) != 0) throw std::bad_alloc();
      out_({buffer_.data(), to.pos});
      done = how == ZSTD_e_end ? left == 0 : from.pos == from.size;
    }
  }

  byte_sink out_;
  std::unique_ptr<ZSTD_CCtx, std::size_t (*)(ZSTD_CCtx*)> context_;
  std::vector<char> buffer_ = std::vector<char>(block_bytes);
};
#endif

[[maybe_unused, noreturn]] void refuse(char const* kind, char const* library) {
  throw unavailable_error(
      fmt::format("Output compressed with {0} needs {1}, without which this upsweep was built; "
                  "compress a pipe: upsweep ... | {0} > FILE",
                  kind, library));
}

}  // namespace

std::unique_ptr<compressor> make_compressor(compression kind, [[maybe_unused]] byte_sink out) {
  if (kind == compression::none) return nullptr;
  if (kind == compression::gzip) {
#ifdef UPSWEEP_ZLIB
    return std::make_unique<gzip_encoder>(std::move(out));
#else
    refuse("gzip", "zlib");
#endif
  }
#ifdef UPSWEEP_ZSTD
  return std::make_unique<zstd_encoder>(std::move(out));
#else
  refuse("zstd", "libzstd");
#endif
}

}  // namespace upsweep::io
