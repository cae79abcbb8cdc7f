/// Threads and processors of Windows 7 and newer.
#include <upsweep/system/system.hpp>

#include <windows.h>

#include <bit>
#include <cstddef>
#include <limits>
#include <memory>
#include <new>

namespace upsweep::system {
namespace {

struct start {
  void (*run)(void*) noexcept;
  void* context;
};

DWORD WINAPI run_started(void* it) {
  auto* const made = static_cast<start*>(it);
  start const here = *made;
  delete made;  // run() may never return
  here.run(here.context);
  return 0;
}

}  // namespace

/// Large pages need a privilege that few processes have.
void prefer_huge_pages(void*, std::size_t) noexcept {}

std::size_t own_cache_bytes() noexcept {
  DWORD bytes = 0;
  (void)GetLogicalProcessorInformation(nullptr, &bytes);
  std::size_t const count = bytes / sizeof(SYSTEM_LOGICAL_PROCESSOR_INFORMATION);
  std::unique_ptr<SYSTEM_LOGICAL_PROCESSOR_INFORMATION[]> const all(
      new (std::nothrow) SYSTEM_LOGICAL_PROCESSOR_INFORMATION[count]);
  if (!all || !GetLogicalProcessorInformation(all.get(), &bytes)) return 0;
  for (std::size_t i = 0; i < count; ++i)
    if (all[i].Relationship == RelationCache && all[i].Cache.Level == 2) return all[i].Cache.Size;
  return 0;
}

int processor_count() noexcept {
  return static_cast<int>(GetActiveProcessorCount(ALL_PROCESSOR_GROUPS));
}

double cgroup_quota(char const*, char const*) {
  return std::numeric_limits<double>::infinity();
}

/// The first word is the mask of the thread's processors, the second 1 + their group.
affinity affinity::of_this_thread() noexcept {
  affinity known;
  GROUP_AFFINITY all{};
  if (!GetThreadGroupAffinity(GetCurrentThread(), &all)) return known;
  known.words_[0] = static_cast<std::size_t>(all.Mask);
  known.words_[1] = std::size_t{all.Group} + 1;
  return known;
}

void affinity::restrict_this_thread() const noexcept {
  if (words_[1] == 0) return;
  GROUP_AFFINITY all{};
  all.Mask = static_cast<KAFFINITY>(words_[0]);
  all.Group = static_cast<WORD>(words_[1] - 1);
  (void)SetThreadGroupAffinity(GetCurrentThread(), &all, nullptr);
}

int affinity::count() const noexcept {
  return std::popcount(words_[0]);
}

/// The stack's size is only reserved, so it costs addresses and no memory.
bool start_thread(void (*run)(void*) noexcept, void* context) noexcept {
  std::unique_ptr<start> made(new (std::nothrow) start{run, context});
  if (!made) return false;
  HANDLE const thread = CreateThread(nullptr, usual_stack, run_started, made.get(),
                                     STACK_SIZE_PARAM_IS_A_RESERVATION, nullptr);
  if (thread == nullptr) return false;
  (void)made.release();
  (void)CloseHandle(thread);
  return true;
}

/// SetThreadDescription() is newer than Windows 7.
bool has_loaded(char const*) noexcept {
  return false;
}
bool can_read(void const*) noexcept {
  return true;
}
void name_this_thread(char const*) noexcept {}

void yield() noexcept {
  (void)SwitchToThread();
}

/// Windows counts in milliseconds; 0 only yields.
void sleep(std::size_t microseconds) noexcept {
  Sleep(static_cast<DWORD>((microseconds + 999) / 1000));
}

void in_forked_children(void (*)()) noexcept {}

}  // namespace upsweep::system
