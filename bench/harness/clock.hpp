/// The date of a report.
#pragma once

#include <array>
#include <ctime>
#include <string>

namespace upsweep::bench {

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
