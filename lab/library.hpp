/// The library's own time and result on a ladder's elements, to set beside the kernels.
#pragma once

#include <lab/values.hpp>

#include <string>

namespace upsweep::lab {

struct library_times {
  std::uint64_t n = 0;
  double bytes = 0, gigabytes = 0;  ///< of the elements; that a call must move
  double serial_seconds = 0, parallel_seconds = 0;
  int threads = 1;
  std::string value;       ///< the reduction, or the scan's last value
  std::string difference;  ///< the first between one thread and all; empty: every bit is the same

  [[nodiscard]] bool agree() const { return difference.empty(); }
};

/// Reduces or scans n elements made from `seed`, once in one thread and once in all; each time is
/// the better of two. Takes memory for the elements and for one array of results.
[[nodiscard]] library_times time_library(operation_name op, element_type type, std::uint64_t n,
                                         std::uint64_t seed, bool scan);

}  // namespace upsweep::lab
