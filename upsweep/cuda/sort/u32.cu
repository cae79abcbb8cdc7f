/// The precompiled sorts of uint32_t.
#include <upsweep/cuda/sort/instances.cuh>

#include <cstdint>

namespace upsweep::device {

UPSWEEP_CUDA_SORTS(, std::uint32_t)
UPSWEEP_CUDA_SORTS_BY_BINS()

}  // namespace upsweep::device
