/// Compiled maxima.
#include <upsweep/cuda/instances.cuh>

namespace upsweep::device {
UPSWEEP_CUDA_MIN_MAX_MAXIMA(UPSWEEP_CUDA_COMPILE)
}  // namespace upsweep::device
