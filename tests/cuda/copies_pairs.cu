/// Kernels of the catalog's operators whose accumulators are several numbers.
#include "copies.cuh"

#include <cstdint>

namespace upsweep::test {
template struct copies<minmax, double>;
template struct copies<moments, double>;
template struct copies<upsweep::affine, upsweep::affine_map<std::int64_t>>;
template struct copies<matrix2x2_product, matrix2x2<double>>;
template struct copies<matrix2x2_product, matrix2x2<std::int64_t>>;
}  // namespace upsweep::test
