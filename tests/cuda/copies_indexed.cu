/// Kernels of the catalog's operators whose accumulators are a float and its position.
#include "copies.cuh"

namespace upsweep::test {
template struct copies<argmin, float>;
template struct copies<argmax_last, float>;
}  // namespace upsweep::test
