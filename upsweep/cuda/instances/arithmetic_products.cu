/// Compiled products.
#include <upsweep/cuda/instances.cuh>

namespace upsweep::device {
UPSWEEP_CUDA_ARITHMETIC_PRODUCTS(UPSWEEP_CUDA_COMPILE)
}  // namespace upsweep::device
