/// Arrays of NumPy in one piece, read as NumPy's own macros read them, and made as its C interface
/// makes them: without a call of Python.
#pragma once

#include <python/binding/result_memory.hpp>

#include <cstddef>
#include <functional>
#include <numeric>
#include <optional>

namespace upsweep::python {

/// The number of elements of an array of that shape.
inline std::size_t product(std::size_t ndim, Py_ssize_t const* shape) {
  return static_cast<std::size_t>(
      std::accumulate(shape, shape + ndim, Py_ssize_t{1}, std::multiplies<>{}));
}

/// An array in C order whose elements are aligned, in native byte order and of one of the library's
/// types.
struct numpy_array {
  std::byte* data;
  dynamic::dtype type;
  nb::handle dtype;
  std::size_t ndim;
  Py_ssize_t const* shape;
  bool writeable;

  [[nodiscard]] std::size_t size() const { return product(ndim, shape); }
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
  constexpr bool wide = sizeof(long) == 8;  // not on Windows
  constexpr dynamic::dtype known[] = {
      boolean, i8, u8, i16, u16, i32, u32, wide ? i64 : i32, wide ? u64 : u32, i64, u64, f32, f64};
  if (number >= 0 && number < static_cast<int>(std::size(known))) return known[number];
  return number == 23 ? std::optional(f16) : std::nullopt;
}

}  // namespace detail

/// The functions of NumPy's C interface that the module calls, at their indices in the table which
/// import_array() reads: https://numpy.org/doc/stable/reference/c-api/array.html#importing-the-api
class numpy_functions {
 public:
  static numpy_functions const& get() {
    static numpy_functions const functions;
    return functions;
  }
  /// The type numpy.ndarray.
  [[nodiscard]] PyTypeObject* ndarray() const { return static_cast<PyTypeObject*>(table_[2]); }
  /// The number of that dtype whose bytes are at `value`.
  [[nodiscard]] nb::object scalar(void const* value, nb::handle dtype) const {
    using function = PyObject*(void const*, PyObject*, PyObject*);
    return nb::steal(checked(at<function>(60)(value, dtype.ptr(), nullptr)));
  }
  /// The array that NumPy makes of a list, or nothing if it makes none.
  [[nodiscard]] nb::object array_of(nb::handle list) const {
    using function = PyObject*(PyObject*, PyObject*, int, int, int, PyObject*);
    PyObject* const made = at<function>(69)(list.ptr(), nullptr, 0, 0, 0, nullptr);
    if (!made) PyErr_Clear();
    return nb::steal(made);
  }
  [[nodiscard]] nb::object int64() const { return dtype_numbered(sizeof(long) == 8 ? 7 : 9); }
  [[nodiscard]] nb::object float64() const { return dtype_numbered(12); }
  /// An array of that shape and dtype, whose elements are not set. Its memory is from result_memory
  /// if it is large, unless the caller has given NumPy a handler of memory.
  [[nodiscard]] nb::object empty(std::size_t ndim, Py_ssize_t const* shape,
                                 nb::handle dtype) const {
    constexpr std::size_t largest_element = 16;
    std::size_t const n = product(ndim, shape);
    if (n < large_result / largest_element ||
        n * nb::cast<std::size_t>(dtype.attr("itemsize")) < large_result)
      return make_empty(ndim, shape, dtype);
    memory_from_us const scope(*this);
    return make_empty(ndim, shape, dtype);
  }
  [[nodiscard]] nb::object empty(std::size_t n, nb::handle dtype) const {
    auto const size = static_cast<Py_ssize_t>(n);
    return empty(1, &size, dtype);
  }

 private:
  numpy_functions() {
    nb::object const table =
        nb::module_::import_("numpy._core._multiarray_umath").attr("_ARRAY_API");
    table_ = static_cast<void**>(PyCapsule_GetPointer(table.ptr(), nullptr));
    if (!table_) throw nb::python_error();
    memory_handler_ = result_memory_handler().release();  // for as long as the process runs
  }
  /// While it lives, the memory of new arrays is from result_memory, unless the caller has given
  /// NumPy another handler than its own.
  class memory_from_us {
   public:
    explicit memory_from_us(numpy_functions const& numpy) : numpy_(numpy) {
      nb::object const current = nb::steal(checked(numpy.at<PyObject*()>(305)()));
      if (current.is(*static_cast<PyObject**>(numpy.table_[306])))
        before_ = numpy.set_memory_handler(numpy.memory_handler_);
    }
    ~memory_from_us() {
      if (before_.is_valid()) numpy_.set_memory_handler(before_);
    }
    memory_from_us(memory_from_us const&) = delete;
    memory_from_us& operator=(memory_from_us const&) = delete;

   private:
    numpy_functions const& numpy_;
    nb::object before_;
  };
  /// Returns the handler before.
  nb::object set_memory_handler(nb::handle handler) const {
    return nb::steal(checked(at<PyObject*(PyObject*)>(304)(handler.ptr())));
  }
  [[nodiscard]] nb::object make_empty(std::size_t ndim, Py_ssize_t const* shape,
                                      nb::handle dtype) const {
    using function = PyObject*(int, Py_ssize_t const*, PyObject*, int);
    auto* const taken = dtype.inc_ref().ptr();
    return nb::steal(checked(at<function>(184)(static_cast<int>(ndim), shape, taken, 0)));
  }
  [[nodiscard]] nb::object dtype_numbered(int number) const {
    return nb::steal(checked(at<PyObject*(int)>(45)(number)));
  }
  template <class Function>
  [[nodiscard]] Function* at(int place) const {
    return reinterpret_cast<Function*>(table_[place]);
  }
  static PyObject* checked(PyObject* made) {
    if (!made) throw nb::python_error();
    return made;
  }

  void** table_;
  nb::handle memory_handler_;
};

/// The array that an object is, or nothing if it is none of exactly that type, or has to be
/// prepared first.
inline std::optional<numpy_array> numpy_array_of(nb::handle x) {
  constexpr int in_one_piece = 0x1 | 0x100;  // NPY_ARRAY_C_CONTIGUOUS, NPY_ARRAY_ALIGNED
  constexpr int writeable = 0x400;           // NPY_ARRAY_WRITEABLE
  if (Py_TYPE(x.ptr()) != numpy_functions::get().ndarray()) return {};
  auto const& object = *reinterpret_cast<detail::numpy_object const*>(x.ptr());
  auto const type = detail::type_numbered(object.descr->number);
  if (!type || (object.flags & in_one_piece) != in_one_piece || object.descr->byteorder == '>')
    return {};
  return numpy_array{object.data,
                     *type,
                     reinterpret_cast<PyObject*>(object.descr),
                     static_cast<std::size_t>(object.ndim),
                     object.shape,
                     (object.flags & writeable) != 0};
}

}  // namespace upsweep::python
