/// Compiled verbs over segments.
#include <upsweep/cuda/segments/instances.cuh>

#include <cstdint>

namespace upsweep::device {
UPSWEEP_CUDA_SEGMENTS(, std::uint32_t)
UPSWEEP_CUDA_SEGMENTS(, std::uint64_t)
}  // namespace upsweep::device
