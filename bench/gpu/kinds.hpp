/// The element types of upsweep_gpu_bench, and the calls of every library on them.
#pragma once

#include <bench/gpu/gpu.hpp>

#include <cstddef>
#include <string>
#include <vector>

namespace upsweep::bench {

/// A competitor's call on a stream.
struct gpu_call {
  std::string name;  ///< of the competitor
  enqueue_function enqueue;
  enqueue_function record = {};  ///< call for recording into a graph; empty: the plain call
  bool can_be_recorded = true;   ///< false if it allocates or waits
};

/// The expected result: that of another library, on data for which every order is exact.
struct expected_result {
  enqueue_function enqueue;  ///< into n elements of temporary storage
  bool scans = false;  ///< take a reduction's result from the last element of a scan, because the
                       ///< library's reduction does not keep the order
};

/// An element type with its operator.
struct element_kind {
  operation op = operation::sum;
  element type = element::f32;
  void (*fill)(void* to, std::size_t n, cudaStream_t) = nullptr;
  /// True if two totals, which may have different types, are the same number. Waits for the device.
  bool (*is_same_total)(void const* ours, void const* theirs) = nullptr;
  expected_result (*expected)(verb, std::size_t n) = nullptr;
  std::vector<gpu_call> (*calls)(verb, std::size_t n, cudaStream_t) = nullptr;  ///< Upsweep first

  [[nodiscard]] work with(verb v) const { return {v, op, type}; }
};

/// One function for each file of kinds/.
void add_floats(std::vector<element_kind>& to);
void add_integers(std::vector<element_kind>& to);
void add_structures(std::vector<element_kind>& to);

/// Adds Thrust for the sums for which it is measured.
void add_thrust(std::vector<gpu_call>& to, work const& w, std::size_t n);
/// Adds the limits: a copy of as many bytes for scans, read loops for reductions.
void add_limits(std::vector<gpu_call>& to, work const& w, std::size_t n);

/// Reads `bytes` at `memory`, which evicts everything else from the L2 and writes back its dirty
/// lines.
void read_all(cudaStream_t stream, void const* memory, std::size_t bytes);
/// The number of units of up to 16 bytes that differ between `x` and `y`. Waits for the device.
[[nodiscard]] std::size_t count_differences(void const* x, void const* y, std::size_t bytes);

/// The name of the compiled CUB in series and in text: "cub" and "CUB 3.0.1".
[[nodiscard]] char const* cub_name();
[[nodiscard]] std::string cub_title();

}  // namespace upsweep::bench
