/// The element types that files can hold, their names and sizes, and typed columns of them.
#pragma once

#include <upsweep/names/dtype.hpp>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace upsweep::io {

using dynamic::all_dtypes;
using dynamic::dtype;
using dynamic::is_float;
using dynamic::is_integer;
using dynamic::is_signed;
using dynamic::name_of;
using dynamic::size_of;

/// The dtype of that name: those of name_of() and the usual others ("int32", "uint8", "half",
/// "float", "double", "<f4", "bool"). Nothing if unknown. "float" and "double" are those of C.
/// NumPy's byte-order mark ('<' and the like) is accepted and ignored.
[[nodiscard]] std::optional<dtype> find_dtype(std::string_view name) noexcept;

/// NumPy's name without the byte order, such as "f8"; NumPy has no bf16.
[[nodiscard]] std::string_view numpy_name(dtype type) noexcept;

/// The name and type of a column.
struct column_info {
  std::string name;
  dtype type = dtype::f64;
  bool has_no_values = false;  ///< the whole input has none, so `type` is f64 for want of a better
};

/// Contiguous, aligned values in native byte order. Does not own them.
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

/// Concatenated strings: `ends[i]` is where string i ends and the next begins. Does not own them.
struct text_column {
  std::string_view characters;
  std::span<std::size_t const> ends;

  [[nodiscard]] std::size_t size() const noexcept { return ends.size(); }
  [[nodiscard]] std::string_view operator[](std::size_t row) const noexcept {
    auto const begin = row == 0 ? 0 : ends[row - 1];
    return characters.substr(begin, ends[row] - begin);
  }
};

/// A growing column of strings.
struct text_buffer {
  std::string characters = {};
  std::vector<std::size_t> ends = {};

  /// Ends a string that was appended to `characters`.
  void end() { ends.push_back(characters.size()); }
  void push(std::string_view text) {
    characters += text;
    end();
  }
  /// Appends strings [first, first + n) of a column, or those at these positions.
  void append(text_column from, std::size_t first, std::size_t n);
  void append(text_column from, std::span<std::size_t const> positions);
  /// The strings at these positions.
  [[nodiscard]] text_buffer at(std::span<std::size_t const> positions) const {
    text_buffer all;
    all.append(view(), positions);
    return all;
  }
  void clear() noexcept {
    characters.clear();
    ends.clear();
  }
  [[nodiscard]] std::size_t size() const noexcept { return ends.size(); }
  [[nodiscard]] text_column view() const noexcept { return {characters, ends}; }
};

/// Some consecutive rows: the value columns, and the key columns, which stay text. Each has `rows`
/// entries. Owns nothing: a chunk filled by an `input` is valid until the next call of `next`.
struct chunk {
  std::uint64_t first_row = 0;  ///< index, from 0, among the rows delivered
  std::size_t rows = 0;
  std::vector<typed_column> columns;
  std::vector<text_column> keys;
  std::optional<text_column>
      joined;  ///< after reader::join_keys: the fields that come before those of `keys`, as written
  std::vector<typed_column>
      present;  ///< with input_options::mark_missing: for each of `columns`, whether the rows have
                ///< a value, as booleans; otherwise empty, and all have
  std::span<std::uint64_t const>
      numbers;  ///< row numbers in the file, if rows or values may be missing; otherwise empty

  /// The row number in the file, from 0 and counting skipped rows, of row `i` of the chunk.
  [[nodiscard]] std::uint64_t number(std::size_t i) const noexcept {
    return numbers.empty() ? first_row + i : numbers[i];
  }
};

}  // namespace upsweep::io
