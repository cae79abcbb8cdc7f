/// Systems on which a program is one thread: WebAssembly.
#include <upsweep/system/system.hpp>

#include <cstddef>

namespace upsweep::system {

std::size_t own_cache_bytes() noexcept {
  return 0;
}
int processor_count() noexcept {
  return 1;
}
/// Calls use the threads that start, which may be none besides their own.
bool start_thread(void (*)(void*) noexcept, void*) noexcept {
  return false;
}
void name_this_thread(char const*) noexcept {}
void yield() noexcept {}
void sleep(std::size_t) noexcept {}
void in_forked_children(void (*)()) noexcept {}

}  // namespace upsweep::system
