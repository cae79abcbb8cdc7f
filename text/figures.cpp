/// Formats times, rates and sizes with three significant digits.
#include <text/figures.hpp>

#include <fmt/format.h>

#include <bit>

namespace upsweep::text {

std::string milliseconds(double seconds) {
  double const ms = seconds * 1e3;
  if (ms >= 99.95) return fmt::format("{:.0f}", ms);
  int decimals = 2;
  for (double x = ms; x < 0.995 && decimals < 8; x *= 10) ++decimals;
  return fmt::format("{:.{}f}", ms, ms >= 9.995 ? 1 : decimals);
}

std::string duration(double seconds) {
  if (seconds < 1e-3) return fmt::format("{:.3g} µs", seconds * 1e6);
  return seconds < 1 ? fmt::format("{:.3g} ms", seconds * 1e3) : fmt::format("{:.3g} s", seconds);
}

std::string gigabytes_text(double gigabytes_per_second) {
  int const decimals = gigabytes_per_second < 9.995 ? 2 : gigabytes_per_second < 99.95 ? 1 : 0;
  return fmt::format("{:.{}f}", gigabytes_per_second, decimals);
}

std::string size_name(std::size_t n) {
  return std::has_single_bit(n) ? fmt::format("2^{}", std::bit_width(n) - 1) : fmt::format("{}", n);
}

}  // namespace upsweep::text
