/// The precompiled sorts of int32_t.
#include <upsweep/cuda/sort/instances.cuh>

namespace upsweep::device {

UPSWEEP_CUDA_SORTS(, std::int32_t)

}  // namespace upsweep::device
