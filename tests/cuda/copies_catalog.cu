/// Kernels of the catalog's operators whose accumulators are numbers.
#include "copies.cuh"

#include <cstdint>

namespace upsweep::test {
template struct copies<multiplies, std::int32_t>;
template struct copies<bit_and, std::int64_t>;
template struct copies<bit_or, std::uint16_t>;
template struct copies<bit_xor, std::uint32_t>;
template struct copies<logical_and, std::int32_t>;
template struct copies<logical_or, std::int32_t>;
template struct copies<logical_xor, std::int32_t>;
template struct copies<min, std::uint64_t>;
template struct copies<max, std::int16_t>;
template struct copies<min_number, float>;
template struct copies<max_number, float>;
template struct copies<gcd, std::int32_t>;
}  // namespace upsweep::test
