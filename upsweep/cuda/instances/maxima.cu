/// Compiled maxima.
#include <upsweep/cuda/instances/instance.cuh>

namespace upsweep::device {
UPSWEEP_CUDA_INSTANCE(max, std::int32_t)
UPSWEEP_CUDA_INSTANCE(max, std::int64_t)
UPSWEEP_CUDA_INSTANCE(max, float)
UPSWEEP_CUDA_INSTANCE(max, double)
}  // namespace upsweep::device
