/// The header of .npy files, versions 1.0 to 3.0: reading it with care, writing it with room to
/// grow.
#pragma once

#include <io/container.hpp>
#include <io/dtype.hpp>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace upsweep::io {

/// The file begins with the six bytes of an .npy file.
[[nodiscard]] bool is_npy(std::string_view start) noexcept;

struct npy_header {
  dtype type = dtype::f64;
  byte_order order = native_order;
  bool fortran_order = false;
  std::vector<std::size_t> shape;
  std::size_t elements = 1;     ///< the product of `shape`, checked against overflow
  std::size_t data_offset = 0;  ///< where the values begin
};

/// Bytes before and including the header's length field; 0 if the magic or the version is wrong or
/// `start` is shorter than 12 bytes. Throws data_error, which names `file`, for all that is not an
/// .npy file of plain numbers.
[[nodiscard]] std::size_t npy_header_bytes(std::string_view start, std::string const& file);
/// Reads a header whose `npy_header_bytes` are all there. `wanted` is the dtype asked for, which
/// decides what 2-byte voids are.
[[nodiscard]] npy_header parse_npy_header(std::string_view bytes, std::optional<dtype> wanted,
                                          std::string const& file);

/// A header for these dimensions, padded so that the values begin at a multiple of 64. `reserve`
/// makes it at least as long as it would be for the largest number of rows, so that it can be
/// written first and corrected later.
[[nodiscard]] std::string format_npy_header(dtype type, byte_order order,
                                            std::span<std::size_t const> shape, bool reserve);

}  // namespace upsweep::io
