/// Mean and variance, and logarithms of sums of exponentials: operators whose state is no number,
/// so that they have no entries.
#include <python/binding/columns.hpp>
#include <python/binding/module.hpp>
#include <python/binding/numpy_array.hpp>

#include <upsweep/ops/log_sum_exp.hpp>
#include <upsweep/ops/moments.hpp>
#include <upsweep/reduce.hpp>

#include <nanobind/stl/optional.h>
#include <nanobind/stl/string_view.h>

#include <cmath>
#include <limits>
#include <optional>
#include <span>
#include <string_view>

namespace upsweep::python {
namespace {

using dynamic::dtype;

template <class T>
std::span<T const> elements_of_line(lines const& x, std::size_t line) {
  return {reinterpret_cast<T const*>(x[line]), x.size};
}

void refuse() {
  upsweep::detail::fail("_core: no such operator over elements of this type");
}

/// Calls f.operator()<T>(line, executor) for every line of `x`.
template <class Types, class F>
void for_each_line(dtype t, lines const& x, settings const& on, F const& f) {
  computing(x.count * x.size, [&] {
    dynamic::dispatch(
        Types{}, t,
        [&]<class T>() {
          on.executor().for_each_line(x.count, x.size, [&](std::size_t line, auto const& here) {
            f.template operator()<T>(line, here);
          });
        },
        refuse);
  });
}

/// mean[i], squares[i] = the mean of line i, and the sum of squared distances from it.
void find_moments(std::string_view type, input const& x, output const& mean, output const& squares,
                  settings const& on) {
  dtype const t = type_named(type);
  axis_lines const in = axis_lines_of(x, size_of(t));
  auto* const means = elements_of<double>(mean);
  auto* const m2 = elements_of<double>(squares);
  expect_same_size(in.count(), mean.size());
  expect_same_size(in.count(), squares.size());
  cpu const executor = on.executor();
  computing(in.count() * in.size, [&] {
    if (find_column_moments(executor, t, in, means, m2)) return;
    dynamic::dispatch(
        moment_types{}, t,
        [&]<class T>() {
          for_each_line(executor, in, [&](std::size_t line, std::byte const* at, cpu const& here) {
            std::span<T const> const elements{reinterpret_cast<T const*>(at), in.size};
            moments_of const all = upsweep::reduce(here, elements, moments{});
            means[line] = all.mean, m2[line] = all.m2;
          });
        },
        refuse);
  });
}

/// The mean, or with a correction the variance of all elements of an array of NumPy in one piece;
/// None if it is another, or has no elements.
nb::object short_moment(nb::handle array, std::optional<double> correction, bool root,
                        settings const& on) {
  auto const x = numpy_array_of(array);
  std::size_t const n = x ? x->size() : 0;
  bool const compiled =
      n > 0 && dynamic::dispatch(
                   moment_types{}, x->type, []<class T>() { return true; }, [] { return false; });
  if (!compiled) return nb::none();
  lines const all{x->data, 1, n, 0};
  double result = 0;
  for_each_line<moment_types>(x->type, all, on, [&]<class T>(std::size_t, cpu const& here) {
    moments_of const found = upsweep::reduce(here, elements_of_line<T>(all, 0), moments{});
    double const count = static_cast<double>(n) - correction.value_or(0);
    result = !correction ? found.mean
             : count > 0 ? found.m2 / count
                         : std::numeric_limits<double>::quiet_NaN();
  });
  if (root) result = std::sqrt(result);
  auto const& numpy = numpy_functions::get();
  auto const narrow = static_cast<float>(result);
  if (x->type == dtype::f32) return numpy.scalar(&narrow, x->dtype);
  return numpy.scalar(&result, numpy.float64());
}

/// out[i] = the logarithm of the sum of the exponentials of line i, of its type.
void find_log_sum_exp(std::string_view type, input const& x, output const& out,
                      settings const& on) {
  dtype const t = type_named(type);
  lines const in = lines_of(x, size_of(t)), to = line_of(out, size_of(t));
  expect_same_size(in.count, to.size);
  for_each_line<dynamic::wide_floats>(t, in, on, [&]<class T>(std::size_t line, cpu const& here) {
    reinterpret_cast<T*>(to.first)[line] =
        upsweep::reduce(here, elements_of_line<T>(in, line), log_sum_exp{});
  });
}

}  // namespace

void add_moments(nb::module_& m) {
  m.def("moments", find_moments);
  m.def("short_moment", short_moment, nb::arg(), nb::arg().none(), nb::arg(), nb::arg());
  m.def("log_sum_exp", find_log_sum_exp);
}

}  // namespace upsweep::python
