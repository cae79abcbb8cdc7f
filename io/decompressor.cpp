/// gzip by zlib, zstd by libzstd, and a thread that decompresses ahead of the parser.
#include <io/decompressor.hpp>

#include <io/container.hpp>
#include <io/error.hpp>
#include <io/limits.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <condition_variable>
#include <cstring>
#include <exception>
#include <mutex>
#include <new>
#include <thread>
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
    throw data_error(fmt::format("{} ends inside its {} data, after {} bytes; it is truncated.",
                                 in_->name(), name_, in_->position()));
  }
  [[noreturn]] void refuse(std::string_view reason) const {
    throw data_error(fmt::format("{}: The {} data are damaged at or before byte {} ({}).",
                                 in_->name(), name_, in_->position(), reason));
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
  gzip_decoder(gzip_decoder const&) = delete;
  gzip_decoder& operator=(gzip_decoder const&) = delete;

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
      throw data_error(fmt::format("{}: At byte {} the gzip data are followed by something else.",
                                   in_->name(), in_->position()));
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

/// Lets another thread decompress up to a few MiB in advance.
class read_ahead final : public decompressor {
 public:
  explicit read_ahead(std::unique_ptr<decompressor> from)
      : from_(std::move(from)), worker_([this] { work(); }) {}
  ~read_ahead() override {
    {
      std::lock_guard const lock(mutex_);
      stops_ = true;
    }
    changed_.notify_all();
    worker_.join();
  }
  read_ahead(read_ahead const&) = delete;
  read_ahead& operator=(read_ahead const&) = delete;

  [[nodiscard]] std::size_t read(char* out, std::size_t room) override {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [&] { return read_ != written_ || ended_; });
    if (read_ == written_) {
      if (failure_) std::rethrow_exception(failure_);
      return 0;
    }
    auto& block = blocks_[read_ % blocks];
    lock.unlock();  // the worker does not touch a block that is not read yet
    auto const count = std::min(room, block.size - taken_);
    std::memcpy(out, block.bytes.data() + taken_, count);
    taken_ += count;
    if (taken_ == block.size) {
      taken_ = 0;
      lock.lock();
      ++read_;
      lock.unlock();
      changed_.notify_all();
    }
    bytes_read_ = from_->bytes_read();
    return count;
  }
  [[nodiscard]] bool would_wait(std::chrono::milliseconds) const noexcept override {
    return false;  // a file never waits for long
  }

 private:
  static constexpr std::size_t blocks = 4;
  struct piece {
    std::vector<char> bytes = std::vector<char>(first_buffer);
    std::size_t size = 0;
  };

  void work() noexcept {
    for (;;) {
      {
        std::unique_lock lock(mutex_);
        changed_.wait(lock, [&] { return stops_ || written_ - read_ < blocks; });
        if (stops_) return;
      }
      auto& block = blocks_[written_ % blocks];
      std::exception_ptr failure;
      block.size = 0;
      try {
        block.size = from_->read(block.bytes.data(), block.bytes.size());
      } catch (...) {
        failure = std::current_exception();
      }
      {
        std::lock_guard const lock(mutex_);
        if (block.size != 0) ++written_;
        ended_ = block.size == 0;
        failure_ = failure;
      }
      changed_.notify_all();
      if (block.size == 0) return;
    }
  }

  std::unique_ptr<decompressor> from_;
  piece blocks_[blocks];
  std::mutex mutex_;
  std::condition_variable changed_;
  std::size_t written_ = 0, read_ = 0;  ///< blocks; the difference is at most `blocks`
  std::size_t taken_ = 0;               ///< bytes read of block `read_`
  bool stops_ = false, ended_ = false;
  std::exception_ptr failure_;
  std::thread worker_;  // last, because it uses the others
};

[[maybe_unused, noreturn]] void refuse_kind(byte_source const& from, char const* kind,
                                            char const* library) {
  throw unavailable_error(
      fmt::format("{} is compressed with {}, but this upsweep was built without {}; decompress it "
                  "in a pipe: {} -dc FILE | upsweep ...",
                  from.name(), kind, library, kind));
}

std::unique_ptr<decompressor> make_decoder(std::unique_ptr<byte_source> from, compression kind) {
  if (kind == compression::gzip || kind == compression::deflate) {
#ifdef UPSWEEP_ZLIB
    return std::make_unique<gzip_decoder>(std::move(from), kind == compression::deflate);
#else
    refuse_kind(*from, "gzip", "zlib");
#endif
  }
#ifdef UPSWEEP_ZSTD
  return std::make_unique<zstd_decoder>(std::move(from));
#else
  refuse_kind(*from, "zstd", "libzstd");
#endif
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
  auto made = make_decoder(std::move(from), kind);
  if (!ahead || !never_waits) return made;
  return std::make_unique<read_ahead>(std::move(made));
}

}  // namespace upsweep::io
