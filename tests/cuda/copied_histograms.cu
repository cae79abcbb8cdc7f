/// Kernels of the suite of histograms: counts of 32 bits.
#include "copied_verbs.cuh"

#include <cstdint>

namespace upsweep::test {
UPSWEEP_ALL_BINNED(std::uint32_t)
}  // namespace upsweep::test
