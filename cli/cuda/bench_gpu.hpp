/// Measurements and plans of `upsweep bench` on a GPU: reductions and inclusive scans with the
/// library's compiled kernels, and plans of all other verbs. absent.cpp implements it in a tool
/// without CUDA.
#pragma once

#include <bench/harness/call.hpp>
#include <bench/harness/measure.hpp>
#include <bench/rows/verb_rows.hpp>

#include <cstddef>
#include <string>
#include <vector>

namespace upsweep::cli::gpu {

/// True if there are compiled kernels for this work; always false in a tool without CUDA.
[[nodiscard]] bool has_kernels(bench::work const& w);

/// A plan of the library, for printing. CUB decides itself on launches that are 0.
struct launch_row {
  std::string algorithm;
  std::size_t tile = 0, blocks = 0, shared_bytes = 0, workspace_bytes = 0, traffic_bytes = 0;
  unsigned threads = 0, launches = 0;
};
struct plan_row : launch_row {
  bench::configuration what;
};
/// The plans of all launches of a verb.
struct verb_plan {
  bench::verb_row what;
  std::size_t n = 0, workspace_bytes = 0, scratch_bytes = 0;
  std::vector<launch_row> launches{};
};

/// The device for which plans are made: the current one, or the library's default if there is none.
struct planned_device {
  std::string name;  ///< "NVIDIA H200", or "a default device"
  bool is_there = false;
  int capability = 0, multiprocessors = 0;
  std::size_t shared_bytes = 0;
};
[[nodiscard]] planned_device device_for_plans();
[[nodiscard]] std::vector<plan_row> plans(std::vector<bench::configuration> const& all);

/// The rows of `upsweep bench verbs` that a GPU has, and those that only a GPU has.
[[nodiscard]] std::vector<bench::verb_row> verb_rows();
[[nodiscard]] verb_plan plan_of(bench::verb_row const& row, std::size_t n);

/// The calls of plan_of, which only make plans: their arrays have addresses, but no memory.
[[nodiscard]] std::vector<bench::verb_entries> planned_verbs();

/// Free device memory in bytes.
[[nodiscard]] std::size_t free_memory();

/// Generates the elements, compares the GPU's result bit for bit with the CPU's, and times
/// three competitors in turn: "upsweep" on the GPU, "cpu" with `threads` threads (0: all), and
/// "copy", which moves the same number of bytes on the device. Throws unavailable_error if CUDA
/// fails.
[[nodiscard]] bench::cell measure(bench::configuration const& what, int threads,
                                  bench::settings const& s);

}  // namespace upsweep::cli::gpu
