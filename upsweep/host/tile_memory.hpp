/// Memory for the arrays in L1 into which an engine converts a tile.
#pragma once

#include <cstddef>
#include <cstdint>

namespace upsweep::host {

/// Bytes that begin a cache line. Aligned operator new takes as long as the scan of 100 numbers.
class tile_memory {
 public:
  explicit tile_memory(std::size_t size) : bytes_(new std::byte[size + line]) {}
  ~tile_memory() { delete[] bytes_; }
  tile_memory(tile_memory const&) = delete;
  tile_memory& operator=(tile_memory const&) = delete;
  [[nodiscard]] std::byte* first() const {
    return bytes_ + (line - reinterpret_cast<std::uintptr_t>(bytes_) % line);
  }

 private:
  static constexpr std::size_t line = 64;
  std::byte* bytes_;
};

}  // namespace upsweep::host
