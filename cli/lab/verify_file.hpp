/// Runs a user's program on every schedule and compares the results.
#pragma once

#include <cli/lab/program_flags.hpp>

#include <cstdint>
#include <string>
#include <vector>

namespace upsweep::cli {

struct file_effort {
  std::vector<std::uint64_t> sizes;  ///< values of n; empty: edge sizes if the arguments use n
  unsigned seeds = 3;                ///< random schedules
  bool quick = false;                ///< fewer sizes and schedules
};

struct verified_file {
  std::uint64_t runs = 0;
  std::string failure, again;  ///< empty if all runs agree and have no finding
};

/// Runs the main of `file`, or the kernel that `flags` name, up to the first failure: a finding, a
/// crash, or a result that differs from that of the schedule in order. Throws what compiled() and
/// request_of() throw.
[[nodiscard]] verified_file verify_file(std::string const& file, run_flags const& run,
                                        program_flags const& flags, file_effort const& much);

}  // namespace upsweep::cli
