/// Systems on which a program is one thread: WebAssembly.
#include <upsweep/system/system.hpp>

#include <cstddef>
#include <limits>

namespace upsweep::system {

void prefer_huge_pages(void*, std::size_t) noexcept {}
std::size_t own_cache_bytes() noexcept {
  return 0;
}
int processor_count() noexcept {
  return 1;
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

/// Calls use the threads that start, which may be none besides their own.
bool start_thread(void (*)(void*) noexcept, void*) noexcept {
  return false;
}
bool has_loaded(char const*) noexcept {
  return false;
}
bool can_read(void const*) noexcept {
  return true;
}
void name_this_thread(char const*) noexcept {}
void yield() noexcept {}
void sleep(std::size_t) noexcept {}
void in_forked_children(void (*)()) noexcept {}

}  // namespace upsweep::system
