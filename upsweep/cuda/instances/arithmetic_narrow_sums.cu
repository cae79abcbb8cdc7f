/// Compiled sums of 8- and 16-bit integers.
#include <upsweep/cuda/instances.cuh>

namespace upsweep::device {
UPSWEEP_CUDA_ARITHMETIC_NARROW_SUMS(UPSWEEP_CUDA_COMPILE)
}  // namespace upsweep::device
