/// What `upsweep bench` measures and plans on a GPU: reductions and inclusive scans with the
/// kernels that the library brings compiled. absent.cpp stands in for it in a tool without CUDA.
#pragma once

#include <bench/harness/measure.hpp>

#include <cstddef>
#include <string>
#include <vector>

namespace upsweep::cli::gpu {

/// Whether there are compiled kernels for this work; never in a tool without CUDA.
[[nodiscard]] bool has_kernels(bench::work const& w);

/// A plan of the library, for printing.
struct plan_row {
  bench::configuration what;
  std::string algorithm;
  std::size_t tile = 0, blocks = 0, shared_bytes = 0, workspace_bytes = 0, traffic_bytes = 0;
  unsigned threads = 0, launches = 0;
};

/// The device for which plans are made: the current one, or the library's default where there is
/// none.
struct planned_device {
  std::string name;  ///< "NVIDIA H200", or "a default device"
  bool is_there = false;
  int capability = 0, multiprocessors = 0;
  std::size_t shared_bytes = 0;
};
[[nodiscard]] planned_device device_for_plans();
[[nodiscard]] std::vector<plan_row> plans(std::vector<bench::configuration> const& all);

/// Device memory that is free.
[[nodiscard]] std::size_t free_memory();

/// Makes the elements, holds the GPU's result to the processor's bits, and has three take turns:
/// "upsweep" on the GPU, "cpu" with `threads` threads (0: as many as there are), and "copy", which
/// moves as many bytes on the device. Throws unavailable_error when CUDA fails.
[[nodiscard]] bench::cell measure(bench::configuration const& what, int threads,
                                  bench::settings const& s);

}  // namespace upsweep::cli::gpu
