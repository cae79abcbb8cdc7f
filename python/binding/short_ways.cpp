/// Functions of the package that try the short way first: one call from Python.
#include <python/binding/module.hpp>
#include <python/binding/short_way.hpp>

#include <nanobind/stl/string_view.h>

#include <exception>

namespace upsweep::python {
namespace {

/// A function of Python whose calls with an array and perhaps an axis are answered here if that is
/// an array of NumPy in one piece. Its attributes are the function, __wrapped__, and find_way,
/// which returns the way of its operator: Python's collector sees attributes, and not members.
class short_call {
 public:
  explicit short_call(bool scans) : scans_(scans) {}

  /// The result for `x` along an axis, or None.
  nb::object operator()(nb::handle self, nb::handle x, nb::handle axis) {
    if (Py_TYPE(x.ptr()) != numpy_functions::get().ndarray()) return nb::none();
    if (!way_) {
      kept_way_ = self.attr("find_way")();
      way_ = nb::cast<short_way*>(kept_way_);
    }
    return scans_ ? way_->scan(x, axis, nb::none()) : way_->reduce(x, axis);
  }

 private:
  nb::object kept_way_;
  short_way* way_ = nullptr;
  bool scans_;
};

/// The axis that is given by that name and nothing else, None for no options, or null.
PyObject* axis_of(PyObject* options) {
  if (!options) return Py_None;
  PyObject *name = nullptr, *axis = nullptr;
  Py_ssize_t position = 0;
  bool const one = PyDict_Size(options) == 1 && PyDict_Next(options, &position, &name, &axis);
  return one && PyUnicode_CompareWithASCIIString(name, "axis") == 0 ? axis : nullptr;
}

/// Python's call of a short_call: the result as a new reference, or null with an error.
PyObject* call(PyObject* self, PyObject* arguments, PyObject* options) noexcept try {
  PyObject* const axis = axis_of(options);
  if (axis && PyTuple_Size(arguments) == 1) {
    auto& called = *nb::inst_ptr<short_call>(self);
    nb::object result = called(self, PyTuple_GetItem(arguments, 0), axis);
    if (!result.is_none()) return result.release().ptr();
  }
  nb::object const function = nb::handle(self).attr("__wrapped__");
  return PyObject_Call(function.ptr(), arguments, options);
} catch (nb::python_error& e) {
  e.restore();
  return nullptr;
} catch (std::exception const& e) {
  PyErr_SetString(PyExc_ValueError, e.what());
  return nullptr;
}

}  // namespace

void add_short_ways(nb::module_& m) {
  nb::class_<short_way>(m, "ShortWay", "The entries of an operator, for calls without options.")
      .def(nb::init<settings const&>(), nb::keep_alive<1, 2>())
      .def("add", &short_way::add)
      .def("reduce", &short_way::reduce, nb::arg(), nb::arg().none())
      .def("scan", &short_way::scan, nb::arg(), nb::arg().none(), nb::arg().none())
      .def("reduce_segments", &short_way::reduce_segments, nb::arg().none(), nb::arg().none())
      .def("scan_segments", &short_way::scan_segments, nb::arg().none(), nb::arg().none())
      .def("reduce_at", &short_way::reduce_at, nb::arg().none(), nb::arg().none())
      .def("reduce_groups", &short_way::reduce_groups);

  PyType_Slot slots[] = {{Py_tp_call, reinterpret_cast<void*>(call)}, {0, nullptr}};
  nb::class_<short_call>(m, "ShortCall", nb::type_slots(slots), nb::dynamic_attr(),
                         "A function that tries the short way of an operator first.")
      .def(nb::init<bool>())
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
