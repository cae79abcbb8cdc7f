/// Compiled products.
#include <upsweep/cuda/instances/instance.cuh>

namespace upsweep::device {
UPSWEEP_CUDA_INSTANCE(multiplies, std::int32_t)
UPSWEEP_CUDA_INSTANCE(multiplies, std::int64_t)
UPSWEEP_CUDA_INSTANCE(multiplies, float)
UPSWEEP_CUDA_INSTANCE(multiplies, double)
}  // namespace upsweep::device
