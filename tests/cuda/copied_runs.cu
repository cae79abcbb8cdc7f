/// Kernels of the suite of keys.
#include "copied_verbs.cuh"

#include <cstdint>

namespace upsweep::test {
using maps = upsweep::affine_map<float>;
template struct gpu_runs<std::int32_t, same, plus, float, float>;
template struct gpu_runs<std::int32_t, same, plus, double, double>;
template struct gpu_runs<std::int32_t, same, plus, std::int16_t, std::int64_t>;
template struct gpu_runs<std::int32_t, same, max, std::int16_t, std::int16_t>;
template struct gpu_runs<std::int32_t, same, upsweep::affine, maps, maps>;
template struct gpu_runs<std::int32_t, same, monoid<sum_of_two, float>, float, float>;
template struct gpu_runs<int, same, plus, int, int>;
template struct gpu_runs<int, same, product_of_two, int, int>;
template struct gpu_runs<double, same_quotient<9>, plus, double, double>;
template struct gpu_runs<float, same, plus, float, float>;
}  // namespace upsweep::test
