/// Compiled first-order recurrences.
#include <upsweep/cuda/instances/instance.cuh>

namespace upsweep::device {
UPSWEEP_CUDA_INSTANCE(affine, affine_map<float>)
UPSWEEP_CUDA_INSTANCE(affine, affine_map<double>)
}  // namespace upsweep::device
