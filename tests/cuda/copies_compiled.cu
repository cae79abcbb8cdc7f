/// The library's own kernels, as the suites reach them.
#include "copies.cuh"

#include <cstdint>

namespace upsweep::test {
template struct copies<plus, std::int32_t, std::int32_t>;
template struct copies<plus, std::int64_t>;
template struct copies<plus, std::uint64_t>;
template struct copies<plus, float>;
template struct copies<plus, double>;
template struct copies<multiplies, float>;
template struct copies<multiplies, double>;
template struct copies<min, float>;
template struct copies<min, double>;
template struct copies<max, float>;
template struct copies<max, double>;
template struct copies<upsweep::affine, upsweep::affine_map<float>>;
template struct copies<upsweep::affine, upsweep::affine_map<double>>;
}  // namespace upsweep::test
