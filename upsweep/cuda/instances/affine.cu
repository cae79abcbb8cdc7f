/// Compiled first-order recurrences.
#include <upsweep/cuda/instances.cuh>

namespace upsweep::device {
UPSWEEP_CUDA_AFFINE(UPSWEEP_CUDA_COMPILE)
}  // namespace upsweep::device
