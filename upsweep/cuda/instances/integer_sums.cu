/// Compiled sums of 32- and 64-bit integers.
#include <upsweep/cuda/instances/instance.cuh>

namespace upsweep::device {
UPSWEEP_CUDA_INSTANCE(plus, std::int32_t)
UPSWEEP_CUDA_INSTANCE(plus, std::uint32_t)
UPSWEEP_CUDA_INSTANCE(plus, std::int64_t)
UPSWEEP_CUDA_INSTANCE(plus, std::uint64_t)
}  // namespace upsweep::device
