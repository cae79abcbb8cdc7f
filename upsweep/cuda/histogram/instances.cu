/// Compiled histograms.
#include <upsweep/cuda/histogram/instances.cuh>

#include <cstdint>

namespace upsweep::device {
UPSWEEP_CUDA_HISTOGRAMS(, std::uint32_t)
UPSWEEP_CUDA_HISTOGRAMS(, std::uint64_t)
}  // namespace upsweep::device
