/// Kernels of the catalog's operators whose accumulators are another number and its position.
#include "copies.cuh"

#include <cstdint>

namespace upsweep::test {
template struct copies<argmax, double>;
template struct copies<argmin_last, std::int32_t>;
}  // namespace upsweep::test
