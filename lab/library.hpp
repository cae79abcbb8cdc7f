/// The library's own time and result on a ladder's elements, for comparison with the kernels.
#pragma once

#include <lab/run.hpp>

#include <cstdint>
#include <string>

namespace upsweep::lab {

struct library_times {
  std::uint64_t n = 0;
  double bytes = 0, gigabytes = 0;  ///< size of the elements; what a call must move
  double serial_seconds = 0, parallel_seconds = 0;
  int threads = 1;
  std::string value;       ///< the reduction, or the scan's last value
  std::string difference;  ///< the first between one thread and all; empty if all bits agree

  [[nodiscard]] bool agree() const { return difference.empty(); }
};

/// Reduces or scans the elements of `asked` with its operator, with one thread and with all
/// threads; each time is the better of two. Allocates the elements and one array of results.
[[nodiscard]] library_times time_library(request const& asked, bool scan);

}  // namespace upsweep::lab
