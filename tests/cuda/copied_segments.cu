/// Kernels of the suite of segments.
#include "copied_verbs.cuh"

#include <cstddef>
#include <cstdint>

namespace upsweep::test {
using maps = upsweep::affine_map<float>;
template struct gpu_segments<plus, float, float, std::size_t>;
template struct gpu_segments<plus, double, double, std::size_t>;
template struct gpu_segments<plus, std::int16_t, std::int64_t, std::size_t>;
template struct gpu_segments<max, std::int16_t, std::int16_t, std::size_t>;
template struct gpu_segments<max, float, float, std::size_t>;
template struct gpu_segments<min, double, double, std::size_t>;
template struct gpu_segments<upsweep::affine, maps, maps, std::size_t>;
template struct gpu_segments<monoid<sum_of_two, float>, float, float, std::size_t>;
template struct gpu_segments<plus, int, int, std::size_t>;
template struct gpu_segments<plus, int, int, std::uint16_t>;
template struct gpu_segments<product_of_two, int, int, int>;
}  // namespace upsweep::test
