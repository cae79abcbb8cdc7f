/// Columns that own their values, and the few types in which operators compute.
#pragma once

#include <cli/engine/saved_state.hpp>
#include <io/dtype.hpp>
#include <upsweep/core/number_types.hpp>

#include <cstddef>
#include <memory>
#include <span>
#include <utility>
#include <vector>

namespace upsweep::cli {

/// The type in which operators on `type` compute: i64, u64, f32 or f64. Narrow integers and 16-bit
/// floats give the same bits there, because the operators widen them anyway. Fewer types keep the
/// tool small.
[[nodiscard]] io::dtype compute_type(io::dtype type) noexcept;

/// A growing column of one type.
class column_buffer {
 public:
  explicit column_buffer(io::dtype type) : type_(type) {}

  [[nodiscard]] io::dtype type() const noexcept { return type_; }
  [[nodiscard]] std::size_t size() const noexcept { return bytes_.size() / size_of(type_); }
  [[nodiscard]] io::typed_column view() const noexcept { return {type_, bytes_}; }
  void clear() noexcept { bytes_.clear(); }
  /// Resizes to `n` elements, which are uninitialized until written through bytes().
  void resize(std::size_t n) { bytes_.resize(n * size_of(type_)); }
  [[nodiscard]] std::byte* bytes() noexcept { return bytes_.data(); }

  /// Appends `n` uninitialized elements and returns them; T must be the C++ type of type(). Valid
  /// until the next call.
  template <class T>
  [[nodiscard]] std::span<T> extend(std::size_t n) {
    std::size_t const before = bytes_.size();
    bytes_.resize(before + n * sizeof(T));
    return {reinterpret_cast<T*>(bytes_.data() + before), n};
  }
  /// Appends values of any type, converted to type() (which must hold them).
  void append(io::typed_column values);
  /// Appends the values at these positions; they are of the same type.
  void append(io::typed_column values, std::span<std::size_t const> positions);
  /// Appends values[first], values[first + stride], ... `n` of them.
  void append_strided(io::typed_column values, std::size_t first, std::ptrdiff_t stride,
                      std::size_t n);
  template <class T>
  void push(T value) {
    append(io::as_column(dynamic::dtype_of<T>, std::span<T const>(&value, 1)));
  }

  /// What load() needs to have the same values.
  void save(saved_state& to) const {
    put(to, size());
    put_all(to, view().bytes);
  }
  void load(saved_reader& from) {
    resize(from.take_count(size_of(type_)));
    from.take(std::span(bytes_));
  }

 private:
  /// Allocator for which resize() does not initialize: every byte is written before it is read.
  struct uninitialized : std::allocator<std::byte> {
    template <class U>
    struct rebind {
      using other = uninitialized;
    };
    template <class U>
    void construct(U*) noexcept {}
    template <class U, class V>
    void construct(U* at, V&& value) {
      std::construct_at(at, std::forward<V>(value));
    }
  };

  io::dtype type_;
  std::vector<std::byte, uninitialized> bytes_;
};

using io::text_buffer;

/// Appends values to a column of integers or of floats. Of a stream, integers may have become f64:
/// the column then becomes f64, too.
void append_widening(column_buffer& column, io::typed_column values);

/// Values [first, first + n) of a column.
[[nodiscard]] inline io::typed_column slice(io::typed_column values, std::size_t first,
                                            std::size_t n) noexcept {
  std::size_t const size = size_of(values.type);
  return {values.type, values.bytes.subspan(first * size, n * size)};
}

/// One value of a column as text, and as its bytes.
[[nodiscard]] inline std::byte const* element(io::typed_column values, std::size_t row) noexcept {
  return values.bytes.data() + row * size_of(values.type);
}

}  // namespace upsweep::cli
