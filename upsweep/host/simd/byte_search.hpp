/// Where three bytes are in a text: the kernels of readers of delimited text.
#pragma once

#include <upsweep/core/export.h>

#include <cstddef>
#include <cstdint>

namespace upsweep::host::simd {

/// to[0], to[1], ... = the positions of those of text[0 .. n) that are one of the three bytes, in
/// order; returns how many they are. n < 2^32. `to` has room for n positions and
/// positions_slack more, which may be overwritten.
[[nodiscard]] UPSWEEP_API std::size_t find_bytes(char const* text, std::size_t n, char a, char b,
                                                 char c, std::uint32_t* to);

inline constexpr std::size_t positions_slack = 8;

/// For each 64 bytes of the text, three words: bit i of to[3 w + k] tells whether text[64 w + i] is
/// byte k of the three.
UPSWEEP_API void mask_bytes(char const* text, std::size_t words, char a, char b, char c,
                            std::uint64_t* to);

}  // namespace upsweep::host::simd
