/// Counts the allocations of each thread, and makes every one a fault point. Replaces every `new`
/// of the program, including that of statically linked libraries. Include it in one file of the
/// program.
#pragma once

#include <support/faults.hpp>

#include <cstdlib>
#include <new>

namespace upsweep::test {
inline thread_local std::size_t allocations = 0;
}

// Not inlined: g++ 12 warns of free() in an inlined `delete`.
[[gnu::noinline]] void* operator new(std::size_t size) {
  ++upsweep::test::allocations;
  if (upsweep::test::is_fault_point()) throw std::bad_alloc();
  if (void* const p = std::malloc(size)) return p;
  throw std::bad_alloc();
}
[[gnu::noinline]] void* operator new(std::size_t size, std::align_val_t alignment) {
  ++upsweep::test::allocations;
  if (upsweep::test::is_fault_point()) throw std::bad_alloc();
  auto const a = static_cast<std::size_t>(alignment);
  if (void* const p = std::aligned_alloc(a, (size + a - 1) / a * a)) return p;
  throw std::bad_alloc();
}
[[gnu::noinline]] void operator delete(void* p) noexcept {
  std::free(p);
}
[[gnu::noinline]] void operator delete(void* p, std::size_t) noexcept {
  std::free(p);
}
[[gnu::noinline]] void operator delete(void* p, std::align_val_t) noexcept {
  std::free(p);
}
[[gnu::noinline]] void operator delete(void* p, std::size_t, std::align_val_t) noexcept {
  std::free(p);
}
