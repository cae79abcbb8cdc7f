/// One textbook kernel on a GPU, for what is compiled for one: whether it can, what came out, how
/// long it took.
#pragma once

#include <lab/run.hpp>

#include <string>

namespace upsweep::lab {

/// Why `asked` cannot run on a GPU although it makes sense: the operator, the type or the block
/// that is not compiled. Empty when it can.
[[nodiscard]] std::string gpu_objection(request const& asked);

struct gpu_outcome {
  outcome result;      ///< without counters or findings
  double seconds = 0;  ///< on the device, for data that are there: the median of `runs`, or of the
                       ///< only run that there was
  int runs = 0;        ///< that `seconds` is of
  double slowest = 0, fastest = 0;
  double gigabytes_per_second = 0;  ///< of the input, and for scans the output
  int launches = 0;
  std::string left_out;  ///< why it did not run
};

/// `asked`, to which there was no objection. `skip_slow` leaves out what would take longer than two
/// seconds.
[[nodiscard]] gpu_outcome run_on_gpu(request const& asked, bool skip_slow = false);

}  // namespace upsweep::lab
