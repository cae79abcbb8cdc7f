/// The runs that verify one kernel: edge sizes x blocks x types and operators x schedules.
#pragma once

#include <lab/run.hpp>

#include <string>
#include <vector>

namespace upsweep::lab {

struct effort {
  unsigned seeds = 3;  ///< random schedules of each run
  bool quick = false;  ///< one block size, fewer sizes
  machine_name on = machine_name::sim;
};

/// Every run that the algorithm can take, cheapest first; on a GPU, whose schedule nobody chooses,
/// with what is compiled for one.
[[nodiscard]] std::vector<request> matrix(std::string const& stem, effort const& much);

/// What verify found out about one kernel; `failure` and the command line that repeats it are empty
/// when all runs were right.
struct verified {
  std::string stem;
  std::uint64_t runs = 0;
  std::string failure, again;
};
/// Runs the matrix up to the first failure.
[[nodiscard]] verified verify(std::string const& stem, effort const& much);

}  // namespace upsweep::lab
