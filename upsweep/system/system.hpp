/// What each operating system does in its own way: threads, processors, pages of memory.
///
/// CMake picks the implementations: linux.cpp or unix.cpp, each with posix.cpp;
/// windows.cpp; or one_thread.cpp. No other file of the library includes a header of a system.
#pragma once

#include <array>
#include <cstddef>
#ifndef UPSWEEP_ONE_THREAD
#include <mutex>
#endif

namespace upsweep::system {

/// Asks for huge pages. Advice: it affects only the speed.
void prefer_huge_pages(void* memory, std::size_t bytes) noexcept;

/// The bytes of a processor's private cache (L2); 0 if the system does not report it.
[[nodiscard]] std::size_t own_cache_bytes() noexcept;

/// How many processors there are; 0 if the system does not report it.
[[nodiscard]] int processor_count() noexcept;

/// The smallest quota, in processors, of the cgroups in the file `membership` and their ancestors,
/// whose folders are in `root`. Infinity without one, and on other systems than Linux.
[[nodiscard]] double cgroup_quota(char const* membership, char const* root);

/// A set of processors on which a thread may run.
class affinity {
 public:
  /// The empty set.
  affinity() = default;
  /// That of the calling thread; empty if the system does not report it.
  [[nodiscard]] static affinity of_this_thread() noexcept;
  /// Restricts the calling thread to this set.
  void restrict_this_thread() const noexcept;
  /// The number of processors in the set.
  [[nodiscard]] int count() const noexcept;
  [[nodiscard]] bool operator==(affinity const&) const = default;

 private:
  std::array<std::size_t, 128 / sizeof(std::size_t)> words_{};  // as large as Linux's cpu_set_t
};

/// Starts a thread that calls run(context) and that nobody waits for; false if the system allows no
/// more. Its stack has the system's default size, and at least least_stack bytes.
[[nodiscard]] bool start_thread(void (*run)(void*) noexcept, void* context) noexcept;

/// The library keeps up to 24 accumulators on a thread's stack (docs/contracts.md, 4). Defaults
/// below this are raised to `usual_stack`: musl's is 128 KiB, macOS's 512 KiB.
inline constexpr std::size_t least_stack = std::size_t{1} << 20, usual_stack = std::size_t{8} << 20;

/// Whether the process has loaded a shared library whose file name begins like that; false if the
/// system does not report it. Fast while no other library is loaded.
[[nodiscard]] bool has_loaded(char const* library) noexcept;
/// Whether the aligned word at this address can be read; true if the system does not report it.
[[nodiscard]] bool can_read(void const* address) noexcept;

/// Names the calling thread in debuggers and profilers: at most 15 characters.
void name_this_thread(char const* name) noexcept;

/// Lets another thread run now.
void yield() noexcept;

/// Suspends the calling thread for about that time.
void sleep(std::size_t microseconds) noexcept;

/// Calls f in each child that this process forks, if the system has fork().
void in_forked_children(void (*f)()) noexcept;

#ifdef UPSWEEP_ONE_THREAD
class mutex {
 public:
  void lock() noexcept {}
  void unlock() noexcept {}
};
#else
using mutex = std::mutex;
#endif

/// Holds the mutex while it exists. (std::lock_guard is not declared where there are no threads.)
class locked {
 public:
  explicit locked(mutex& m) : mutex_(m) { mutex_.lock(); }
  ~locked() { mutex_.unlock(); }
  locked(locked const&) = delete;
  locked& operator=(locked const&) = delete;

 private:
  mutex& mutex_;
};

}  // namespace upsweep::system
