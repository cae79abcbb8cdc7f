/// Copies the elements with one mark, without branches: the kernel of select and its relatives.
#pragma once

#include <upsweep/core/export.h>

#include <cstddef>
#include <cstdint>

namespace upsweep::host::simd {

/// Whether compress() has a kernel for elements of this size.
constexpr bool compresses(std::size_t bytes) {
  return bytes == 1 || bytes == 2 || bytes == 4 || bytes == 8 || bytes == 16;
}

/// to[0], to[1], ... = the elements of x[0 .. n) whose mark is `wanted`, in order; returns how many
/// they are. compresses(bytes) holds. `to` has room for n elements and
/// compress_slack bytes more, which may be overwritten.
[[nodiscard]] UPSWEEP_API std::size_t compress(void const* x, std::size_t bytes,
                                               std::uint8_t const* marks, std::uint8_t wanted,
                                               std::size_t n, void* to);

inline constexpr std::size_t compress_slack = 64;

/// How many of n marks are `wanted`.
[[nodiscard]] UPSWEEP_API std::size_t count_marks(std::uint8_t const* marks, std::uint8_t wanted,
                                                  std::size_t n);

/// Bit i % 8 of bits[i / 8] says whether element i of n is taken; bits at n and beyond are 0.
/// compress_bits copies those of 1, 2, 4 or 8 bytes as compress() does, with the same slack;
/// positions_of_bits stores first + i for each, with room for n positions and the slack. Both
/// return how many they are.
[[nodiscard]] UPSWEEP_API std::size_t compress_bits(void const* x, std::size_t bytes,
                                                    std::uint8_t const* bits, std::size_t n,
                                                    void* to);
[[nodiscard]] UPSWEEP_API std::size_t positions_of_bits(std::uint8_t const* bits, std::size_t n,
                                                        std::uint32_t first, std::uint32_t* to);

}  // namespace upsweep::host::simd
