/// Processors and pages of Linux, with glibc or musl; its threads are in posix.cpp.
#include <upsweep/system/system.hpp>

#include <pthread.h>
#include <sched.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cstring>

namespace upsweep::system {

void prefer_huge_pages(void* memory, std::size_t bytes) noexcept {
#ifdef MADV_HUGEPAGE
  (void)madvise(memory, bytes, MADV_HUGEPAGE);
#else
  (void)memory, (void)bytes;
#endif
}

std::size_t own_cache_bytes() noexcept {
#ifdef _SC_LEVEL2_CACHE_SIZE  // glibc's
  auto const known = sysconf(_SC_LEVEL2_CACHE_SIZE);
  return known > 0 ? static_cast<std::size_t>(known) : 0;
#else
  return 0;
#endif
}

int processor_count() noexcept {
  auto const known = sysconf(_SC_NPROCESSORS_ONLN);
  return known > 0 ? static_cast<int>(known) : 0;
}

static_assert(sizeof(affinity) == sizeof(cpu_set_t));

affinity affinity::of_this_thread() noexcept {
  affinity known;
  cpu_set_t set;
  if (sched_getaffinity(0, sizeof set, &set) == 0)
    std::memcpy(known.words_.data(), &set, sizeof set);
  return known;
}

void affinity::restrict_this_thread() const noexcept {
  cpu_set_t set;
  std::memcpy(&set, words_.data(), sizeof set);
  (void)sched_setaffinity(0, sizeof set, &set);
}

int affinity::count() const noexcept {
  cpu_set_t set;
  std::memcpy(&set, words_.data(), sizeof set);
  return CPU_COUNT(&set);
}

void name_this_thread(char const* name) noexcept {
  (void)pthread_setname_np(pthread_self(), name);
}

}  // namespace upsweep::system
