/// The runs that verify one kernel: edge sizes x blocks x types and operators x schedules.
#pragma once

#include <lab/run.hpp>

#include <cstdint>
#include <string>
#include <vector>

namespace upsweep::lab {

struct effort {
  unsigned seeds = 3;  ///< number of random schedules per run
  bool quick = false;  ///< one block size, fewer sizes
  machine_name on = machine_name::sim;
};

/// Every run that the algorithm supports, cheapest first; on a GPU, whose schedule cannot be
/// chosen, only what is compiled for it.
[[nodiscard]] std::vector<request> matrix(std::string const& stem, effort const& much);

/// The result of verify for one kernel; `failure` and the command line that reproduces it are empty
/// if all runs were right.
struct verified {
  std::string stem;
  std::uint64_t runs = 0;
  std::string failure, again;
};
/// Runs the matrix up to the first failure.
[[nodiscard]] verified verify(std::string const& stem, effort const& much);

}  // namespace upsweep::lab
