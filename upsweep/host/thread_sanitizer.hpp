/// Tells ThreadSanitizer what this library's atomics order. A program that is compiled with
/// -fsanitize=thread usually links a library that is not, whose atomics ThreadSanitizer does not
/// see: it reported a race wherever a thread read what another one had handed over. In other
/// programs the two functions do not exist, and each call here costs a load and a branch, once a
/// tile or a call.
#pragma once

#if defined(__ELF__) && defined(__GNUC__)
extern "C" {
[[gnu::weak]] void __tsan_acquire(void* at);
[[gnu::weak]] void __tsan_release(void* at);
}
#endif

namespace upsweep::host::thread_sanitizer {

/// Call it before the store by which this thread hands memory over.
inline void release([[maybe_unused]] void const* at) {
#if defined(__ELF__) && defined(__GNUC__)
  if (__tsan_release) __tsan_release(const_cast<void*>(at));
#endif
}

/// Call it after the load by which this thread takes the memory.
inline void acquire([[maybe_unused]] void const* at) {
#if defined(__ELF__) && defined(__GNUC__)
  if (__tsan_acquire) __tsan_acquire(const_cast<void*>(at));
#endif
}

}  // namespace upsweep::host::thread_sanitizer
