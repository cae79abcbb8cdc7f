/// Which rows of the GPU's benchmark were asked for.
#pragma once

#include <cli/cuda/bench_command.hpp>
#include <cli/cuda/bench_gpu.hpp>

#include <vector>

namespace upsweep::cli {

/// Table by table, sizes rising. Throws usage_error when nothing of it has kernels.
[[nodiscard]] std::vector<gpu::request> gpu_requests(gpu_bench_flags const& flags);

}  // namespace upsweep::cli
