/// Opens, maps and reads files with system calls.
#include <io/byte_source.hpp>

#include <io/compression.hpp>
#include <io/error.hpp>
#include <io/interruption.hpp>
#include <io/limits.hpp>

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

namespace upsweep::io {
byte_source::byte_source(std::string const& path) : byte_source() {  // so errors destroy it
  name_ = path;
  if (path == "-") {
    name_ = "standard input";
    file_ = STDIN_FILENO;
  } else {
    file_ = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
    if (file_ < 0) throw io_error("Cannot open '{}' for reading: {}.", path, std::strerror(errno));
    owns_file_ = true;
  }
  struct stat status{};
  if (::fstat(file_, &status) != 0)
    throw io_error("Cannot read {}: {}.", name_, std::strerror(errno));
  if (S_ISDIR(status.st_mode)) throw io_error("'{}' is a directory; name a file in it.", name_);
  if (S_ISREG(status.st_mode) &&
      status.st_size > 0) {  // files in /proc report size 0 and are read as streams
    auto const at =
        ::lseek(file_, 0, SEEK_CUR);  // a shell may already have read part of standard input
    map(static_cast<std::uint64_t>(status.st_size), at > 0 ? static_cast<std::uint64_t>(at) : 0);
  }
}

byte_source::byte_source(std::unique_ptr<byte_source> compressed, compression kind, bool ahead)
    : name_(compressed->name()), compressed_size_(compressed->size()) {
  decompressor_ = make_decompressor(std::move(compressed), kind, ahead);
}

std::uint64_t byte_source::bytes_read() const noexcept {
  return decompressor_ ? decompressor_->bytes_read() : position_;
}

std::optional<std::uint64_t> byte_source::bytes_total() const noexcept {
  return decompressor_ ? compressed_size_ : size_;
}

void byte_source::check_readable(std::string const& path) {
  if (::access(path.c_str(), R_OK) != 0)
    throw io_error("Cannot open '{}' for reading: {}.", path, std::strerror(errno));
}

byte_source::~byte_source() {
  if (mapping_ != nullptr) ::munmap(mapping_, mapped_bytes_);
  if (owns_file_) ::close(file_);
}

void byte_source::map(std::uint64_t file_size, std::uint64_t from) {
  auto const bytes = static_cast<std::size_t>(file_size);
  void* const mapping = ::mmap(nullptr, bytes, PROT_READ, MAP_PRIVATE, file_, 0);
  if (mapping == MAP_FAILED) return;  // some file systems cannot map; read instead
  ::posix_madvise(mapping, bytes, POSIX_MADV_SEQUENTIAL);
  watch_mappings();
  mapping_ = mapping;
  mapped_bytes_ = bytes;
  size_ = file_size;
  position_ = std::min(from, file_size);
  begin_ = static_cast<char const*>(mapping) + position_;
  end_ = static_cast<char const*>(mapping) + bytes;
  ended_ = true;
}

bool byte_source::more() {
  if (ended_) return false;
  auto const held = static_cast<std::size_t>(end_ - begin_);
  auto const used = buffer_.empty() ? 0 : static_cast<std::size_t>(end_ - buffer_.data());
  if (buffer_.size() - used < least_read) {
    if (held > 0) std::memmove(buffer_.data(), begin_, held);
    if (buffer_.empty()) buffer_.resize(first_buffer);
    if (held > buffer_.size() / 2) buffer_.resize(2 * buffer_.size());
    begin_ = buffer_.data();
    end_ = begin_ + held;
  }
  auto* const free = buffer_.data() + (end_ - buffer_.data());
  auto const room = static_cast<std::size_t>(buffer_.data() + buffer_.size() - free);
  auto const got = read(free, room);
  ended_ = got == 0;
  end_ += got;
  return got != 0;
}

std::size_t byte_source::read(char* out, std::size_t room) {
  if (decompressor_) return decompressor_->read(out, room);
  ssize_t got = -1;
  do {
    got = ::read(file_, out, room);
    if (got < 0 && errno == EAGAIN) {  // a non-blocking terminal or socket
      pollfd wish{file_, POLLIN, 0};
      ::poll(&wish, 1, -1);
    }
  } while (got < 0 && (errno == EINTR || errno == EAGAIN));
  if (got < 0) {
    auto const at = position_ + window().size();
    throw io_error("Reading {} failed after {} bytes: {}.", name_, at, std::strerror(errno));
  }
  return static_cast<std::size_t>(got);
}

void byte_source::fill(std::size_t bytes) {
  while (window().size() < bytes && more()) {
  }
}

bool byte_source::begins_with(std::string_view magic) {
  fill(1);
  while (window().size() < magic.size() && magic.starts_with(window()) && more()) {
  }
  return window().starts_with(magic);
}

void byte_source::fill_within(std::size_t bytes, std::chrono::milliseconds time) {
  using clock = std::chrono::steady_clock;
  auto const end = clock::now() + time;
  while (window().size() < bytes) {
    auto const left = std::chrono::duration_cast<std::chrono::milliseconds>(end - clock::now());
    if (would_wait(std::max(left, std::chrono::milliseconds(0))) || !more()) return;
  }
}

void byte_source::consume(std::size_t bytes) noexcept {
  begin_ += bytes;
  position_ += bytes;
  release(begin_);
  if (begin_ == end_ && mapping_ == nullptr)
    begin_ = end_ = buffer_.data();  // so that later windows are aligned
}

bool byte_source::skip(std::uint64_t bytes) {
  while (bytes != 0) {
    fill(1);
    auto const step = std::min<std::uint64_t>(window().size(), bytes);
    if (step == 0) return false;
    consume(static_cast<std::size_t>(step));
    bytes -= step;
  }
  return true;
}

/// Drops pages before `upto` from the resident set. The last few chunks stay because the caller may
/// still use one.
void byte_source::release(char const* upto) noexcept {
  if (mapping_ == nullptr) return;
  auto const passed = static_cast<std::size_t>(upto - static_cast<char const*>(mapping_));
  if (passed < released_) {  // a second pass, after the one that determined the types
    ::madvise(mapping_, mapped_bytes_, MADV_DONTNEED);
    released_ = 0;
  }
  if (passed < released_ + 2 * mapped_chunk_bytes) return;
  auto const page = static_cast<std::size_t>(::sysconf(_SC_PAGESIZE));
  auto const end = (passed - mapped_chunk_bytes) / page * page;
  ::madvise(static_cast<char*>(mapping_) + released_, end - released_, MADV_DONTNEED);
  released_ = end;
}

bool byte_source::would_wait(std::chrono::milliseconds time) const noexcept {
  if (ended_) return false;
  if (decompressor_) return decompressor_->would_wait(time);
  pollfd wish{file_, POLLIN, 0};
  return ::poll(&wish, 1, static_cast<int>(time.count())) == 0;
}

}  // namespace upsweep::io
