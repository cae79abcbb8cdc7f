/// Integers of many limbs of 32 bits, and their rounding to floats.
#pragma once

#include <upsweep/core/number_types.hpp>

#include <cstddef>
#include <cstdint>
#include <span>

namespace upsweep::c_api::limbs {

/// The limb i counts 2^(32 i) units. Between operations limbs may have any 64-bit value.
using number = std::span<std::int64_t>;

/// All limbs but the last become 0 to 2^32 - 1.
void carry(number x);
/// x becomes its magnitude, with all limbs in 0 to 2^32 - 1; returns whether it was negative.
bool make_magnitude(number x);
/// x += +-magnitude * 2^position units, in this many limbs from position / 32 on.
inline constexpr std::size_t touched = 5;
void add(number x, uint128 magnitude, int position, bool negative);
/// x += value * 2^position units.
inline void add(number x, int128 value, int position) {
  auto const bits = static_cast<uint128>(value);
  add(x, value < 0 ? 0 - bits : bits, position, value < 0);
}
/// z = x y, of magnitudes; z has as many limbs as both together.
void multiply(std::span<std::int64_t const> x, std::span<std::int64_t const> y, number z);
/// x = x / n, rounded down, of a magnitude.
void divide(number x, std::uint64_t n);
/// +-x 2^unit, of a magnitude, as the nearest number of 53 or 24 digits, ties to even.
[[nodiscard]] double rounded(std::span<std::int64_t const> x, bool negative, int unit, int digits);

}  // namespace upsweep::c_api::limbs
