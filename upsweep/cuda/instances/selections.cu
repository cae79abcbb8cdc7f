/// Compiled selections.
#include <upsweep/cuda/selection_instances.cuh>

namespace upsweep::device {
UPSWEEP_CUDA_SELECTIONS()
}  // namespace upsweep::device
