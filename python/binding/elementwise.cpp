/// exp, log, softplus and the logistic function of each element, for Python, in the one
/// implementation of core/portable_math.hpp. Those of float are computed in double and rounded
/// once.
#include <python/binding/module.hpp>

#include <upsweep/core/portable_math.hpp>

#include <nanobind/stl/string_view.h>

#include <algorithm>
#include <cstddef>
#include <string_view>

namespace upsweep::python {
namespace {

double exponential(double x) {
  return detail::portable::exp(x);
}
double logarithm(double x) {
  return detail::portable::log(x);
}
/// log(1 + e) for 0 <= e <= 1. The quotient takes back what the sum has rounded away (Kahan).
double log_of_1_plus(double e) {
  double const u = 1 + e;
  return u == 1 ? e : logarithm(u) * (e / (u - 1));
}
/// log(1 + e^x).
double softplus(double x) {
  if (x != x) return x;
  return (x > 0 ? x : 0) + log_of_1_plus(exponential(x > 0 ? -x : x));
}
/// 1 / (1 + e^-x).
double logistic(double x) {
  double const e = exponential(x > 0 ? -x : x);
  return (x > 0 ? 1 : e) / (1 + e);
}

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
  auto* const f = function == "exp"        ? exponential
                  : function == "log"      ? logarithm
                  : function == "softplus" ? softplus
                                           : logistic;
  detail::expects(f != logistic || function == "sigmoid", "_core: not a function of elements");
  wide ? map_elements<double>(f, x, out, on) : map_elements<float>(f, x, out, on);
}

}  // namespace

void add_elementwise(nb::module_& m) {
  m.def("elementwise", elementwise);
}

}  // namespace upsweep::python
