/// The precompiled sorts of int32_t.
#include <upsweep/cuda/sort/instances.cuh>

#include <cstdint>

namespace upsweep::device {

UPSWEEP_CUDA_SORTS(, std::int32_t)

}  // namespace upsweep::device
