/// The textbook's kernels on a GPU, as plain functions. gpu_absent.cpp replaces them in a build
/// without CUDA.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace upsweep::lab::gpu {

/// The element types and operators for which the textbook's kernels are compiled: sums of two
/// types, and compositions of affine maps modulo 2^32.
enum class workload { sum_i32, sum_f32, affine_maps };
/// The block size for which they are compiled.
[[nodiscard]] int block_size();
/// Whether the algorithm supports such elements on a GPU.
[[nodiscard]] bool has_kernel(std::string_view stem, workload what);

struct kernel_run {
  double first_seconds = 0;     ///< of the checked run, which also loads the kernel
  std::vector<double> seconds;  ///< of later runs, between two events; none if the first one took
                                ///< longer than `patience`
  int launches = 0;
  bool wrote_past_end = false;  ///< the kernel wrote past the end of its output
  std::string left_out;         ///< why it did not run (it would take too long); empty if it ran
};

/// Copies n elements to the device, runs the algorithm there and copies its result (of a reduction
/// one element) to `out`. Times are device times without copies. With `skip_slow`, an algorithm
/// that would take longer than `patience`, estimated from 2^16 elements, is skipped. Throws
/// io::unavailable_error when CUDA fails.
[[nodiscard]] kernel_run run_kernel(std::string_view stem, workload what, void const* in,
                                    std::size_t n, void* out, std::size_t results, bool exclusive,
                                    double patience, bool skip_slow);

}  // namespace upsweep::lab::gpu
