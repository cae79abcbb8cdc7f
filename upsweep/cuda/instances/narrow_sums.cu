/// Compiled sums of 8- and 16-bit integers.
#include <upsweep/cuda/instances/instance.cuh>

namespace upsweep::device {
UPSWEEP_CUDA_INSTANCE(plus, std::int8_t)
UPSWEEP_CUDA_INSTANCE(plus, std::uint8_t)
UPSWEEP_CUDA_INSTANCE(plus, std::int16_t)
UPSWEEP_CUDA_INSTANCE(plus, std::uint16_t)
}  // namespace upsweep::device
