/// What upsweep_gpu_bench compares: kinds of elements, and the calls of every library on them.
#pragma once

#include <bench/gpu/gpu.hpp>

#include <cstddef>
#include <string>
#include <vector>

namespace upsweep::bench {

/// What a competitor puts into a stream.
struct gpu_call {
  std::string name;  ///< of the competitor
  enqueue_function enqueue;
  enqueue_function record = {};  ///< how to call it while a graph is recorded; empty: as always
  bool can_be_recorded = true;   ///< false where it allocates or waits
};

/// The result that ours must have: of another library, on data whose results are exact in every
/// order.
struct expected_result {
  enqueue_function enqueue;  ///< into n elements of scratch memory
  bool scans = false;  ///< a reduction that is the last element of a scan, because the library's
                       ///< reduction keeps no order
};

/// A type of elements with the operator that combines them.
struct element_kind {
  operation op = operation::sum;
  element type = element::f32;
  bool scans = true;  ///< false: it is only reduced
  void (*fill)(void* to, std::size_t n, cudaStream_t) = nullptr;
  /// Whether two totals of reductions, which may have different types, are the same number. Waits.
  bool (*is_same_total)(void const* ours, void const* theirs) = nullptr;
  expected_result (*expected)(verb, std::size_t n) = nullptr;
  std::vector<gpu_call> (*calls)(verb, std::size_t n, cudaStream_t) = nullptr;  ///< Upsweep first

  [[nodiscard]] work with(verb v) const { return {v, op, type}; }
};

/// One function for each file of kinds/.
void add_floats(std::vector<element_kind>& to);
void add_integers(std::vector<element_kind>& to);
void add_narrow(std::vector<element_kind>& to);
void add_structures(std::vector<element_kind>& to);

/// Thrust, for the sums that it is measured with; nothing for the others.
void add_thrust(std::vector<gpu_call>& to, work const& w, std::size_t n);
/// The limits: a copy of as many bytes for scans, loops that only read for reductions.
void add_limits(std::vector<gpu_call>& to, work const& w, std::size_t n);

/// Reads `bytes` at `memory`, so that nothing else is left in the L2, and nothing there waits to be
/// written.
void read_all(cudaStream_t stream, void const* memory, std::size_t bytes);
/// How many of the bytes at `x` and `y`, counted in units of at most 16, differ. Waits.
[[nodiscard]] std::size_t count_differences(void const* x, void const* y, std::size_t bytes);

/// The name of the CUB that is compiled in, in series and in words: "cub" and "CUB 3.0.1".
[[nodiscard]] char const* cub_name();
[[nodiscard]] std::string cub_title();

}  // namespace upsweep::bench
