/// Kernels of the suite of histograms: counts of 32 bits.
#include "copied_verbs.cuh"

namespace upsweep::test {
using levels = std::vector<double>;
#define UPSWEEP_BINNED(T)                                               \
  template struct gpu_histogram<T, std::uint32_t, detail::even_levels>; \
  template struct gpu_histogram<T, std::uint32_t, levels>;
UPSWEEP_BINNED(float)
UPSWEEP_BINNED(double)
UPSWEEP_BINNED(std::int8_t)
UPSWEEP_BINNED(std::uint8_t)
UPSWEEP_BINNED(std::int16_t)
UPSWEEP_BINNED(std::uint32_t)
UPSWEEP_BINNED(std::int32_t)
UPSWEEP_BINNED(std::int64_t)
UPSWEEP_BINNED(std::uint64_t)
}  // namespace upsweep::test
