/// Positions of bits, on the CPU and in kernels. The functions of <bit> are for the host
/// alone, and with --expt-relaxed-constexpr nvcc gives wrong numbers for some of them.
#pragma once

#include <upsweep/core/compiler.hpp>

#include <bit>
#include <cstddef>
#include <cstdint>

namespace upsweep::detail {

/// floor(log2(n)), n >= 1: the position of the highest bit that is set.
UPSWEEP_SIDES_UNCHECKED
[[nodiscard]] UPSWEEP_BOTH constexpr int floor_log2(std::size_t n) {
#if UPSWEEP_ON_DEVICE
  if (!__builtin_is_constant_evaluated()) return 63 - __clzll(static_cast<long long>(n));
#endif
  return static_cast<int>(std::bit_width(n)) - 1;
}

/// The number of zeros after the last bit that is set; 64 for 0.
UPSWEEP_SIDES_UNCHECKED
[[nodiscard]] UPSWEEP_BOTH constexpr int trailing_zeros(std::uint64_t x) {
#if UPSWEEP_ON_DEVICE
  if (!__builtin_is_constant_evaluated())
    return x == 0 ? 64 : __ffsll(static_cast<long long>(x)) - 1;
#endif
  return std::countr_zero(x);
}

}  // namespace upsweep::detail
