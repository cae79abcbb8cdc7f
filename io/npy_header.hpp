/// The header of .npy files, versions 1.0 to 3.0: validated when read, padded when written so that
/// the number of rows can be filled in later.
#pragma once

#include <io/container.hpp>
#include <io/dtype.hpp>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace upsweep::io {

struct input_options;
class reader;

/// True if `start` begins with the six magic bytes of a .npy file.
[[nodiscard]] bool is_npy(std::string_view start) noexcept;

/// A field of a record, as its NumPy type says: "<f8", "|S10".
struct npy_field {
  std::string name;
  std::string descr;       ///< of records and arrays in a record: what they are
  bool is_plain = true;    ///< false for those
  std::size_t offset = 0;  ///< from the beginning of the record
  std::size_t bytes = 0;
};

struct npy_header {
  dtype type = dtype::f64;
  byte_order order = native_order;
  bool fortran_order = false;
  std::vector<std::size_t> shape;
  std::size_t elements = 1;            ///< the product of `shape`, checked against overflow
  std::vector<npy_field> fields = {};  ///< of records; otherwise empty
  std::size_t element_bytes = 8;
};

/// The length in bytes of the whole header, from the beginning of the file to the first value.
/// Throws data_error, which names `file`, if the magic, the version or the length is invalid, or if
/// `start` ends inside the length field.
[[nodiscard]] std::size_t npy_header_bytes(std::string_view start, std::string const& file);
/// Parses a complete header of `npy_header_bytes`. `wanted` is the requested dtype; bf16 makes
/// 2-byte voids readable. Throws data_error for anything but plain numbers and records.
[[nodiscard]] npy_header parse_npy_header(std::string_view bytes, std::optional<dtype> wanted,
                                          std::string const& file);

/// How many elements apart those are whose index in one dimension differs by 1.
[[nodiscard]] std::vector<std::size_t> strides_of(std::span<std::size_t const> shape,
                                                  bool fortran_order);
/// Throws data_error if the values of a file, which follow, are not `needed` bytes.
void check_npy_size(byte_source const& source, std::uint64_t needed);
/// Reads the records after the header, of fields that are numbers of every dtype, in any byte
/// order, or strings ("S", "U"), without the zeros that fill them up.
[[nodiscard]] std::unique_ptr<reader> make_record_reader(std::unique_ptr<byte_source> source,
                                                         npy_header header,
                                                         input_options const& options,
                                                         std::span<dtype const> types);

/// The byte order that a NumPy type names.
[[nodiscard]] byte_order order_of(std::string_view descr) noexcept;
/// Why elements of this NumPy type are no numbers, for an error message.
[[nodiscard]] std::string_view reason_against(std::string_view descr) noexcept;

/// A header for these dimensions, padded so that the values begin at a multiple of 64. With
/// `reserve` it has room for the largest number of rows, so that it can be written first and
/// patched later.
[[nodiscard]] std::string format_npy_header(dtype type, byte_order order,
                                            std::span<std::size_t const> shape, bool reserve);

}  // namespace upsweep::io
