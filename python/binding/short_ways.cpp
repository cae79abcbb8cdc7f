/// Functions of the package that try the short way first: one call from Python.
#include <python/binding/module.hpp>
#include <python/binding/short_way.hpp>

#include <nanobind/stl/string_view.h>

#include <algorithm>
#include <exception>
#include <new>
#include <optional>

namespace upsweep::python {
namespace {

/// Lists of up to so many elements are made an array here.
constexpr Py_ssize_t longest_list = 64;

/// A list of few numbers as an array, or nothing: where NumPy may have rounded integers, the
/// function of Python looks at them.
nb::object array_of_numbers(nb::handle list) {
  if (PyList_Size(list.ptr()) > longest_list) return {};
  nb::object made = numpy_functions::get().array_of(list);
  auto const x = made.is_valid() ? numpy_array_of(made) : std::nullopt;
  if (!x || (x->type != dtype::f64 && x->type != dtype::i64)) return {};
  if (x->type == dtype::f64) {
    constexpr double exact = 0x1p53;
    auto const* const first = reinterpret_cast<double const*>(x->data);
    auto const rounded = [](double v) { return v >= exact || v <= -exact; };
    if (std::any_of(first, first + x->size(), rounded)) return {};
  }
  return made;
}

/// A function of Python whose calls with an array are answered here, if that is an array of NumPy
/// in one piece, or a list of few numbers, and options are such as call_options knows. Its
/// attributes are the function, __wrapped__, and find_way, which returns the way of its operator:
/// Python's collector sees attributes, and not members.
class short_call {
 public:
  /// `first_axis`: as methods of NumPy's ufuncs, along axis 0 unless told otherwise.
  short_call(bool scans, bool first_axis) : scans_(scans), first_axis_(first_axis) {}

  /// The result for `x`, or None.
  nb::object operator()(nb::handle self, nb::handle x, call_options o) {
    if (first_axis_ && (o.skipna || o.include_initial)) return nb::none();
    nb::object made;
    if (Py_TYPE(x.ptr()) != numpy_functions::get().ndarray()) {
      if (!PyList_CheckExact(x.ptr())) return nb::none();
      made = array_of_numbers(x);
      if (!made.is_valid()) return nb::none();
      x = made;
    }
    if (!way_) {
      kept_way_ = self.attr("find_way")();
      way_ = nb::cast<short_way*>(kept_way_);
      zero_ = nb::int_(0);
    }
    if (first_axis_ && !o.has_axis) o.axis = zero_;
    return scans_ ? way_->scan(x, o) : way_->reduce(x, o);
  }

 private:
  nb::object kept_way_, zero_;
  short_way* way_ = nullptr;
  bool scans_, first_axis_;
};

/// Python's call of a short_call: the result as a new reference, or null with an error.
PyObject* call(PyObject* self, PyObject* arguments, PyObject* options) noexcept try {
  Py_ssize_t const given = PyTuple_Size(arguments);
  bool known = given == 1 || given == 2;
  call_options o{.has_axis = given == 2};
  if (o.has_axis) o.axis = PyTuple_GetItem(arguments, 1);
  PyObject *name = nullptr, *value = nullptr;
  for (Py_ssize_t at = 0; known && options && PyDict_Next(options, &at, &name, &value);)
    known = o.set(name, value);
  if (known) {
    auto& called = *nb::inst_ptr<short_call>(self);
    nb::object result = called(self, PyTuple_GetItem(arguments, 0), o);
    if (!result.is_none()) return result.release().ptr();
  }
  nb::object const function = nb::handle(self).attr("__wrapped__");
  return PyObject_Call(function.ptr(), arguments, options);
} catch (nb::python_error& e) {
  e.restore();
  return nullptr;
} catch (std::bad_alloc const&) {
  return PyErr_NoMemory();
} catch (overflow_error const& e) {
  PyErr_SetString(PyExc_OverflowError, e.what());
  return nullptr;
} catch (std::exception const& e) {
  PyErr_SetString(PyExc_ValueError, e.what());
  return nullptr;
}

}  // namespace

void add_short_ways(nb::module_& m) {
  nb::class_<short_way>(m, "ShortWay",
                        "The entries of an operator: the fast path of calls without options.")
      .def(nb::init<settings const&>(), nb::keep_alive<1, 2>())
      .def("add", &short_way::add)
      .def(
          "reduce",
          [](short_way const& way, nb::handle x, nb::handle axis) {
            return way.reduce(x, {.axis = axis});
          },
          nb::arg(), nb::arg().none())
      .def(
          "reduce_by",
          [](short_way const& way, nb::handle x, nb::handle axis, nb::handle type, nb::handle out,
             nb::handle initial, bool keepdims, bool reverse) {
            return way.reduce(x, {.axis = axis,
                                  .type = type,
                                  .out = out,
                                  .initial = initial,
                                  .keepdims = keepdims,
                                  .reverse = reverse});
          },
          nb::arg(), nb::arg().none(), nb::arg().none(), nb::arg().none(), nb::arg().none(),
          nb::arg(), nb::arg())
      .def(
          "scan",
          [](short_way const& way, nb::handle x, nb::handle axis, nb::handle type, nb::handle out,
             nb::handle initial, bool exclusive, bool reverse) {
            return way.scan(x, {.axis = axis,
                                .type = type,
                                .out = out,
                                .initial = initial,
                                .exclusive = exclusive,
                                .reverse = reverse});
          },
          nb::arg(), nb::arg().none(), nb::arg().none(), nb::arg().none(), nb::arg().none(),
          nb::arg(), nb::arg())
      .def("windowed", &short_way::windowed)
      .def("reduce_segments", &short_way::reduce_segments, nb::arg().none(), nb::arg().none())
      .def("scan_segments", &short_way::scan_segments, nb::arg().none(), nb::arg().none())
      .def("reduce_at", &short_way::reduce_at, nb::arg().none(), nb::arg().none())
      .def("reduce_groups", &short_way::reduce_groups);

  PyType_Slot slots[] = {{Py_tp_call, reinterpret_cast<void*>(call)}, {0, nullptr}};
  nb::class_<short_call>(m, "ShortCall", nb::type_slots(slots), nb::dynamic_attr(),
                         nb::is_weak_referenceable(),
                         "A function that tries the fast path of an operator first.")
      .def(nb::init<bool, bool>())
      // What makes it a function for help(), pickle and classes.
      .def(
          "__get__",
          [](nb::object self, nb::object object, nb::handle) {
            return object.is_none()
                       ? self
                       : nb::module_::import_("types").attr("MethodType")(self, object);
          },
          nb::arg().none(), nb::arg().none() = nb::none())
      .def("__reduce__", [](nb::handle self) { return nb::str(self.attr("__qualname__")); })
      .def("__repr__", [](nb::handle self) { return nb::repr(self.attr("__wrapped__")); });
}

}  // namespace upsweep::python
