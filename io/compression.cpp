/// gzip by zlib and zstd by libzstd, compressed at their usual levels, and a thread that
/// decompresses ahead of the parser.
#include <io/compression.hpp>

#include <io/container.hpp>
#include <io/error.hpp>
#include <io/limits.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <exception>
#include <future>
#include <new>
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

/// What gzip and zstd have in common: the compressed bytes and the errors.
class decoder : public decompressor {
 public:
  decoder(std::unique_ptr<byte_source> in, char const* name) : in_(std::move(in)), name_(name) {}
  [[nodiscard]] bool would_wait(std::chrono::milliseconds time) const noexcept override {
    return !full_ && in_->window().empty() && in_->would_wait(time);
  }

 protected:
  /// The compressed bytes that are there; empty at their end, or if the last read filled its room,
  /// because then there may be more content without them.
  [[nodiscard]] std::string_view input() {
    if (in_->window().empty() && !full_) static_cast<void>(in_->more());
    return in_->window().substr(0, std::size_t{1} << 30);  // zlib counts in 32 bits
  }
  void consume(std::size_t bytes) {
    in_->consume(bytes);
    bytes_read_ = in_->position();
  }
  [[noreturn]] void refuse_end() const {
    throw data_error("{} ends inside its {} data, after {} bytes; it is truncated.", in_->name(),
                     name_, in_->position());
  }
  [[noreturn]] void refuse(std::string_view reason) const {
    throw data_error("{}: The {} data are damaged at or before byte {} ({}).", in_->name(), name_,
                     in_->position(), reason);
  }

  std::unique_ptr<byte_source> in_;
  char const* name_;
  bool full_ = false;  ///< the last read filled its room
};

#ifdef UPSWEEP_ZLIB
class gzip_decoder final : public decoder {
 public:
  /// `bare` data have no header and no end but their own.
  gzip_decoder(std::unique_ptr<byte_source> in, bool bare)
      : decoder(std::move(in), bare ? "deflate" : "gzip"), bare_(bare) {
    if (::inflateInit2(&stream_, bare ? -MAX_WBITS : 16 + MAX_WBITS) != Z_OK)
      throw std::bad_alloc();
  }
  ~gzip_decoder() override { ::inflateEnd(&stream_); }

  [[nodiscard]] std::size_t read(char* out, std::size_t room) override {
    room = std::min(room, std::size_t{1} << 30);
    stream_.next_out = reinterpret_cast<Bytef*>(out);
    stream_.avail_out = static_cast<uInt>(room);
    while (stream_.avail_out == room) {
      if (between_ && !begin_member()) return 0;
      auto const window = input();
      bool const ends = window.empty() && !full_;
      stream_.next_in = reinterpret_cast<Bytef const*>(window.data());
      stream_.avail_in = static_cast<uInt>(window.size());
      auto const result = ::inflate(&stream_, Z_NO_FLUSH);
      consume(window.size() - stream_.avail_in);
      full_ = stream_.avail_out == 0;
      between_ = result == Z_STREAM_END;
      if (result == Z_BUF_ERROR && ends) refuse_end();
      if (result == Z_MEM_ERROR) throw std::bad_alloc();
      if (result != Z_OK && result != Z_STREAM_END && result != Z_BUF_ERROR)
        refuse(stream_.msg == nullptr ? "unknown format" : stream_.msg);
    }
    return room - stream_.avail_out;
  }

 private:
  /// After a member: passes the zeros with which tapes are padded; false at the end.
  [[nodiscard]] bool begin_member() {
    if (bare_) return false;
    full_ = false;
    for (;;) {
      auto const window = input();
      if (window.empty()) return false;
      auto const zeros = std::min(window.find_first_not_of('\0'), window.size());
      consume(zeros);
      if (zeros != window.size()) break;
    }
    in_->fill(2);
    if (!in_->window().starts_with("\x1f\x8b"))
      throw data_error("{}: At byte {} the gzip data are followed by something else.", in_->name(),
                       in_->position());
    ::inflateReset(&stream_);
    between_ = false;
    return true;
  }

  z_stream stream_{};
  bool bare_;
  bool between_ = false;
};
#endif

#ifdef UPSWEEP_ZSTD
class zstd_decoder final : public decoder {
 public:
  explicit zstd_decoder(std::unique_ptr<byte_source> in)
      : decoder(std::move(in), "zstd"), stream_(::ZSTD_createDStream(), &::ZSTD_freeDStream) {
    if (!stream_) throw std::bad_alloc();
  }

  [[nodiscard]] std::size_t read(char* out, std::size_t room) override {
    ZSTD_outBuffer to{out, room, 0};
    while (to.pos == 0) {
      auto const window = input();
      bool const ends = window.empty() && !full_;
      if (ends && left_ == 0) return 0;
      ZSTD_inBuffer from{window.data(), window.size(), 0};
      left_ = ::ZSTD_decompressStream(stream_.get(), &to, &from);
      consume(from.pos);
      full_ = to.pos == to.size;
      if (::ZSTD_isError(left_) != 0) refuse(::ZSTD_getErrorName(left_));
      if (ends && to.pos == 0) refuse_end();
    }
    return to.pos;
  }

 private:
  std::unique_ptr<ZSTD_DStream, std::size_t (*)(ZSTD_DStream*)> stream_;
  std::size_t left_ = 0;  ///< 0 between frames
};
#endif

/// Lets another thread decompress a batch of text in advance.
class read_ahead final : public decompressor {
 public:
  explicit read_ahead(std::unique_ptr<decompressor> from) : from_(std::move(from)) { begin(); }

  [[nodiscard]] std::size_t read(char* out, std::size_t room) override {
    if (taken_ == here_.size && filling_.valid()) {
      filling_.get();
      std::swap(here_, next_);
      taken_ = 0;
      if (here_.size == stream_bytes) begin();
    }
    if (taken_ == here_.size && failure_) std::rethrow_exception(failure_);
    auto const count = std::min(room, here_.size - taken_);
    std::memcpy(out, here_.bytes.data() + taken_, count);
    taken_ += count;
    bytes_read_ = from_->bytes_read();
    return count;
  }
  [[nodiscard]] bool would_wait(std::chrono::milliseconds) const noexcept override {
    return false;  // a file never waits for long
  }

 private:
  struct block {
    std::vector<char> bytes = std::vector<char>(stream_bytes);
    std::size_t size = 0;  ///< less only of the last
  };

  void begin() {
    filling_ = std::async(std::launch::async, [this]() noexcept {
      next_.size = 0;
      try {
        for (std::size_t got = 1; got != 0 && next_.size < stream_bytes; next_.size += got)
          got = from_->read(next_.bytes.data() + next_.size, stream_bytes - next_.size);
      } catch (...) {
        failure_ = std::current_exception();  // what came before it is delivered first
      }
    });
  }

  std::unique_ptr<decompressor> from_;
  block here_, next_;
  std::size_t taken_ = 0;  ///< bytes read of `here_`
  std::exception_ptr failure_;
  std::future<void> filling_;  // last, because it uses the others until it ends
};

[[maybe_unused, noreturn]] void refuse_kind(byte_source const& from, char const* kind,
                                            char const* library) {
  throw unavailable_error(
      "{} is compressed with {}, but this upsweep was built without {}; decompress it in a pipe: "
      "{} -dc FILE | upsweep ...",
      from.name(), kind, library, kind);
}

[[maybe_unused]] constexpr std::size_t encoder_bytes = std::size_t{1} << 16;
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
      stream_.avail_out = static_cast<uInt>(encoder_bytes);
      ::deflate(&stream_, flush);
      out_({buffer_.data(), encoder_bytes - stream_.avail_out});
    } while (stream_.avail_out == 0);
  }

  byte_sink out_;
  z_stream stream_{};
  std::vector<char> buffer_ = std::vector<char>(encoder_bytes);
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
      ZSTD_outBuffer to{buffer_.data(), encoder_bytes, 0};
      auto const left = ::ZSTD_compressStream2(context_.get(), &to, &from, how);
      if (::ZSTD_isError(left) != 0) throw std::bad_alloc();
      out_({buffer_.data(), to.pos});
      done = how == ZSTD_e_end ? left == 0 : from.pos == from.size;
    }
  }

  byte_sink out_;
  std::unique_ptr<ZSTD_CCtx, std::size_t (*)(ZSTD_CCtx*)> context_;
  std::vector<char> buffer_ = std::vector<char>(encoder_bytes);
};
#endif

[[maybe_unused, noreturn]] void refuse(char const* kind, char const* library) {
  throw unavailable_error(
      "Output compressed with {0} needs {1}, without which this upsweep was built; compress a "
      "pipe: upsweep ... | {0} > FILE",
      kind, library);
}

}  // namespace

compression compression_of(std::string_view start) noexcept {
  if (start.starts_with("\x1f\x8b")) return compression::gzip;
  return start.starts_with("\x28\xb5\x2f\xfd") ? compression::zstd : compression::none;
}

compression compression_of_path(std::string_view path) noexcept {
  auto const extension = extension_of(path);
  if (extension == "gz") return compression::gzip;
  return extension == "zst" || extension == "zstd" ? compression::zstd : compression::none;
}

std::string_view without_compression(std::string_view path) noexcept {
  if (compression_of_path(path) == compression::none) return path;
  return path.substr(0, path.rfind('.'));
}

std::unique_ptr<decompressor> make_decompressor(std::unique_ptr<byte_source> from, compression kind,
                                                bool ahead) {
  bool const never_waits = from->mapped();
  std::unique_ptr<decompressor> made;
  if (kind == compression::zstd) {
#ifdef UPSWEEP_ZSTD
    made = std::make_unique<zstd_decoder>(std::move(from));
#else
    refuse_kind(*from, "zstd", "libzstd");
#endif
  } else {
#ifdef UPSWEEP_ZLIB
    made = std::make_unique<gzip_decoder>(std::move(from), kind == compression::deflate);
#else
    refuse_kind(*from, "gzip", "zlib");
#endif
  }
  if (!ahead || !never_waits) return made;
  return std::make_unique<read_ahead>(std::move(made));
}

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
