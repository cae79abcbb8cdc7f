/// Linear recurrences with constant coefficients, for Python.
#include <python/binding/module.hpp>

#include <nanobind/stl/optional.h>
#include <nanobind/stl/string_view.h>
#include <nanobind/stl/vector.h>

#include <cstddef>
#include <optional>
#include <string_view>
#include <vector>

namespace upsweep::python {
namespace {

/// Calls f(x, size, how, y) for each line of `x` and of `out`, which are of f32 or f64. Line i of
/// `initial` has the result before the first.
template <class F>
void each_line(dynamic::dtype t, input const& x, output const& out, settings const& on,
               bool reverse, std::optional<input> const& initial, F const& f) {
  detail::expects(is_float(t) && size_of(t) >= 4, "_core: recurrences are of f32 or f64");
  lines const in = lines_of(x, size_of(t)), to = lines_of(out, size_of(t));
  expect_same_shape(in, to);
  lines before{};
  if (initial) {
    before = lines_of(*initial, size_of(t));
    expect_same_size(before.count, in.count);
    expect_same_size(before.size, 1);
  }
  computing(in.count * in.size, [&] {
    on.executor().for_each_line(in.count, in.size, [&](std::size_t line, auto const& here) {
      dynamic::request const how{here, reverse, initial ? before[line] : nullptr};
      f(in[line], in.size, how, to[line]);
    });
  });
}

/// y[i] = x[i] + a y[i-1] along each line, into `out`.
void recurrence(std::string_view type, double a, input const& x, output const& out,
                settings const& on, bool reverse, std::optional<input> const& initial) {
  dynamic::dtype const t = type_named(type);
  each_line(t, x, out, on, reverse, initial,
            [&](auto const* in, std::size_t n, dynamic::request const& how, auto* to) {
              dynamic::recurrence(t, &a, 1, in, n, how, to);
            });
}

/// y[i] = (1 - weight) y[i-1] + weight x[i] along each line, into `out`, which is not `x`.
void moving_average(std::string_view type, double weight, bool from_first, input const& x,
                    output const& out, settings const& on, std::optional<input> const& initial) {
  dynamic::dtype const t = type_named(type);
  each_line(t, x, out, on, false, initial,
            [&](auto const* in, std::size_t n, dynamic::request const& how, auto* to) {
              dynamic::moving_average(t, weight, from_first, in, n, how, to);
            });
}

/// Filters each line of `x` into `out`. Line i of `before` is the state before it, that of
/// `after` receives the one after it.
void filter(std::vector<double> const& ahead, std::vector<double> const& back, input const& x,
            output const& out, std::optional<input> const& before,
            std::optional<output> const& after, settings const& on) {
  constexpr auto bytes = static_cast<std::ptrdiff_t>(sizeof(double));
  lines const in = lines_of(x, sizeof(double)), to = lines_of(out, sizeof(double));
  expect_same_shape(in, to);
  dynamic::digital_filter const f{ahead, back};
  dynamic::filtered_lines all{reinterpret_cast<double const*>(in.first),
                              reinterpret_cast<double*>(to.first),
                              in.count,
                              in.size,
                              in.stride / bytes,
                              to.stride / bytes};
  std::size_t const states = in.count * f.memory();
  if (before) {
    expect_same_size(before->size(), states);
    all.before = elements_of<double>(*before);
  }
  if (after) {
    expect_same_size(after->size(), states);
    all.after = elements_of<double>(*after);
  }
  computing(in.count * in.size, [&] { dynamic::filter(on.executor(), f, all); });
}

}  // namespace

void add_recurrences(nb::module_& m) {
  m.def("recurrence", recurrence, nb::arg(), nb::arg(), nb::arg(), nb::arg(), nb::arg(), nb::arg(),
        nb::arg().none());
  m.def("moving_average", moving_average, nb::arg(), nb::arg(), nb::arg(), nb::arg(), nb::arg(),
        nb::arg(), nb::arg().none());
  m.def("filter", filter, nb::arg(), nb::arg(), nb::arg(), nb::arg(), nb::arg().none(),
        nb::arg().none(), nb::arg());
}

}  // namespace upsweep::python
