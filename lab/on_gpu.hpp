/// One run of a textbook kernel on a GPU: whether it is compiled, its result and its time.
#pragma once

#include <lab/run.hpp>

#include <string>

namespace upsweep::lab {

/// Why a valid request cannot run on a GPU: its operator, type or block size is not compiled. Empty
/// if it can.
[[nodiscard]] std::string gpu_objection(request const& asked);

struct gpu_outcome {
  outcome result;      ///< without counters or findings
  double seconds = 0;  ///< device time without copies: the median of `runs`, or that of the
                       ///< only run
  int runs = 0;        ///< the number of runs in `seconds`
  double slowest = 0, fastest = 0;
  double gigabytes_per_second = 0;  ///< of the input, and for scans the output
  int launches = 0;
  std::string left_out;  ///< why it did not run
};

/// Runs `asked`, which gpu_objection() accepted. `skip_slow` skips what would take longer than two
/// seconds.
[[nodiscard]] gpu_outcome run_on_gpu(request const& asked, bool skip_slow = false);

}  // namespace upsweep::lab
