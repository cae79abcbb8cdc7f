/// The precompiled sorts of double.
#include <upsweep/cuda/sort/instances.cuh>

namespace upsweep::device {

UPSWEEP_CUDA_SORTS(, double)

}  // namespace upsweep::device
