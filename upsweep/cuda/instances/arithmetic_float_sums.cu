/// Compiled sums of floating-point numbers.
#include <upsweep/cuda/instances.cuh>

namespace upsweep::device {
UPSWEEP_CUDA_ARITHMETIC_FLOAT_SUMS(UPSWEEP_CUDA_COMPILE)
}  // namespace upsweep::device
