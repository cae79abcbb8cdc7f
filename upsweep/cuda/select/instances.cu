/// Compiled selections.
#include <upsweep/cuda/select/instances.cuh>

namespace upsweep::device {
UPSWEEP_CUDA_SELECTIONS()
}  // namespace upsweep::device
