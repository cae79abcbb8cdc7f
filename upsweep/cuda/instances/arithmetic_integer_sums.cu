/// Compiled sums of 32- and 64-bit integers.
#include <upsweep/cuda/instances.cuh>

namespace upsweep::device {
UPSWEEP_CUDA_ARITHMETIC_INTEGER_SUMS(UPSWEEP_CUDA_COMPILE)
}  // namespace upsweep::device
