/// The compiled part of the Python package: the calls by name, over arrays that the package has
/// prepared.
#include <python/binding/module.hpp>

#include <nanobind/stl/string.h>

#include <exception>

namespace upsweep::python {
namespace {

/// The library's errors are Python's, with the library's sentence.
void add_errors() {
  nb::register_exception_translator([](std::exception_ptr const& thrown, void*) {
    try {
      std::rethrow_exception(thrown);
    } catch (overflow_error const& e) {
      PyErr_SetString(PyExc_OverflowError, e.what());
    } catch (error const& e) {
      PyErr_SetString(PyExc_ValueError, e.what());
    }
  });
}

/// What the package tells about itself and the machine.
void add_facts(nb::module_& m) {
  m.attr("version") = version;
  m.attr("tree_version") = tree_version;
  m.attr("compiler") = "C++ " __VERSION__;
  m.def("instructions", host::simd::target);
  m.def("available_threads", host::threads::available);
}

}  // namespace

/// By this symbol threadpoolctl knows the module (python/upsweep/_threadpool.py).
extern "C" NB_EXPORT int upsweep_python_module() {
  return 1;
}

NB_MODULE(_core, m) {
  add_errors();
  add_facts(m);
  add_entries(m);
  add_short_ways(m);
  add_short_verbs(m);
  add_result_memory(m);
  add_complex_products(m);
  add_moments(m);
  add_statistics(m);
  add_recurrences(m);
  add_anchored(m);
  add_elementwise(m);
  add_selections(m);
  add_groupings(m);
  add_sorts(m);
  add_histograms(m);
  add_streams(m);
  add_partials(m);
  add_own(m);
  add_applications(m);
  add_arrow(m);
  add_jax(m);
}

}  // namespace upsweep::python
