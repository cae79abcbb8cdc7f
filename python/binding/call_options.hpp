/// The options of reductions and scans that the short way knows, and what they mean for an array.
#pragma once

#include <python/binding/numpy_array.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <optional>
#include <utility>
#include <vector>

namespace upsweep::python {

using dynamic::call_entry;
using dynamic::dtype;

/// None means that an option is not given.
struct call_options {
  nb::handle axis = Py_None, type = Py_None, out = Py_None, where = Py_None, initial = Py_None;
  bool has_axis = false, keepdims = false, skipna = false;
  bool exclusive = false, reverse = false, include_initial = false;

  /// Sets the option of that name; false if the short way does not know it, or its value.
  bool set(PyObject* name, PyObject* value) {
    auto const is = [&](char const* known) {
      return PyUnicode_CompareWithASCIIString(name, known) == 0;
    };
    if (is("axis")) return axis = value, has_axis = true;
    if (is("dtype")) return type = value, true;
    if (is("out")) return out = value, true;
    if (is("initial")) return initial = value, true;
    if (is("where")) return where = value == Py_True ? Py_None : value, true;
    if (!PyBool_Check(value)) return false;
    bool const on = value == Py_True;
    if (is("keepdims")) return keepdims = on, true;
    if (is("skipna")) return skipna = on, true;
    return is("include_initial") && (include_initial = on, true);
  }
};

/// Which elements make one result: all, or those along an axis.
struct reduced_axes {
  bool all;
  std::size_t axis;

  /// The shape of the results.
  [[nodiscard]] std::vector<Py_ssize_t> shape(numpy_array const& x, bool keepdims) const {
    std::vector<Py_ssize_t> sizes;
    for (std::size_t d = 0; d < x.ndim; ++d)
      if (!all && d != axis)
        sizes.push_back(x.shape[d]);
      else if (keepdims)
        sizes.push_back(1);
    return sizes;
  }
};

/// An axis as a number from 0 on, or nothing if it has to be looked at.
inline std::optional<std::size_t> axis_of(numpy_array const& x, nb::handle axis) {
  if (!PyLong_CheckExact(axis.ptr())) return {};
  int overflow = 0;
  long const given = PyLong_AsLongAndOverflow(axis.ptr(), &overflow);
  auto const ndim = static_cast<long>(x.ndim);
  if (overflow != 0 || given < -ndim || given >= ndim) return {};
  return static_cast<std::size_t>(given < 0 ? given + ndim : given);
}
/// The axes of a reduction: none, one, or a tuple of one or of all.
inline std::optional<reduced_axes> axes_of(numpy_array const& x, nb::handle axis) {
  if (axis.is_none()) return reduced_axes{true, 0};
  if (PyTuple_CheckExact(axis.ptr())) {
    auto const given = static_cast<std::size_t>(PyTuple_Size(axis.ptr()));
    if (given == 0 || (given != 1 && given != x.ndim)) return {};
    std::uint64_t seen = 0;  // NumPy has at most 64 dimensions
    std::optional<std::size_t> one;
    for (std::size_t k = 0; k < given; ++k) {
      one = axis_of(x, PyTuple_GetItem(axis.ptr(), static_cast<Py_ssize_t>(k)));
      if (!one || (seen >> *one & 1) != 0) return {};
      seen |= std::uint64_t{1} << *one;
    }
    return reduced_axes{given == x.ndim, *one};
  }
  auto const one = axis_of(x, axis);
  return one ? std::optional(reduced_axes{x.ndim == 1, *one}) : std::nullopt;
}

/// Whether a dtype is not given, or that of the results.
inline bool is_type(nb::handle given, nb::handle results) {
  auto const& of = *reinterpret_cast<detail::numpy_descr const*>(results.ptr());
  return given.is_none() || given.is(results) || given.ptr() == of.scalar;
}

/// The initial value of an entry, if it is a number of Python that the results hold, or none.
class initial_number {
 public:
  initial_number(nb::handle given, call_entry const& e) {
    if (given.is_none()) return;
    is_known_ = e.takes_initial && store(given.ptr(), e.result);
    is_given_ = is_known_;
  }
  [[nodiscard]] bool is_known() const { return is_known_; }
  [[nodiscard]] void const* get() const { return is_given_ ? bytes_ : nullptr; }

 private:
  bool store(PyObject* given, dtype t) {
    int overflow = 0;
    bool const integer = PyLong_CheckExact(given);
    if (t == dtype::i64) {
      auto const value = integer ? PyLong_AsLongLongAndOverflow(given, &overflow) : 0;
      return integer && overflow == 0 && put(static_cast<std::int64_t>(value));
    }
    constexpr long long exact = 1LL << 53;
    if (integer && t == dtype::f64) {
      auto const value = PyLong_AsLongLongAndOverflow(given, &overflow);
      return overflow == 0 && value <= exact && value >= -exact && put(static_cast<double>(value));
    }
    if (!PyFloat_CheckExact(given)) return false;
    if (t == dtype::f64) return put(PyFloat_AsDouble(given));
    return t == dtype::f32 && put(static_cast<float>(PyFloat_AsDouble(given)));
  }
  template <class T>
  bool put(T value) {
    std::memcpy(bytes_, &value, sizeof value);
    return true;
  }

  alignas(8) std::byte bytes_[8];
  bool is_known_ = true, is_given_ = false;
};

/// Whether the arrays share memory, other than from the first element to the last.
inline bool overlap(numpy_array const& a, numpy_array const& b) {
  return a.data < b.data + b.bytes() && b.data < a.data + a.bytes();
}
inline bool has_shape(numpy_array const& x, std::size_t ndim, Py_ssize_t const* shape) {
  return std::equal(x.shape, x.shape + x.ndim, shape, shape + ndim);
}

/// Calls f(keeps), where keeps(i) tells whether element i is not NaN, if elements are float or
/// double.
template <class F>
bool with_numbers_only(numpy_array const& x, F const& f) {
  auto const by = [&]<class T>(T const* elements) {
    f([elements](std::size_t i) { return elements[i] == elements[i]; });
    return true;
  };
  if (x.type == dtype::f64) return by(reinterpret_cast<double const*>(x.data));
  return x.type == dtype::f32 && by(reinterpret_cast<float const*>(x.data));
}

/// Whether a result of that type is NaN.
inline bool is_nan(dtype t, std::byte const* result) {
  double wide = 0;
  float narrow = 0;
  if (t == dtype::f64) std::memcpy(&wide, result, sizeof wide);
  if (t == dtype::f32) std::memcpy(&narrow, result, sizeof narrow);
  return wide != wide || narrow != narrow;
}

/// Those elements for which keeps(i) is true, in a row.
struct chosen_elements {
  upsweep::detail::scratch<std::byte> data;
  std::size_t count = 0;

  template <class Keeps>
  chosen_elements(numpy_array const& x, Keeps const& keeps)
      : data(upsweep::detail::memory_for<std::byte>(x.bytes())) {
    std::size_t const n = x.size(), bytes = size_of(x.type);
    auto const choose = [&]<class Word>(Word) {
      auto* const to = reinterpret_cast<Word*>(data.get());
      auto const* const from = reinterpret_cast<Word const*>(x.data);
      for (std::size_t i = 0; i < n; ++i) {
        to[count] = from[i];
        count += keeps(i) ? 1u : 0u;
      }
    };
    if (bytes == 8)
      choose(std::uint64_t{});
    else if (bytes == 4)
      choose(std::uint32_t{});
    else if (bytes == 2)
      choose(std::uint16_t{});
    else
      choose(std::uint8_t{});
  }
};

}  // namespace upsweep::python
