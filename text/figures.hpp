/// Formatting of times, bandwidths and sizes for the tool's tables.
#pragma once

#include <cstddef>
#include <string>

namespace upsweep::text {

/// Milliseconds with three significant digits, whatever their magnitude: "0.0000212", "13.4".
[[nodiscard]] std::string milliseconds(double seconds);
/// "69.1 µs", "6.91 ms", "1.3 s".
[[nodiscard]] std::string duration(double seconds);
/// "9.87", "98.7", "987".
[[nodiscard]] std::string gigabytes_text(double gigabytes_per_second);
/// "2^20", or "1000000" for a number that is not a power of two.
[[nodiscard]] std::string size_name(std::size_t n);

}  // namespace upsweep::text
