/// The precompiled sorts of uint64_t.
#include <upsweep/cuda/sort/instances.cuh>

#include <cstdint>

namespace upsweep::device {

UPSWEEP_CUDA_SORTS(, std::uint64_t)

}  // namespace upsweep::device
