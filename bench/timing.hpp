/// What the programs that print tables of times share: median times, cells, numbers that look
/// random.
#pragma once

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <ctime>
#include <fstream>
#include <optional>
#include <string>
#include <vector>

namespace upsweep::bench {

/// Keeps results, so that the compiler does not remove what computes them.
inline volatile double used;

inline auto const nothing = [] {};
struct no_call {};

/// Clocks, in seconds: that on the wall, and the CPU's time in this process, for calls on one
/// thread that others interrupt.
struct wall_time {
  double operator()() const {
    std::chrono::duration<double> const now = std::chrono::steady_clock::now().time_since_epoch();
    return now.count();
  }
};
struct processor_time {
  double operator()() const {
    return static_cast<double>(std::clock()) / static_cast<double>(CLOCKS_PER_SEC);
  }
};

/// The median time of one call, in ns per element of n. `prepare` is not timed.
template <class Prepare, class Call, class Now = wall_time>
double time_of(std::size_t n, Prepare const& prepare, Call const& call, Now const& now = {}) {
  std::vector<double> times;
  double total = 0;
  while (times.size() < 5 || (total < 0.15 && times.size() < 101)) {
    prepare();
    double const begin = now();
    call();
    times.push_back(now() - begin);
    total += times.back();
  }
  std::nth_element(times.begin(), times.begin() + static_cast<std::ptrdiff_t>(times.size() / 2),
                   times.end());
  return 1e9 * times[times.size() / 2] / static_cast<double>(n);
}

inline std::string cell(std::optional<double> number) {
  if (!number) return "–";
  char text[32];
  std::snprintf(text, sizeof text,
                *number < 0.095  ? "%.3f"
                : *number < 9.95 ? "%.2f"
                                 : "%.1f",
                *number);
  return text;
}

/// Numbers that look random, from 0 to 1.
inline float number(std::size_t i) {
  std::uint64_t bits = (i + 1) * 0x9e3779b97f4a7c15u;
  bits = (bits ^ (bits >> 29)) * 0xbf58476d1ce4e5b9u;
  return static_cast<float>(bits >> 40) * 0x1p-24f;
}

inline std::string processor() {
  std::ifstream info("/proc/cpuinfo");
  for (std::string line; std::getline(info, line);)
    if (line.starts_with("model name")) return line.substr(line.find(':') + 2);
  return "unknown processor";
}

}  // namespace upsweep::bench
