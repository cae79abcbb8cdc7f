/// The host's clock and the date.
#pragma once

#include <array>
#include <chrono>
#include <ctime>
#include <string>

namespace upsweep::bench {

/// Seconds that work() takes.
template <class Work>
double host_seconds(Work&& work) {
  auto const start = std::chrono::steady_clock::now();
  work();
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

/// "2026-11-20T13:48:07Z"
[[nodiscard]] inline std::string now_in_utc() {
  std::time_t const now = std::time(nullptr);
  std::tm utc{};
  gmtime_r(&now, &utc);
  std::array<char, 32> text{};
  std::strftime(text.data(), text.size(), "%Y-%m-%dT%H:%M:%SZ", &utc);
  return text.data();
}

}  // namespace upsweep::bench
