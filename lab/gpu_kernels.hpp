/// The textbook's kernels on a GPU, behind plain functions: gpu_absent.cpp stands in for them in a
/// build without CUDA.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace upsweep::lab::gpu {

/// What the kernels of the textbook are compiled for: sums of two types, and compositions of affine
/// maps modulo 2^32.
enum class workload { sum_i32, sum_f32, affine_maps };
/// Threads of the blocks that they are compiled with.
[[nodiscard]] int block_size();
/// Whether the algorithm takes such elements on a GPU.
[[nodiscard]] bool has_kernel(std::string_view stem, workload what);

struct kernel_run {
  double first_seconds = 0;  ///< of the run whose results are checked, which also loads the kernel
  std::vector<double> seconds;  ///< of later runs between two events; none when the first one took
                                ///< longer than `patience`
  int launches = 0;
  bool wrote_behind = false;  ///< the kernel wrote behind its output
  std::string left_out;       ///< why it did not run: it would take too long; empty when it did
};

/// Copies n elements to the device, runs the algorithm there and copies its result (of a reduction
/// one element) to `out`. Seconds are the device's, for data that are there. `patience`: an
/// algorithm that by a probe of 2^16 elements would take longer is left out when `skip_slow`.
/// Throws io::unavailable_error when CUDA fails.
[[nodiscard]] kernel_run run_kernel(std::string_view stem, workload what, void const* in,
                                    std::size_t n, void* out, std::size_t results, bool exclusive,
                                    double patience, bool skip_slow);

}  // namespace upsweep::lab::gpu
