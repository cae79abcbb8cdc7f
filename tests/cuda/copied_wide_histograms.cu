/// Kernels of the suite of histograms: other counts, and indices.
#include "copied_verbs.cuh"

#include <cstddef>
#include <cstdint>
#include <vector>

namespace upsweep::test {
using levels = std::vector<double>;
UPSWEEP_ALL_BINNED(std::size_t)

template struct gpu_histogram<float, long, detail::even_levels>;
template struct gpu_histogram<float, long, levels>;
template struct gpu_histogram<float, int, detail::even_levels>;
template struct gpu_histogram<float, int, levels>;
template struct gpu_histogram<float, std::uint8_t, detail::even_levels>;
template struct gpu_histogram<float, std::uint8_t, levels>;
template struct gpu_histogram<double, int, detail::even_levels>;
template struct gpu_histogram<double, int, levels>;

template struct gpu_index_counts<std::uint8_t, std::size_t>;
template struct gpu_index_counts<std::int8_t, std::size_t>;
template struct gpu_index_counts<std::uint16_t, std::size_t>;
template struct gpu_index_counts<std::uint32_t, std::uint32_t>;
template struct gpu_index_counts<int, std::size_t>;
template struct gpu_index_counts<std::uint64_t, std::size_t>;
}  // namespace upsweep::test
