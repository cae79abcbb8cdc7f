/// The precompiled sorts of int64_t.
#include <upsweep/cuda/sort/instances.cuh>

#include <cstdint>

namespace upsweep::device {

UPSWEEP_CUDA_SORTS(, std::int64_t)

}  // namespace upsweep::device
