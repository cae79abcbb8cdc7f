/// Arrays of NumPy in one piece, read as NumPy's own macros read them: without a call.
#pragma once

#include <python/binding/arrays.hpp>

#include <numeric>
#include <optional>

namespace upsweep::python {

/// An array in C order whose elements are aligned, in native byte order and of one of the library's
/// types.
struct numpy_array {
  std::byte* data;
  dynamic::dtype type;
  std::size_t ndim;
  Py_ssize_t const* shape;
  bool writeable;

  [[nodiscard]] std::size_t size() const {
    return static_cast<std::size_t>(
        std::accumulate(shape, shape + ndim, Py_ssize_t{1}, std::multiplies<>{}));
  }
  [[nodiscard]] std::size_t bytes() const { return size() * size_of(type); }
};

namespace detail {

/// The first members of PyArray_Descr and PyArrayObject. NumPy's macros compile accesses to them
/// into extensions, so that all versions of its binary interface have them here:
/// https://numpy.org/doc/stable/reference/c-api/types-and-structures.html
struct numpy_descr {
  PyObject head;
  PyObject* scalar;
  char kind, letter, byteorder, unused;
  int number;
};
struct numpy_object {
  PyObject head;
  std::byte* data;
  int ndim;
  Py_ssize_t* shape;
  Py_ssize_t* strides;
  PyObject* base;
  numpy_descr* descr;
  int flags;
};

/// The library's type of NumPy's type number, where it has one.
inline std::optional<dynamic::dtype> type_numbered(int number) {
  using enum dynamic::dtype;
  static_assert(sizeof(long) == 8);
  constexpr dynamic::dtype integers[] = {boolean, i8,  u8,  i16, u16, i32, u32,
                                         i64,     u64, i64, u64, f32, f64};
  if (number >= 0 && number < static_cast<int>(std::size(integers))) return integers[number];
  return number == 23 ? std::optional(f16) : std::nullopt;
}

}  // namespace detail

/// The array that an object is, or nothing if it is none of exactly that type, or has to be
/// prepared first.
inline std::optional<numpy_array> numpy_array_of(nb::handle x, nb::handle ndarray) {
  constexpr int in_one_piece = 0x1 | 0x100;  // NPY_ARRAY_C_CONTIGUOUS, NPY_ARRAY_ALIGNED
  constexpr int writeable = 0x400;           // NPY_ARRAY_WRITEABLE
  if (!x.type().is(ndarray)) return {};
  auto const& object = *reinterpret_cast<detail::numpy_object const*>(x.ptr());
  auto const type = detail::type_numbered(object.descr->number);
  if (!type || (object.flags & in_one_piece) != in_one_piece || object.descr->byteorder == '>')
    return {};
  return numpy_array{object.data, *type, static_cast<std::size_t>(object.ndim), object.shape,
                     (object.flags & writeable) != 0};
}

}  // namespace upsweep::python
