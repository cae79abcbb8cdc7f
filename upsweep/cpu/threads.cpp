/// The pool of threads.hpp, and how many threads a call should use.
#include <upsweep/core/errors.hpp>
#include <upsweep/core/float_environment.hpp>
#include <upsweep/cpu/threads.hpp>

#include <pthread.h>
#include <sched.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cmath>
#include <condition_variable>
#include <exception>
#include <fstream>
#include <limits>
#include <mutex>
#include <string>
#include <thread>

namespace upsweep::threads {
namespace {

thread_local int depth = 0;             // > 0 on threads that are inside run()
std::atomic<bool> forked_child{false};  // which has none of its parent's threads

/// CPUs that a cgroup directory's quota amounts to; infinity without one. Version 2 has "quota period" or "max period" in one file,
/// version 1 two files.
double quota_of(std::string const& directory) {
  std::string quota;
  double period = 0;
  if (std::ifstream v2(directory + "/cpu.max"); v2 >> quota >> period && quota != "max") return std::stod(quota) / period;
  double microseconds = 0;
  std::ifstream v1_quota(directory + "/cpu.cfs_quota_us"), v1_period(directory + "/cpu.cfs_period_us");
  if (v1_quota >> microseconds && v1_period >> period && microseconds > 0) return microseconds / period;
  return std::numeric_limits<double>::infinity();
}

/// The tightest quota on the way from this process's cgroup up to the root.
double cgroup_quota() {
  double tightest = std::numeric_limits<double>::infinity();
  std::ifstream membership("/proc/self/cgroup");
  for (std::string line; std::getline(membership, line);) {
    auto const controllers = line.find(':'), path = line.find(':', controllers + 1);
    if (path == std::string::npos) continue;
    std::string const names = line.substr(controllers + 1, path - controllers - 1);
    if (!names.empty() && names.find("cpu") == std::string::npos) continue;
    std::string const root = names.empty() ? "/sys/fs/cgroup" : "/sys/fs/cgroup/cpu";
    for (std::string group = line.substr(path + 1);; group.resize(group.rfind('/'))) {
      tightest = std::min(tightest, quota_of(root + (group == "/" ? "" : group)));
      if (group.rfind('/') == std::string::npos || group == "/") break;
    }
    tightest = std::min(tightest, quota_of(root));
  }
  return tightest;
}

/// The quota changes rarely and is read from files, so it is read once a second.
double recent_quota() {
  using clock = std::chrono::steady_clock;
  static std::atomic<double> quota{0};
  static std::atomic<clock::rep> due{std::numeric_limits<clock::rep>::min()};
  clock::time_point const now = clock::now();
  if (now.time_since_epoch().count() >= due.load(std::memory_order_acquire)) {
    quota.store(cgroup_quota(), std::memory_order_relaxed);
    due.store((now + std::chrono::seconds(1)).time_since_epoch().count(), std::memory_order_release);
  }
  return quota.load(std::memory_order_relaxed);
}

/// The processors that the calling thread may run on; empty if the system does not say.
cpu_set_t affinity() {
  cpu_set_t set;
  if (sched_getaffinity(0, sizeof set, &set) != 0) CPU_ZERO(&set);
  return set;
}

/// One call of run(), on the stack of its caller, while workers may still join it.
struct team {
  void (*work)(void*, int) noexcept;
  void* context;
  int count;
  cpu_set_t processors;  // of the caller: its workers run where it may
  int joined = 1;        // the caller is worker 0
  int inside = 0;        // workers that have joined and not yet left
  team* next = nullptr;
};

/// Sleeping threads that join the open teams, the oldest first. It is never destroyed, because threads may still be inside when the
/// program's static objects are, and it allocates nothing in a call.
class pool {
 public:
  void run(team& t) {
    {
      std::lock_guard const lock(mutex_);
      grow(t.count - 1);
      *last_ = &t;
      last_ = &t.next;
    }
    wake_two();
    work(t, 0);
    std::unique_lock lock(mutex_);
    if (t.joined < t.count) close(t);
    left_.wait(lock, [&] { return t.inside == 0; });
  }

 private:
  static void work(team& t, int worker) {
    ++depth;
    {
      float_environment const ieee;
      t.work(t.context, worker);
    }
    --depth;
  }

  /// Starts threads until there are `wanted`. When the system allows no more, the call makes do with those that there are; the next
  /// call tries again.
  void grow(int wanted) try {
    for (; threads_ < wanted; ++threads_) std::thread([this] { wait_for_teams(); }).detach();
  } catch (std::exception const&) {
  }

  [[noreturn]] void wait_for_teams() {
    pthread_setname_np(pthread_self(), "upsweep");
    cpu_set_t mine = affinity();
    std::unique_lock lock(mutex_);
    while (true) {
      wake_.wait(lock, [&] { return first_ != nullptr; });
      team& t = *first_;
      int const worker = t.joined++;
      if (t.joined == t.count) close(t);
      ++t.inside;
      bool const more = first_ != nullptr;
      lock.unlock();
      if (more) wake_two();
      if (!CPU_EQUAL(&mine, &t.processors) && CPU_COUNT(&t.processors) > 0) {
        mine = t.processors;
        sched_setaffinity(0, sizeof mine, &mine);
      }
      work(t, worker);
      lock.lock();
      if (--t.inside == 0) left_.notify_all();
    }
  }

  /// Everybody who joins wakes two more, so a large team is awake after a few wakings, not after as many as it has workers.
  void wake_two() {
    wake_.notify_one();
    wake_.notify_one();
  }

  /// Nobody joins `t` any more.
  void close(team const& t) {
    team** link = &first_;
    while (*link != &t) link = &(*link)->next;
    *link = t.next;
    if (!t.next) last_ = link;
  }

  std::mutex mutex_;
  std::condition_variable wake_, left_;
  team* first_ = nullptr;
  team** last_ = &first_;
  int threads_ = 0;
};

pool& the_pool() {
  static pool& it = [&]() -> pool& {
    pthread_atfork(nullptr, nullptr, [] { forked_child = true; });
    return *new pool;
  }();
  return it;
}

}  // namespace

std::size_t largest_cutoff = std::numeric_limits<std::size_t>::max();

double quota() {
  return cgroup_quota();
}

int available() {
  cpu_set_t const set = affinity();
  int const processors = CPU_COUNT(&set) > 0 ? CPU_COUNT(&set) : static_cast<int>(std::thread::hardware_concurrency());
  double const quota = std::ceil(recent_quota());
  return std::max(1, quota < processors ? static_cast<int>(quota) : processors);
}

int usable(int requested) {
  if (depth > 0 || forked_child.load(std::memory_order_relaxed)) return 1;
  return requested > 0 ? std::min(requested, most) : available();
}

void run(int count, void (*work)(void*, int) noexcept, void* context) {
  team t{work, context, count, affinity()};
  the_pool().run(t);
}

void refuse(int requested) {
  std::string const sentence =
      "cpu: .threads is " + std::to_string(requested) + "; give 0 for all processors, or a positive number of threads";
  fail(sentence.c_str());
}

void pause(int turn) {
  if (turn >= 64) return std::this_thread::yield();
#if defined(__x86_64__)
  __builtin_ia32_pause();
#endif
}

}  // namespace upsweep::threads
