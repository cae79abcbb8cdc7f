/// Processors, their quotas, and pages of Linux, with glibc or musl; its threads are in posix.cpp.
#include <upsweep/system/system.hpp>

#include <link.h>
#include <pthread.h>
#include <sched.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <fstream>
#include <limits>
#include <string>

namespace upsweep::system {

void prefer_huge_pages(void* memory, std::size_t bytes) noexcept {
#ifdef MADV_HUGEPAGE
  (void)madvise(memory, bytes, MADV_HUGEPAGE);
#else
  (void)memory, (void)bytes;
#endif
}

std::size_t own_cache_bytes() noexcept {
#ifdef _SC_LEVEL2_CACHE_SIZE  // glibc's
  auto const known = sysconf(_SC_LEVEL2_CACHE_SIZE);
  return known > 0 ? static_cast<std::size_t>(known) : 0;
#else
  return 0;
#endif
}

static_assert(sizeof(affinity) == sizeof(cpu_set_t));

affinity affinity::of_this_thread() noexcept {
  affinity known;
  cpu_set_t set;
  if (sched_getaffinity(0, sizeof set, &set) == 0)
    std::memcpy(known.words_.data(), &set, sizeof set);
  return known;
}

void affinity::restrict_this_thread() const noexcept {
  cpu_set_t set;
  std::memcpy(&set, words_.data(), sizeof set);
  (void)sched_setaffinity(0, sizeof set, &set);
}

int affinity::count() const noexcept {
  cpu_set_t set;
  std::memcpy(&set, words_.data(), sizeof set);
  return CPU_COUNT(&set);
}

namespace {

struct library_search {
  char const* name;
  unsigned long long known, loaded;  // how many libraries had been loaded then, and have been now
  bool found;
};

int visit_library(dl_phdr_info* info, std::size_t, void* context) {
  auto& search = *static_cast<library_search*>(context);
  search.loaded = info->dlpi_adds;
  if (search.loaded == search.known) return 1;
  char const* const slash = std::strrchr(info->dlpi_name, '/');
  char const* const file = slash ? slash + 1 : info->dlpi_name;
  search.found = search.found || std::strncmp(file, search.name, std::strlen(search.name)) == 0;
  return 0;
}

}  // namespace

bool has_loaded(char const* library) noexcept {
  static std::atomic<unsigned long long> last = 0;  // twice that number, plus 1 if it was found
  unsigned long long const known = last.load(std::memory_order_relaxed);
  library_search search{library, known / 2, 0, false};
  (void)dl_iterate_phdr(visit_library, &search);
  if (search.loaded == known / 2) return known % 2 != 0;
  last.store(2 * search.loaded + (search.found ? 1 : 0), std::memory_order_relaxed);
  return search.found;
}

bool can_read(void const* address) noexcept {
  auto const word = reinterpret_cast<std::uintptr_t>(address) & ~std::uintptr_t{7};
  // Reads the signals first, and then refuses to do nothing known with them.
  int const saved = errno;
  long const done = syscall(SYS_rt_sigprocmask, ~0, word, nullptr, std::size_t{8});
  bool const unreadable = done != 0 && errno == EFAULT;
  errno = saved;
  return !unreadable;
}

void name_this_thread(char const* name) noexcept {
  (void)pthread_setname_np(pthread_self(), name);
}

namespace {

/// The quota of a directory of cgroups, version 1 or 2, in CPUs; infinity without one. Version 2
/// has "quota period" or "max period" in one file, version 1 has two files.
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

}  // namespace

double cgroup_quota(char const* membership, char const* root) {
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

}  // namespace upsweep::system
