/// Signal handlers. They use only async-signal-safe calls and static storage.
#include <io/interruption.hpp>

#include <unistd.h>
#include <csignal>
#include <cstring>
#include <ctime>

#include <atomic>
#include <limits>
#include <mutex>

namespace upsweep::io {
namespace {

constexpr std::size_t name_bytes = 256;

struct slot {
  std::atomic<bool> used{
      false};  // true only while `name` is complete: the handler must not read a partial name
  int folder = -1;
  char name[name_bytes] = {};
};

slot slots[8];
static_assert(std::atomic<bool>::is_always_lock_free);

std::mutex& slots_mutex() {
  static std::mutex mutex;
  return mutex;
}

void remove_temporaries() noexcept {
  for (auto& each : slots)
    if (each.used.load(std::memory_order_acquire)) ::unlinkat(each.folder, each.name, 0);
}

std::atomic<bool> is_deferred{false};
std::atomic<int> deferred_signal{0};
std::atomic<long> deferred_at{std::numeric_limits<long>::max()};  // seconds; max: not known yet
static_assert(std::atomic<int>::is_always_lock_free);

/// The shell sees that this signal ended us.
void end_by(int signal) noexcept {
  remove_temporaries();
  std::signal(signal, SIG_DFL);
  ::raise(signal);
}

long seconds_now() noexcept {
  timespec now{};
  clock_gettime(CLOCK_MONOTONIC, &now);
  return now.tv_sec;
}

void on_interrupt(int signal) {
  int none = 0;
  if (is_deferred && deferred_signal.compare_exchange_strong(none, signal)) {
    deferred_at = seconds_now();
    return;
  }
  // timeout(1) sends its signal to the process and to its group: twice at once.
  if (is_deferred && seconds_now() - deferred_at <= 1) return;
  end_by(signal);
}

void on_lost_page(int) {
  constexpr char sentence[] =
      "upsweep: An input file shrank while it was being read, so there is no result; run again "
      "when nothing writes to it.\n";
  [[maybe_unused]] auto const ignored = ::write(STDERR_FILENO, sentence, sizeof sentence - 1);
  remove_temporaries();
  ::_exit(4);
}

void handle(int signal, void (*handler)(int), int flags) noexcept {
  struct sigaction now{};
  if (::sigaction(signal, nullptr, &now) != 0 || now.sa_handler != SIG_DFL) return;
  struct sigaction action{};
  action.sa_handler = handler;
  action.sa_flags = flags;
  ::sigaction(signal, &action, nullptr);
}

void handle_interruptions() noexcept {
  for (int signal : {SIGINT, SIGTERM, SIGHUP}) handle(signal, on_interrupt, SA_RESTART);
}

}  // namespace

void remember_temporary(int folder, char const* name) noexcept {
  std::lock_guard const lock(slots_mutex());
  handle_interruptions();
  auto const length = std::strlen(name);
  if (length >= name_bytes) return;
  for (auto& each : slots) {
    if (each.used.load(std::memory_order_relaxed)) continue;
    each.folder = folder;
    std::memcpy(each.name, name, length + 1);
    each.used.store(true, std::memory_order_release);
    return;
  }
}

void forget_temporary(int folder) noexcept {
  std::lock_guard const lock(slots_mutex());
  for (auto& each : slots) {
    if (each.used.load(std::memory_order_relaxed) && each.folder == folder) {
      each.used.store(false, std::memory_order_release);
      return;
    }
  }
}

void defer_interruption() noexcept {
  is_deferred = true;
  handle_interruptions();
}

int deferred_interruption() noexcept {
  return deferred_signal;
}

void end_if_interrupted() noexcept {
  if (int const signal = deferred_signal) end_by(signal);
}

void watch_mappings() noexcept {
  handle(SIGBUS, on_lost_page, 0);
}

}  // namespace upsweep::io
