/// Reads /proc and /sys; fields that a system does not provide stay empty.
#include <bench/harness/machine.hpp>

#include <sched.h>
#include <sys/utsname.h>
#include <unistd.h>

#include <upsweep/core/version.hpp>
#include <upsweep/host/simd/dispatch.hpp>
#include <upsweep/host/threads.hpp>

#include <algorithm>
#include <bench_build.hpp>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <system_error>

namespace upsweep::bench {
namespace {

std::string first_line(std::filesystem::path const& file) {
  std::ifstream in(file);
  std::string line;
  std::getline(in, line);
  return line;
}

/// The value of "name   : value" of the first processor in /proc/cpuinfo.
std::string cpu_field(std::string const& name) {
  std::ifstream in("/proc/cpuinfo");
  for (std::string line; std::getline(in, line);) {
    auto const colon = line.find(':');
    if (colon == std::string::npos || line.compare(0, name.size(), name) != 0) continue;
    if (line.find_first_not_of(" \t", name.size()) != colon) continue;
    return colon + 2 <= line.size() ? line.substr(colon + 2) : std::string();
  }
  return {};
}

/// "32768K" or "32M" in bytes.
std::size_t size_of(std::string const& text) {
  if (text.empty() || text[0] < '0' || text[0] > '9') return 0;
  std::size_t const unit = text.back() == 'K' ? 1u << 10 : text.back() == 'M' ? 1u << 20 : 1;
  return std::stoull(text) * unit;
}

/// The number of CPUs in a list: 5 for "0-3,8".
int count_of(std::string const& list) {
  int count = 0;
  for (std::size_t at = 0; at < list.size();) {
    auto const end = std::min(list.find(',', at), list.size());
    std::string const part = list.substr(at, end - at);
    auto const dash = part.find('-');
    count += dash == std::string::npos ? 1 : std::stoi(part.substr(dash + 1)) - std::stoi(part) + 1;
    at = end + 1;
  }
  return std::max(1, count);
}

std::vector<cache> caches_of_first_cpu() {
  std::vector<cache> all;
  std::error_code ignored;
  std::filesystem::path const folder = "/sys/devices/system/cpu/cpu0/cache";
  for (auto const& entry : std::filesystem::directory_iterator(folder, ignored)) {
    std::string const level = first_line(entry.path() / "level"),
                      kind = first_line(entry.path() / "type");
    if (level.empty() || kind == "Instruction") continue;
    all.push_back({std::stoi(level), kind, size_of(first_line(entry.path() / "size")),
                   count_of(first_line(entry.path() / "shared_cpu_list"))});
  }
  std::sort(all.begin(), all.end(),
            [](cache const& x, cache const& y) { return x.level < y.level; });
  return all;
}

std::size_t memory_field(std::string const& name) {
  std::ifstream in("/proc/meminfo");
  for (std::string line; std::getline(in, line);)
    if (line.compare(0, name.size() + 1, name + ':') == 0)
      return std::stoull(line.substr(name.size() + 1)) << 10;
  return 0;
}

std::string huge_page_policy() {
  std::string const line =
      first_line("/sys/kernel/mm/transparent_hugepage/enabled");  // "always [madvise] never"
  auto const open = line.find('['), close = line.find(']');
  return open == std::string::npos || close == std::string::npos
             ? std::string()
             : line.substr(open + 1, close - open - 1);
}

std::string distribution_name() {
  std::ifstream in("/etc/os-release");
  std::string const key = "PRETTY_NAME=\"";
  for (std::string line; std::getline(in, line);)
    if (line.compare(0, key.size(), key) == 0 && line.size() > key.size())
      return line.substr(key.size(), line.size() - key.size() - 1);
  return {};
}

}  // namespace

machine this_machine() {
  machine m;
  m.cpu = cpu_field("model name");
  m.family = cpu_field("vendor_id") + " family " + cpu_field("cpu family") + " model " +
             cpu_field("model") + " stepping " + cpu_field("stepping");
  m.online = static_cast<int>(std::max(1L, sysconf(_SC_NPROCESSORS_ONLN)));
  cpu_set_t set;
  m.affinity = sched_getaffinity(0, sizeof set, &set) == 0 ? CPU_COUNT(&set) : m.online;
  m.threads = host::threads::available();
  double const quota = host::threads::quota();
  m.quota = std::isfinite(quota) ? quota : 0;
  m.simd = host::simd::target();
  if (m.simd.starts_with("AVX3")) m.simd += " (AVX-512)";  // Highway's name is little known
  m.caches = caches_of_first_cpu();
  m.memory = memory_field("MemTotal");
  m.available_memory = memory_field("MemAvailable");
  m.is_virtual = cpu_field("flags").find("hypervisor") != std::string::npos;
  m.huge_pages = huge_page_policy();
  m.real_time = sched_getscheduler(0) == SCHED_FIFO || sched_getscheduler(0) == SCHED_RR;
  utsname system{};
  if (uname(&system) == 0)
    m.system = std::string(system.sysname) + ' ' + system.release + ' ' + system.machine;
  m.distribution = distribution_name();
  return m;
}

std::size_t largest_cache(machine const& m) {
  std::size_t largest = 0;
  for (auto const& c : m.caches) largest = std::max(largest, c.bytes);
  return largest > 0 ? largest : std::size_t{32} << 20;
}

build this_build() {
  return {build_compiler, build_type, build_flags, build_peer_flags, version, build_revision};
}

}  // namespace upsweep::bench
