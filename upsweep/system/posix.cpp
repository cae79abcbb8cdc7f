/// Threads and processors of POSIX: Linux, macOS, the BSDs.
#include <upsweep/system/system.hpp>

#include <pthread.h>
#include <sched.h>
#include <time.h>
#include <unistd.h>

#include <cstddef>
#include <memory>
#include <new>

namespace upsweep::system {
namespace {

struct start {
  void (*run)(void*) noexcept;
  void* context;
};

void* run_started(void* it) {
  auto* const made = static_cast<start*>(it);
  start const here = *made;
  delete made;  // run() may never return
  here.run(here.context);
  return nullptr;
}

}  // namespace

int processor_count() noexcept {
  auto const known = sysconf(_SC_NPROCESSORS_ONLN);
  return known > 0 ? static_cast<int>(known) : 0;
}

bool start_thread(void (*run)(void*) noexcept, void* context) noexcept {
  std::unique_ptr<start> made(new (std::nothrow) start{run, context});
  pthread_attr_t attributes;
  if (!made || pthread_attr_init(&attributes) != 0) return false;
  std::size_t stack = 0;
  if (pthread_attr_getstacksize(&attributes, &stack) == 0 && stack < least_stack)
    (void)pthread_attr_setstacksize(&attributes, usual_stack);
  (void)pthread_attr_setdetachstate(&attributes, PTHREAD_CREATE_DETACHED);
  pthread_t thread;
  bool const started = pthread_create(&thread, &attributes, run_started, made.get()) == 0;
  (void)pthread_attr_destroy(&attributes);
  if (started) (void)made.release();
  return started;
}

void yield() noexcept {
  (void)sched_yield();
}

void sleep(std::size_t microseconds) noexcept {
  timespec time{};
  time.tv_sec = static_cast<time_t>(microseconds / 1'000'000);
  time.tv_nsec = static_cast<decltype(time.tv_nsec)>(microseconds % 1'000'000 * 1000);
  (void)nanosleep(&time, nullptr);
}

void in_forked_children(void (*f)()) noexcept {
  (void)pthread_atfork(nullptr, nullptr, f);
}

}  // namespace upsweep::system
