/// `upsweep bench --on cuda`: the classic table of processor and GPU, its files, and the plans of
/// both.
#pragma once

#include <bench/harness/plan.hpp>

#include <string>
#include <vector>

namespace upsweep::cli {

struct gpu_bench_flags {
  std::string what;                   ///< reduce, scan or both
  std::vector<std::string> op, type;  ///< empty: sum, f32
  std::vector<std::size_t> sizes;
  std::string json, html;  ///< files, or nothing
  bool force = false;
  int threads = 0;     ///< of the processor
  double seconds = 0;  ///< that everything may take about
};

/// The operators and types that have kernels for the GPU in this tool, and those of any tool that
/// has CUDA.
[[nodiscard]] std::vector<std::string> const& gpu_operations();
[[nodiscard]] std::vector<std::string> const& gpu_types();

/// Measures and prints; 1 when a result of the GPU differs from the processor's. Throws
/// unavailable_error without a GPU.
int bench_on_gpu(gpu_bench_flags const& flags);
/// Prints the plans, for the GPU that is there or for a default one; runs nothing.
int explain_gpu_plans(gpu_bench_flags const& flags);

/// Prints the plans of the processor for these rows, on up to `threads` threads.
int explain_cpu_plans(std::vector<bench::row> const& rows, int threads, std::string const& json,
                      bool force);

}  // namespace upsweep::cli
