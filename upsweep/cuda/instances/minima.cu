/// Compiled minima.
#include <upsweep/cuda/instances.cuh>

namespace upsweep::device {
UPSWEEP_CUDA_MINIMA(UPSWEEP_CUDA_COMPILE)
}  // namespace upsweep::device
