/// Processors of macOS and of Unix systems that we have not met; their threads are in posix.cpp.
#include <upsweep/system/system.hpp>

#include <pthread.h>
#include <unistd.h>
#ifdef __APPLE__
#include <sys/sysctl.h>
#endif

#include <cstddef>
#include <limits>

namespace upsweep::system {

void prefer_huge_pages(void*, std::size_t) noexcept {}

std::size_t own_cache_bytes() noexcept {
#ifdef __APPLE__
  std::size_t bytes = 0, size = sizeof bytes;
  return sysctlbyname("hw.perflevel0.l2cachesize", &bytes, &size, nullptr, 0) == 0 ? bytes : 0;
#else
  return 0;
#endif
}

int processor_count() noexcept {
  auto const known = sysconf(_SC_NPROCESSORS_ONLN);
  return known > 0 ? static_cast<int>(known) : 0;
}

double cgroup_quota(char const*, char const*) {
  return std::numeric_limits<double>::infinity();
}

affinity affinity::of_this_thread() noexcept {
  return {};
}
void affinity::restrict_this_thread() const noexcept {}
int affinity::count() const noexcept {
  return 0;
}

bool has_loaded(char const*) noexcept {
  return false;
}
bool can_read(void const*) noexcept {
  return true;
}
void name_this_thread([[maybe_unused]] char const* name) noexcept {
#ifdef __APPLE__
  (void)pthread_setname_np(name);
#endif
}

}  // namespace upsweep::system
