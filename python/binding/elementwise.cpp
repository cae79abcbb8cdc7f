/// exp, log, softplus and the logistic function of each element, for Python, in the one
/// implementation of core/portable_math.hpp. Those of float are computed in double and rounded
/// once.
#include <python/binding/module.hpp>

#include <upsweep/core/portable_functions.hpp>

#include <nanobind/stl/string_view.h>

#include <algorithm>
#include <cstddef>
#include <string_view>

namespace upsweep::python {
namespace {

template <class T>
void map_elements(double (*f)(double), input const& x, output const& out, settings const& on) {
  T const* const from = elements_of<T>(x);
  T* const to = elements_of<T>(out);
  expect_same_size(x.size(), out.size());
  constexpr std::size_t part = 4096;
  std::size_t const n = x.size();
  computing(n, [&] {
    on.executor().for_each_part((n + part - 1) / part, part, [&](std::size_t p) {
      for (std::size_t i = p * part; i < std::min(n, (p + 1) * part); ++i)
        to[i] = static_cast<T>(f(static_cast<double>(from[i])));
    });
  });
}

/// out[i] = function(x[i]), both of f32 or f64.
void elementwise(std::string_view function, bool wide, input const& x, output const& out,
                 settings const& on) {
  namespace portable = detail::portable;
  using of_double = double (*)(double);
  of_double const exponential = portable::exp, logarithm = portable::log;  // not those of float
  of_double const f = function == "exp"        ? exponential
                      : function == "log"      ? logarithm
                      : function == "softplus" ? portable::softplus
                                               : portable::logistic;
  detail::expects(f != portable::logistic || function == "sigmoid",
                  "_core: not a function of elements");
  wide ? map_elements<double>(f, x, out, on) : map_elements<float>(f, x, out, on);
}

}  // namespace

void add_elementwise(nb::module_& m) {
  m.def("elementwise", elementwise);
}

}  // namespace upsweep::python
