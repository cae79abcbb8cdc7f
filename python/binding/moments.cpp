/// Mean and variance, and logarithms of sums of exponentials: operators whose state is no number,
/// so that they have no entries.
#include <python/binding/addresses.hpp>
#include <python/binding/module.hpp>
#include <python/binding/short_way.hpp>

#include <upsweep/by_name/verbs/statistics.hpp>
#include <upsweep/ops/moments.hpp>
#include <upsweep/reduce.hpp>

#include <nanobind/stl/optional.h>
#include <nanobind/stl/string_view.h>

#include <algorithm>
#include <cstddef>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

namespace upsweep::python {
namespace {

using dynamic::dtype;
using dynamic::spread;

void refuse() {
  upsweep::detail::fail("_core: no such operator over elements of this type");
}

/// Whether there are moments of such elements.
bool has_moments(dtype t) {
  return dynamic::dispatch(
      dynamic::moment_types{}, t, []<class T>() { return true; }, [] { return false; });
}

/// results[i] = the spread of line i, whose mean is means[i], and the sum of whose squared
/// distances from it is squares[i].
void find_spreads(cpu const& on, dtype t, axis_lines const& in, spread const& wanted,
                  double const* means, double const* squares, double* results) {
  axis_lines const x = dynamic::beside(in);
  for (std::size_t line = 0; line < x.count(); ++line) {
    result_t<moments, double> const all{x.size, means[line], squares[line]};
    results[line] = wanted.of(all);
    if (t != dtype::f64 || x.size == 0 || !spread::may_be_out_of_range(all.m2)) continue;
    std::vector<double> elements(x.size);
    dynamic::copy_lines<true>(x, line / x.inner, line % x.inner, 1,
                              reinterpret_cast<std::byte*>(elements.data()));
    results[line] = dynamic::spread_of(on, elements, all, wanted);
  }
}

/// means[i] = the mean of line i, and unless `wanted` is null spreads[i] = its spread.
void find_moments_of(settings const& on, dtype t, axis_lines const& in, double* means,
                     spread const* wanted, double* spreads) {
  cpu const executor = on.executor();
  computing(in.count() * in.size, [&] {
    double* const squares = wanted ? spreads : nullptr;
    if (!dynamic::find_column_moments(executor, t, in, means, squares))
      dynamic::dispatch(
          dynamic::moment_types{}, t,
          [&]<class T>() {
            dynamic::for_each_line(
                executor, in, [&](std::size_t line, std::byte const* at, cpu const& here) {
                  std::span<T const> const elements{reinterpret_cast<T const*>(at), in.size};
                  auto const all = upsweep::reduce(here, elements, moments{});
                  means[line] = all.mean;
                  if (squares) squares[line] = all.m2;
                });
          },
          refuse);
    if (wanted) find_spreads(executor, t, in, *wanted, means, squares, spreads);
  });
}

/// The same for Python: variances, or standard deviations if `root`.
void find_moments(std::string_view type, input const& x, output const& means,
                  std::optional<output> const& spreads, double correction, bool root,
                  settings const& on) {
  dtype const t = type_named(type);
  axis_lines const in = axis_lines_of(x, size_of(t));
  expect_same_size(in.count(), means.size());
  if (spreads) expect_same_size(in.count(), spreads->size());
  spread const wanted{correction, root};
  find_moments_of(on, t, in, elements_of<double>(means), spreads ? &wanted : nullptr,
                  spreads ? elements_of<double>(*spreads) : nullptr);
}

/// The results of lines along an axis in the type `dtype`, which is R; a number if there is `one`.
template <class R>
nb::object results_as(numpy_array const& x, bool one, std::size_t axis,
                      std::vector<double> const& results, nb::handle dtype) {
  auto const first = static_cast<R>(results.front());
  if (one) return numpy_functions::get().scalar(&first, dtype);
  nb::object made = empty_along(x, axis, dtype);
  auto* const to = reinterpret_cast<R*>(numpy_array_of(made)->data);
  std::transform(results.begin(), results.end(), to,
                 [](double result) { return static_cast<R>(result); });
  return made;
}

/// The means, or with a correction the variances of the lines along an axis, or of all elements for
/// None, of an array of NumPy in one piece; None if it is another, or has no elements.
nb::object short_moment(nb::handle array, nb::handle axis, std::optional<double> correction,
                        bool root, settings const& on) {
  auto const x = numpy_array_of(array);
  if (!x || x->size() == 0 || !has_moments(x->type)) return nb::none();
  auto const along = axis.is_none() ? std::optional<std::size_t>(0) : axis_of(*x, axis);
  if (!along) return nb::none();
  bool const one = axis.is_none() || x->ndim == 1;
  axis_lines const in = one ? dynamic::lines_of_array(x->data, size_of(x->type), 1, x->size(), 1)
                            : lines_along(*x, *along);
  std::vector<double> results(in.count()), spreads(correction ? in.count() : 0);
  spread const wanted{correction.value_or(0), root};
  find_moments_of(on, x->type, in, results.data(), correction ? &wanted : nullptr, spreads.data());
  if (correction) results.swap(spreads);
  return x->type == dtype::f32
             ? results_as<float>(*x, one, *along, results, x->dtype)
             : results_as<double>(*x, one, *along, results, numpy_functions::get().float64());
}

/// out[i] = the logarithm of the sum of the exponentials of line i, of its type.
void find_log_sum_exp(std::string_view type, input const& x, output const& out,
                      settings const& on) {
  std::size_t const bytes = size_of(type_named(type));
  lines const in = lines_of(x, bytes), to = line_of(out, bytes);
  expect_same_size(in.count, to.size);
  computing(in.count * in.size, [&] {
    host::run(on.executor(), host::line_logarithms{lane_type_named(type), in.first, to.first,
                                                   nullptr, in.count, in.size});
  });
}

}  // namespace

void add_moments(nb::module_& m) {
  m.def("moments", find_moments, nb::arg(), nb::arg(), nb::arg(), nb::arg().none(), nb::arg(),
        nb::arg(), nb::arg());
  m.def("short_moment", short_moment, nb::arg(), nb::arg().none(), nb::arg().none(), nb::arg(),
        nb::arg());
  m.def("log_sum_exp", find_log_sum_exp);
}

}  // namespace upsweep::python
