/// Converts arrays from one element type to another, by the rules that apply to text.
#pragma once

#include <io/dtype.hpp>

#include <cstddef>
#include <span>
#include <string_view>

namespace upsweep::io {

/// Converts `count` values (any alignment) and returns the index of the first that does not fit, or
/// `count`. An integer must be in range. A float becomes an integer only if its value is one. A
/// finite value must not become infinite. Only 0 and 1 become booleans.
[[nodiscard]] std::size_t convert(dtype from, void const* in, dtype to, void* out,
                                  std::size_t count) noexcept;

/// Reverses the bytes of each of `count` elements of `size` bytes.
void swap_bytes(void* values, std::size_t size, std::size_t count) noexcept;

/// The index of the first byte that is neither 0 nor 1, or the size.
[[nodiscard]] std::size_t find_bad_boolean(std::span<std::byte const> bytes) noexcept;

}  // namespace upsweep::io
