/// The precompiled sorts of float.
#include <upsweep/cuda/sort/instances.cuh>

namespace upsweep::device {

UPSWEEP_CUDA_SORTS(, float)

}  // namespace upsweep::device
