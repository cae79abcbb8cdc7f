/// Kernels of the suite of windows.
#include "copied_verbs.cuh"

#include <cstdint>

namespace upsweep::test {
using maps = upsweep::affine_map<float>;
template struct gpu_windows<plus, float, float>;
template struct gpu_windows<plus, double, double>;
template struct gpu_windows<plus, std::int16_t, std::int64_t>;
template struct gpu_windows<max, std::int16_t, std::int16_t>;
template struct gpu_windows<upsweep::affine, maps, maps>;
template struct gpu_windows<monoid<sum_of_two, float>, float, float>;
template struct gpu_windows<plus, int, int>;
template struct gpu_windows<plus, int, long>;
template struct gpu_windows<plus, bool, int>;
template struct gpu_windows<max, std::int32_t, std::int32_t>;
template struct gpu_windows<min, std::int64_t, std::int64_t>;
template struct gpu_windows<plus, std::int64_t, std::int64_t>;

#define UPSWEEP_EXTREMA(T)                       \
  template struct gpu_windows<min, T, T>;        \
  template struct gpu_windows<max, T, T>;        \
  template struct gpu_windows<min_number, T, T>; \
  template struct gpu_windows<max_number, T, T>;
UPSWEEP_EXTREMA(float)
UPSWEEP_EXTREMA(double)
}  // namespace upsweep::test
