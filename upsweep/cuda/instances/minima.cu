/// Compiled minima.
#include <upsweep/cuda/instances/instance.cuh>

namespace upsweep::device {
UPSWEEP_CUDA_INSTANCE(min, std::int32_t)
UPSWEEP_CUDA_INSTANCE(min, std::int64_t)
UPSWEEP_CUDA_INSTANCE(min, float)
UPSWEEP_CUDA_INSTANCE(min, double)
}  // namespace upsweep::device
