/// Pages by mmap(), and in a linear memory without protection.
#include <upsweep/sim/pages.hpp>

#include <cstdint>
#include <cstdlib>

#ifndef __wasm__
#include <sys/mman.h>
#endif

namespace upsweep::sim {

#ifdef __wasm__

namespace {
constexpr std::size_t page = 64 * 1024;
}  // namespace

// New memory of WebAssembly is zero, and takes none of the system's until it is written. What is
// given back is not protected, so an access of it by code without hooks stays unnoticed.
std::byte* reserve_pages(std::size_t bytes) {
  return static_cast<std::byte*>(std::aligned_alloc(page, (bytes + page - 1) / page * page));
}
bool open_pages(std::byte*, std::size_t) {
  return true;
}
void close_pages(std::byte*, std::size_t) {}
void empty_pages(std::byte*, std::size_t) {}
void release_pages(std::byte* begin, std::size_t) {
  std::free(begin);
}

#else

namespace {

constexpr std::size_t page = 4096;

/// The bytes before `begin` on its page.
std::size_t before(std::byte const* begin) {
  return reinterpret_cast<std::uintptr_t>(begin) % page;
}

}  // namespace

std::byte* reserve_pages(std::size_t bytes) {
  void* const place =
      mmap(nullptr, bytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  return place == MAP_FAILED ? nullptr : static_cast<std::byte*>(place);
}
bool open_pages(std::byte* begin, std::size_t bytes) {
  std::size_t const more = before(begin);
  return mprotect(begin - more, bytes + more, PROT_READ | PROT_WRITE) == 0;
}
void close_pages(std::byte* begin, std::size_t bytes) {
  mmap(begin, bytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED, -1, 0);
}
void empty_pages(std::byte* begin, std::size_t bytes) {
  std::size_t const more = before(begin);
  madvise(begin - more, bytes + more, MADV_DONTNEED);
}
void release_pages(std::byte* begin, std::size_t bytes) {
  munmap(begin, bytes);
}

#endif

}  // namespace upsweep::sim
