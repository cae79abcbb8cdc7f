/// Kernels of sums of narrow numbers, kept in their accumulators' type or in another than their
/// own.
#include "copies.cuh"

#include <cstdint>

namespace upsweep::test {
template struct copies<plus, std::int8_t>;
template struct copies<plus, std::uint8_t>;
template struct copies<plus, std::int16_t>;
template struct copies<plus, std::uint16_t>;
template struct copies<plus, std::int32_t>;
template struct copies<plus, std::uint32_t>;
template struct copies<plus, bfloat16>;
template struct copies<plus, std::int32_t, double>;
template struct copies<plus, std::int32_t, std::uint8_t>;
}  // namespace upsweep::test
