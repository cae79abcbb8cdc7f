/// The names of types of elements, for kernels that take them at run time, and elements of them.
#pragma once

#include <support/random.hpp>

#include <upsweep/core/number_types.hpp>
#include <upsweep/host/simd/anchored_recurrence.hpp>

#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <type_traits>
#include <vector>

namespace upsweep::test {

#ifdef UPSWEEP_HAS_FLOAT16
using half_float = float16;
#else
using half_float = bfloat16;
#endif

/// That of a real type.
template <class E>
inline constexpr host::simd::lane_type lane_type_of = [] {
  using enum host::simd::lane_type;
  return std::is_same_v<E, bfloat16>     ? bf16
         : std::is_same_v<E, half_float> ? f16
         : std::is_same_v<E, float>      ? f32
                                         : f64;
}();

/// Elements in memory whose real parts, and imaginary parts, are between -1 and 1.
inline std::vector<std::byte> lane_elements(host::simd::lane_type type, std::size_t n,
                                            random_bits& next) {
  using enum host::simd::lane_type;
  std::size_t const size = type == c64 ? 4 : type == c128 ? 8 : bytes_of(type);
  std::vector<std::byte> x(n * bytes_of(type));
  for (std::size_t i = 0; i < x.size(); i += size) {
    double const wide = 2 * static_cast<double>(next() >> 11) * 0x1p-53 - 1;
    auto const narrow = static_cast<float>(wide);
    auto const upper = static_cast<std::uint16_t>(std::bit_cast<std::uint32_t>(narrow) >> 16);
    if (size == 8) std::memcpy(&x[i], &wide, 8);
    if (size == 4) std::memcpy(&x[i], &narrow, 4);
    if (size == 2) std::memcpy(&x[i], &upper, 2);
  }
  return x;
}

}  // namespace upsweep::test
