/// The pool of threads.hpp on oneTBB, and how many threads this process should use.
#include <upsweep/core/float_environment.hpp>
#include <upsweep/cpu/threads.hpp>

#include <pthread.h>
#include <sched.h>
#include <tbb/global_control.h>
#include <tbb/parallel_for.h>
#include <tbb/partitioner.h>
#include <tbb/task_arena.h>

#include <algorithm>
#include <atomic>
#include <cmath>
#include <cstdlib>
#include <fstream>
#include <limits>
#include <string>
#include <thread>
#include <vector>

namespace upsweep::threads {
namespace {

thread_local int depth = 0;          // > 0 on threads that are inside run()
std::atomic<bool> pool_gone{false};  // in a forked child, and from the pool's point of destruction on

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

int count_available() {
  cpu_set_t set;
  int const affinity =
      sched_getaffinity(0, sizeof set, &set) == 0 ? CPU_COUNT(&set) : static_cast<int>(std::thread::hardware_concurrency());
  double const quota = std::ceil(cgroup_quota());
  return std::max(1, quota < affinity ? static_cast<int>(quota) : affinity);
}

/// From the first parallel call on: a forked child has no pool threads, and static destructors that run after this point have no
/// pool.
void watch_the_end() {
  static bool const watching = [] {
    pthread_atfork(nullptr, nullptr, [] { pool_gone = true; });
    return std::atexit([] { pool_gone = true; }) == 0;
  }();
  (void)watching;
}

#if defined(__SANITIZE_THREAD__)
/// ThreadSanitizer cannot see what happens before what inside oneTBB, which is not instrumented; under it, plain threads take its
/// place.
void run_in_pool(int count, void (*work)(void*, int) noexcept, void* context) {
  auto const one = [&](int worker) {
    ++depth;
    float_environment const ieee;
    work(context, worker);
    --depth;
  };
  std::vector<std::jthread> others;
  for (int worker = 1; worker < count; ++worker) others.emplace_back(one, worker);
  one(0);
}
#else
void run_in_pool(int count, void (*work)(void*, int) noexcept, void* context) {
  tbb::parallel_for(
      0, count, 1,
      [&](int worker) {
        // Isolated: were the operator itself to use TBB, its waits must not start another worker of this call on top of this one.
        tbb::this_task_arena::isolate([&] {
          ++depth;
          float_environment const ieee;
          work(context, worker);
          --depth;
        });
      },
      tbb::simple_partitioner{});
}
#endif

}  // namespace

double quota() {
  return cgroup_quota();
}

int available() {
  static int const count = count_available();
  return count;
}

int usable(int requested) {
  if (depth > 0 || pool_gone.load(std::memory_order_relaxed)) return 1;
  return requested > 0 ? requested : available();
}

void run(int count, void (*work)(void*, int) noexcept, void* context) {
  watch_the_end();
  if (count <= tbb::this_task_arena::max_concurrency()) return run_in_pool(count, work, context);
  // More threads than TBB would start by itself: raise its limit for the duration of this call.
  tbb::global_control const limit(tbb::global_control::max_allowed_parallelism, static_cast<std::size_t>(count));
  tbb::task_arena(count).execute([&] { run_in_pool(count, work, context); });
}

void pause(int turn) {
  if (turn >= 64) return std::this_thread::yield();
#if defined(__x86_64__)
  __builtin_ia32_pause();
#endif
}

}  // namespace upsweep::threads
