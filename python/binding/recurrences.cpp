/// Linear recurrences with constant coefficients, for Python.
#include <python/binding/module.hpp>

#include <nanobind/stl/optional.h>
#include <nanobind/stl/string_view.h>
#include <nanobind/stl/vector.h>

#include <optional>
#include <string_view>
#include <vector>

namespace upsweep::python {
namespace {

/// y[i] = x[i] + a[0] y[i-1] + a[1] y[i-2] + ... along each line, into `out`. Line i of `initial`
/// has the results in front of the first, the latest first.
void recurrence(std::string_view type, std::vector<double> const& a, input const& x,
                output const& out, settings const& on, bool reverse,
                std::optional<input> const& initial) {
  dynamic::dtype const t = type_named(type);
  detail::expects(is_float(t) && size_of(t) >= 4, "_core: recurrences are of f32 or f64");
  detail::expects(!a.empty() && a.size() <= dynamic::largest_recurrence,
                  "_core: a recurrence of this order is not compiled");
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
      dynamic::recurrence(t, a.data(), a.size(), in[line], in.size, how, to[line]);
    });
  });
}

}  // namespace

void add_recurrences(nb::module_& m) {
  m.attr("largest_recurrence") = dynamic::largest_recurrence;
  m.def("recurrence", recurrence, nb::arg(), nb::arg(), nb::arg(), nb::arg(), nb::arg(), nb::arg(),
        nb::arg().none());
}

}  // namespace upsweep::python
