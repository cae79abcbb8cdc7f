/// Compiled sums of floating-point numbers.
#include <upsweep/cuda/instances/instance.cuh>

namespace upsweep::device {
UPSWEEP_CUDA_INSTANCE(plus, bfloat16)
UPSWEEP_CUDA_INSTANCE(plus, float)
UPSWEEP_CUDA_INSTANCE(plus, double)
}  // namespace upsweep::device
