/// How many processors a call may use: CPU affinity and the quotas of cgroups.
#include <upsweep/host/threads.hpp>

#include <sched.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cmath>
#include <cstddef>
#include <fstream>
#include <limits>
#include <string>
#include <thread>

namespace upsweep::host::threads {
namespace {

/// The quota of a cgroup directory in CPUs; infinity without one. Version 2 has "quota period" or
/// "max period" in one file, version 1 has two files.
double quota_of(std::string const& directory) {
  std::string quota;
  double period = 0;
  if (std::ifstream v2(directory + "/cpu.max"); v2 >> quota >> period && quota != "max")
    return std::stod(quota) / period;
  double microseconds = 0;
  std::ifstream v1_quota(directory + "/cpu.cfs_quota_us"),
      v1_period(directory + "/cpu.cfs_period_us");
  if (v1_quota >> microseconds && v1_period >> period && microseconds > 0)
    return microseconds / period;
  return std::numeric_limits<double>::infinity();
}

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
  double tightest = std::numeric_limits<double>::infinity();
  std::ifstream lines(membership);
  for (std::string line; std::getline(lines, line);) {
    auto const controllers = line.find(':'), path = line.find(':', controllers + 1);
    if (path == std::string::npos) continue;
    std::string const names = line.substr(controllers + 1, path - controllers - 1);
    if (!names.empty() && names.find("cpu") == std::string::npos) continue;
    std::string const top = std::string(root) + (names.empty() ? "" : "/cpu");
    for (std::string group = line.substr(path + 1);; group.resize(group.rfind('/'))) {
      tightest = std::min(tightest, quota_of(top + (group == "/" ? "" : group)));
      if (group.rfind('/') == std::string::npos || group == "/") break;
    }
    tightest = std::min(tightest, quota_of(top));
  }
  return tightest;
}

std::size_t own_cache_bytes() {
  static std::size_t const bytes = [] {
    long const known = sysconf(_SC_LEVEL2_CACHE_SIZE);
    return known > 0 ? static_cast<std::size_t>(known) : std::size_t{1} << 20;
  }();
  return bytes;
}

int available() {
  cpu_set_t set;
  int const known = sched_getaffinity(0, sizeof set, &set) == 0 ? CPU_COUNT(&set) : 0;
  int const processors = known > 0 ? known : static_cast<int>(std::thread::hardware_concurrency());
  double const quota = std::ceil(recent_quota());
  return std::max(1, quota < processors ? static_cast<int>(quota) : processors);
}

}  // namespace upsweep::host::threads
