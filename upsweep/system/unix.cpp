/// Caches and names of threads of macOS; other Unix systems have neither.
#include <upsweep/system/system.hpp>

#include <pthread.h>
#ifdef __APPLE__
#include <sys/sysctl.h>
#endif

#include <cstddef>

namespace upsweep::system {

std::size_t own_cache_bytes() noexcept {
#ifdef __APPLE__
  std::size_t bytes = 0, size = sizeof bytes;
  return sysctlbyname("hw.perflevel0.l2cachesize", &bytes, &size, nullptr, 0) == 0 ? bytes : 0;
#else
  return 0;
#endif
}

void name_this_thread([[maybe_unused]] char const* name) noexcept {
#ifdef __APPLE__
  (void)pthread_setname_np(name);
#endif
}

}  // namespace upsweep::system
