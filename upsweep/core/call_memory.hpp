/// Memory for the length of a call, for headers that every program includes.
#pragma once

#include <upsweep/core/compiler.hpp>

#include <cstddef>
#include <cstdint>

namespace upsweep::detail {

/// Uninitialized memory for trivial types. (std::unique_ptr is in <memory>, which takes 0.2 s to
/// compile.)
template <class T>
class call_memory {
 public:
  explicit call_memory(std::size_t size) : first_(new T[size]) {}
  ~call_memory() { delete[] first_; }
  call_memory(call_memory const&) = delete;
  call_memory& operator=(call_memory const&) = delete;
  [[nodiscard]] T* first() const { return first_; }

 private:
  T* first_;
};

/// Bytes that begin a cache line, or are aligned to `line` bytes. Aligned operator new takes as
/// long as the scan of 100 numbers.
template <std::size_t line = 64>
class aligned_memory {
 public:
  explicit aligned_memory(std::size_t size) : bytes_(new std::byte[size + line]) {}
  ~aligned_memory() { delete[] bytes_; }
  aligned_memory(aligned_memory const&) = delete;
  aligned_memory& operator=(aligned_memory const&) = delete;
  [[nodiscard]] std::byte* first() const {
    return bytes_ + (line - reinterpret_cast<std::uintptr_t>(bytes_) % line);
  }

 private:
  std::byte* bytes_;
};

}  // namespace upsweep::detail
