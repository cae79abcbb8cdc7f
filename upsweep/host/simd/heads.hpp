/// Where the runs of equal neighbors begin, as bits: numbers compared by vector instructions.
#pragma once

#include <upsweep/core/export.h>

#include <cstddef>
#include <cstdint>

namespace upsweep::host::simd {

/// Bit i % 8 of bits[i / 8] becomes whether x[i] != x[i - 1], for i in [0, n); bits at n and beyond
/// become 0. Unless `follows`, x[0] begins a run, and x[-1] is not read. `bits` has room for
/// (n + 7) / 8 bytes and heads_slack more, which may be overwritten. Floating-point numbers are
/// compared by their values: -0 equals +0, and a NaN begins a run.
UPSWEEP_API void find_heads(std::uint8_t const* x, std::size_t n, bool follows, std::uint8_t* bits);
UPSWEEP_API void find_heads(std::uint16_t const* x, std::size_t n, bool follows,
                            std::uint8_t* bits);
UPSWEEP_API void find_heads(std::uint32_t const* x, std::size_t n, bool follows,
                            std::uint8_t* bits);
UPSWEEP_API void find_heads(std::uint64_t const* x, std::size_t n, bool follows,
                            std::uint8_t* bits);
UPSWEEP_API void find_heads(float const* x, std::size_t n, bool follows, std::uint8_t* bits);
UPSWEEP_API void find_heads(double const* x, std::size_t n, bool follows, std::uint8_t* bits);

inline constexpr std::size_t heads_slack = 8;

}  // namespace upsweep::host::simd
