/// The call of one kernel by name, in the process of a program.
#pragma once

#include <lab/program/program.hpp>
#include <upsweep/sim/modules/module.hpp>

#include <vector>

namespace upsweep::lab {

/// Makes the arguments, runs the kernel, and returns the buffers that it could write. Throws
/// usage_error when an argument does not fit its parameter.
[[nodiscard]] std::vector<output_buffer> run_kernel(sim::module const& module,
                                                    kernel_request const& asked);

}  // namespace upsweep::lab
