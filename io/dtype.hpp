/// The element types that files can hold, their names and sizes, and typed columns of them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace upsweep::io {

/// A boolean is one byte, 0 or 1. `f16` is IEEE binary16, `bf16` the upper half of a binary32.
enum class dtype : std::uint8_t {
  i8,
  u8,
  i16,
  u16,
  i32,
  u32,
  i64,
  u64,
  f16,
  bf16,
  f32,
  f64,
  boolean
};

inline constexpr dtype all_dtypes[] = {
    dtype::i8,  dtype::u8,  dtype::i16,  dtype::u16, dtype::i32, dtype::u32,    dtype::i64,
    dtype::u64, dtype::f16, dtype::bf16, dtype::f32, dtype::f64, dtype::boolean};

/// Bytes of one element.
[[nodiscard]] std::size_t size_of(dtype type) noexcept;
/// The name that the tool prints: "i32", "bf16", "bool".
[[nodiscard]] std::string_view name_of(dtype type) noexcept;
/// Reads the printed names and the usual others ("int32", "uint8", "half", "float", "double",
/// "<f4", "bool"); nothing if unknown. "float" and "double" are those of C. A byte-order mark of
/// NumPy ('<' and the like) is accepted and says nothing here.
[[nodiscard]] std::optional<dtype> find_dtype(std::string_view name) noexcept;

[[nodiscard]] constexpr bool is_integer(dtype type) noexcept {
  return type <= dtype::u64;
}
[[nodiscard]] constexpr bool is_float(dtype type) noexcept {
  return type >= dtype::f16 && type <= dtype::f64;
}
[[nodiscard]] constexpr bool is_signed(dtype type) noexcept {
  return is_float(type) || (is_integer(type) && static_cast<int>(type) % 2 == 0);
}

/// What a column is called and what it holds.
struct column_info {
  std::string name;
  dtype type = dtype::f64;
};

/// Contiguous, aligned values in the machine's byte order. Does not own them.
struct typed_column {
  dtype type = dtype::f64;
  std::span<std::byte const> bytes;

  [[nodiscard]] std::size_t size() const noexcept { return bytes.size() / size_of(type); }
  /// The values as `T`, which must be the C++ type of `type`.
  template <class T>
  [[nodiscard]] std::span<T const> as() const noexcept {
    return {reinterpret_cast<T const*>(bytes.data()), bytes.size() / sizeof(T)};
  }
};

template <class T>
[[nodiscard]] typed_column as_column(dtype type, std::span<T const> values) noexcept {
  return {type, std::as_bytes(values)};
}

/// Strings laid end to end: `ends[i]` is where string i ends and the next begins. Does not own
/// them.
struct text_column {
  std::string_view characters;
  std::span<std::size_t const> ends;

  [[nodiscard]] std::size_t size() const noexcept { return ends.size(); }
  [[nodiscard]] std::string_view operator[](std::size_t row) const noexcept {
    auto const begin = row == 0 ? 0 : ends[row - 1];
    return characters.substr(begin, ends[row] - begin);
  }
};

/// Some consecutive rows: the value columns, and the key columns (kept as text), each as long as
/// `rows`.
/// What it points to belongs to who filled it: an `input`'s chunk is good until its next call of
/// `next`.
struct chunk {
  std::uint64_t first_row = 0;  ///< counted from 0 over the rows delivered
  std::size_t rows = 0;
  std::vector<typed_column> columns;
  std::vector<text_column> keys;
  std::span<std::uint64_t const>
      numbers;  ///< of the rows in the file, if rows may be left out between them; else empty

  /// The number in the file of row `i` of the chunk, counted from 0 and with the rows that were
  /// left out.
  [[nodiscard]] std::uint64_t number(std::size_t i) const noexcept {
    return numbers.empty() ? first_row + i : numbers[i];
  }
};

}  // namespace upsweep::io
