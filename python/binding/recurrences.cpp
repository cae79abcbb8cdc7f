/// Linear recurrences with constant coefficients, for Python.
#include <python/binding/module.hpp>

#include <nanobind/stl/optional.h>
#include <nanobind/stl/string_view.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <optional>
#include <string_view>
#include <vector>

namespace upsweep::python {
namespace {

/// y[i] = x[i] + a[0] y[i-1] + ... as a loop; `latest` has the results in front of the first, the
/// latest first. Its product is added last, so that the next element waits for one product and sum.
template <class T, class Coefficients>
void loop_over(Coefficients const& a, Coefficients latest, T const* x, std::size_t n, bool reverse,
               T* y) {
  for (std::size_t step = 0; step < n; ++step) {
    std::size_t const i = reverse ? n - 1 - step : step;
    T result = x[i];
    for (std::size_t k = a.size(); k-- > 0;) result += a[k] * latest[k];
    for (std::size_t k = a.size() - 1; k > 0; --k) latest[k] = latest[k - 1];
    latest[0] = y[i] = result;
  }
}

template <class T>
void loop(std::vector<double> const& coefficients, T const* x, std::size_t n, bool reverse,
          T const* before, T* y) {
  std::size_t const order = coefficients.size();
  std::vector<T> a(order), latest(order);
  for (std::size_t k = 0; k < order; ++k) {
    a[k] = static_cast<T>(coefficients[k]);
    latest[k] = before ? before[k] : T{};
  }
  auto const in_registers = [&]<std::size_t N>(std::array<T, N> few) {
    std::array<T, N> last;
    std::copy_n(a.begin(), N, few.begin());
    std::copy_n(latest.begin(), N, last.begin());
    loop_over(few, last, x, n, reverse, y);
  };
  if (order == 2) return in_registers(std::array<T, 2>{});
  if (order == 3) return in_registers(std::array<T, 3>{});
  if (order == 4) return in_registers(std::array<T, 4>{});
  loop_over(a, latest, x, n, reverse, y);
}

void run(dynamic::dtype t, std::vector<double> const& a, void const* x, std::size_t n,
         dynamic::request const& how, bool in_order, void* y) {
  if (!in_order && a.size() <= dynamic::largest_recurrence)
    return dynamic::recurrence(t, a.data(), a.size(), x, n, how, y);
  if (t == dynamic::dtype::f32)
    loop(a, static_cast<float const*>(x), n, how.reverse, static_cast<float const*>(how.initial),
         static_cast<float*>(y));
  else
    loop(a, static_cast<double const*>(x), n, how.reverse, static_cast<double const*>(how.initial),
         static_cast<double*>(y));
}

/// Calls f(x, size, how, y) for each line of `x` and of `out`, which are of f32 or f64. Line i of
/// `initial` has the `order` results in front of the first, the latest first.
template <class F>
void each_line(dynamic::dtype t, std::size_t order, input const& x, output const& out,
               settings const& on, bool reverse, std::optional<input> const& initial, F const& f) {
  detail::expects(is_float(t) && size_of(t) >= 4, "_core: recurrences are of f32 or f64");
  lines const in = lines_of(x, size_of(t)), to = lines_of(out, size_of(t));
  expect_same_size(in.count, to.count);
  expect_same_size(in.size, to.size);
  lines before{};
  if (initial) {
    before = lines_of(*initial, size_of(t));
    expect_same_size(before.count, in.count);
    expect_same_size(before.size, order);
  }
  computing(in.count * in.size, [&] {
    on.executor().for_each_line(in.count, in.size, [&](std::size_t line, auto const& here) {
      dynamic::request const how{here, reverse, initial ? before[line] : nullptr};
      f(in[line], in.size, how, to[line]);
    });
  });
}

/// y[i] = x[i] + a[0] y[i-1] + a[1] y[i-2] + ... along each line, into `out`: by a scan if there is
/// one of this order, unless it is to be `in_order`.
void recurrence(std::string_view type, std::vector<double> const& a, input const& x,
                output const& out, settings const& on, bool reverse, bool in_order,
                std::optional<input> const& initial) {
  dynamic::dtype const t = type_named(type);
  detail::expects(!a.empty(), "_core: a recurrence has at least one coefficient");
  each_line(t, a.size(), x, out, on, reverse, initial,
            [&](auto const* in, std::size_t n, dynamic::request const& how, auto* to) {
              run(t, a, in, n, how, in_order, to);
            });
}

/// y[i] = (1 - weight) y[i-1] + weight x[i] along each line, into `out`, which is not `x`.
void moving_average(std::string_view type, double weight, bool from_first, input const& x,
                    output const& out, settings const& on, std::optional<input> const& initial) {
  dynamic::dtype const t = type_named(type);
  each_line(t, 1, x, out, on, false, initial,
            [&](auto const* in, std::size_t n, dynamic::request const& how, auto* to) {
              dynamic::moving_average(t, weight, from_first, in, n, how, to);
            });
}

}  // namespace

void add_recurrences(nb::module_& m) {
  m.def("recurrence", recurrence, nb::arg(), nb::arg(), nb::arg(), nb::arg(), nb::arg(), nb::arg(),
        nb::arg(), nb::arg().none());
  m.def("moving_average", moving_average, nb::arg(), nb::arg(), nb::arg(), nb::arg(), nb::arg(),
        nb::arg(), nb::arg().none());
}

}  // namespace upsweep::python
