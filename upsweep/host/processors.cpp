/// How many processors a call may use: CPU affinity and the quotas of cgroups.
#include <upsweep/host/threads.hpp>
#include <upsweep/system/system.hpp>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cmath>
#include <cstddef>
#include <fstream>
#include <limits>

namespace upsweep::host::threads {
namespace {

/// The quota changes rarely and is read from files, so it is read at most once a second.
double recent_quota() {
  using clock = std::chrono::steady_clock;
  static std::atomic<double> quota{0};
  static std::atomic<clock::rep> due{std::numeric_limits<clock::rep>::min()};
  clock::time_point const now = clock::now();
  if (now.time_since_epoch().count() >= due.load(std::memory_order_acquire)) {
    quota.store(threads::quota(), std::memory_order_relaxed);
    due.store((now + std::chrono::seconds(1)).time_since_epoch().count(),
              std::memory_order_release);
  }
  return quota.load(std::memory_order_relaxed);
}

}  // namespace

double quota(char const* membership, char const* root) {
  return system::cgroup_quota(membership, root);
}

std::size_t own_cache_bytes() {
  static std::size_t const bytes = [] {
    std::size_t const known = system::own_cache_bytes();
    return known > 0 ? known : std::size_t{1} << 20;
  }();
  return bytes;
}

int available() {
  int const known = system::affinity::of_this_thread().count(),
            processors = known > 0 ? known : system::processor_count();
  double const quota = std::ceil(recent_quota());
  return std::max(1, quota < processors ? static_cast<int>(quota) : processors);
}

}  // namespace upsweep::host::threads
