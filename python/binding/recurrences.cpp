/// Linear recurrences with constant coefficients, for Python.
#include <python/binding/module.hpp>

#include <nanobind/stl/optional.h>
#include <nanobind/stl/string_view.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <optional>
#include <string_view>
#include <vector>

namespace upsweep::python {
namespace {

/// The same of any order as a loop, for orders without a scan: y[i] with its products added in the
/// order of the coefficients.
template <class T>
void loop(std::vector<double> const& a, T const* x, std::size_t n, bool reverse, T const* before,
          T* y) {
  std::vector<T> coefficients(a.size()), latest(a.size());  // latest[k] = y[i - 1 - k]
  for (std::size_t k = 0; k < a.size(); ++k) {
    coefficients[k] = static_cast<T>(a[k]);
    latest[k] = before ? before[k] : T{};
  }
  for (std::size_t step = 0; step < n; ++step) {
    std::size_t const i = reverse ? n - 1 - step : step;
    T result = x[i];
    for (std::size_t k = 0; k < a.size(); ++k) result += coefficients[k] * latest[k];
    std::copy_backward(latest.begin(), latest.end() - 1, latest.end());
    latest[0] = y[i] = result;
  }
}

void run(dynamic::dtype t, std::vector<double> const& a, void const* x, std::size_t n,
         dynamic::request const& how, void* y) {
  if (a.size() <= dynamic::largest_recurrence)
    return dynamic::recurrence(t, a.data(), a.size(), x, n, how, y);
  if (t == dynamic::dtype::f32)
    loop(a, static_cast<float const*>(x), n, how.reverse, static_cast<float const*>(how.initial),
         static_cast<float*>(y));
  else
    loop(a, static_cast<double const*>(x), n, how.reverse, static_cast<double const*>(how.initial),
         static_cast<double*>(y));
}

/// y[i] = x[i] + a[0] y[i-1] + a[1] y[i-2] + ... along each line, into `out`. Line i of `initial`
/// has the results in front of the first, the latest first.
void recurrence(std::string_view type, std::vector<double> const& a, input const& x,
                output const& out, settings const& on, bool reverse,
                std::optional<input> const& initial) {
  dynamic::dtype const t = type_named(type);
  detail::expects(is_float(t) && size_of(t) >= 4, "_core: recurrences are of f32 or f64");
  detail::expects(!a.empty(), "_core: a recurrence has at least one coefficient");
  lines const in = lines_of(x, size_of(t)), to = lines_of(out, size_of(t));
  expect_same_size(in.count, to.count);
  expect_same_size(in.size, to.size);
  lines before{};
  if (initial) {
    before = lines_of(*initial, size_of(t));
    expect_same_size(before.count, in.count);
    expect_same_size(before.size, a.size());
  }
  computing(in.count * in.size, [&] {
    on.executor().for_each_line(in.count, in.size, [&](std::size_t line, auto const& here) {
      dynamic::request const how{here, reverse, initial ? before[line] : nullptr};
      run(t, a, in[line], in.size, how, to[line]);
    });
  });
}

}  // namespace

void add_recurrences(nb::module_& m) {
  m.def("recurrence", recurrence, nb::arg(), nb::arg(), nb::arg(), nb::arg(), nb::arg(), nb::arg(),
        nb::arg().none());
}

}  // namespace upsweep::python
