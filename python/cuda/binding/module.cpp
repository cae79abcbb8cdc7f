/// The compiled part of upsweep-cuda13: the verbs of upsweep_cuda.h over arrays that the package
/// has prepared.
#include <upsweep/core/version.h>
#include <python/cuda/binding/arrays.hpp>

#include <exception>

namespace upsweep::python {
namespace {

/// What is wrong with arguments is Python's exception, with the library's sentence.
void add_errors() {
  nb::register_exception_translator([](std::exception_ptr const& thrown, void*) {
    try {
      std::rethrow_exception(thrown);
    } catch (error const& e) {
      PyErr_SetString(PyExc_ValueError, e.what());
    }
  });
}

}  // namespace

NB_MODULE(_core, m) {
  add_errors();
  m.attr("cuda") = CUDART_VERSION;
  add_arrays(m);
  add_calls(m);
  add_recurrences(m);
  add_jax(m);
}

}  // namespace upsweep::python
