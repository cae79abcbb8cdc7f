/// What the GPU benchmark compares: the kinds of work, the types of elements, and who competes.
#pragma once

#include <cuda_runtime_api.h>

#include <cstddef>
#include <functional>
#include <string>
#include <vector>

namespace upsweep::gpu_bench {

enum class work { inclusive_scan, exclusive_scan, reduce };
inline constexpr work works[] = {work::inclusive_scan, work::exclusive_scan, work::reduce};

[[nodiscard]] inline char const* name_of(work w) {
  if (w == work::inclusive_scan) return "inclusive_scan";
  return w == work::exclusive_scan ? "exclusive_scan" : "reduce";
}

/// Puts one call for n elements (the n of whoever made the function) into the stream.
using enqueue_function = std::function<void(cudaStream_t, void const* in, void* out)>;

struct competitor {
  std::string name;
  enqueue_function enqueue;
  enqueue_function record = {};  ///< how to call it while a graph is recorded; empty: as always
  bool can_be_recorded = true;   ///< false where it allocates or waits
};

/// The result that ours must have: of another library, on data whose results are exact in every
/// order.
struct reference {
  enqueue_function enqueue;  ///< into n elements of scratch memory
  bool scans = false;  ///< a reduction that is the last element of a scan, because the library's
                       ///< reduction keeps no order
};

/// A type of elements with the operator that combines them.
struct subject {
  std::string type;
  std::size_t bytes = 0;  ///< of an element
  bool scans = true;      ///< false: it is only reduced
  void (*fill)(void* to, std::size_t n, cudaStream_t) = nullptr;
  /// Whether two totals of reductions, which may have different types, are the same number. Waits.
  bool (*is_same_total)(void const* ours, void const* theirs) = nullptr;
  reference (*reference_for)(work, std::size_t n) = nullptr;
  std::vector<competitor> (*line_up)(work, std::size_t n,
                                     cudaStream_t) = nullptr;  ///< Upsweep first
};

/// One function for each file of subjects/.
void add_floats(std::vector<subject>& to);
void add_integers(std::vector<subject>& to);
void add_narrow(std::vector<subject>& to);
void add_structures(std::vector<subject>& to);

/// Thrust, for the types that it is measured with; nothing for the others.
void add_thrust(std::vector<competitor>& to, std::string const& type, work w, std::size_t n);
/// The limits: a copy of as many bytes for scans, loops that only read for reductions.
void add_limits(std::vector<competitor>& to, work w, std::size_t bytes);

/// Reads `bytes` at `memory`, so that nothing else is left in the L2, and nothing there waits to be
/// written.
void read_all(cudaStream_t stream, void const* memory, std::size_t bytes);
/// How many of the bytes at `x` and `y`, counted in units of at most 16, differ. Waits.
[[nodiscard]] std::size_t count_differences(void const* x, void const* y, std::size_t bytes);

/// The name of the CUB that is compiled in, in rows and in words: "cub" and "CUB 3.0.1".
[[nodiscard]] char const* cub_name();
[[nodiscard]] std::string cub_title();

}  // namespace upsweep::gpu_bench
