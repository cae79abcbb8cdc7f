/// The short way of verbs without an operator over arrays of NumPy in one piece and one dimension:
/// None if they are others.
#include <python/binding/call_options.hpp>
#include <python/binding/module.hpp>

#include <upsweep/host/simd/loops.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>

namespace upsweep::python {
namespace {

/// The elements of an array of one dimension that has any, or nothing.
std::optional<numpy_array> line_of_numpy(nb::handle array) {
  auto const x = numpy_array_of(array);
  return x && x->ndim == 1 && x->size() > 0 ? x : std::nullopt;
}

/// The elements of an array that can be sorted along its last axis, or nothing.
std::optional<numpy_array> sortable(nb::handle array, nb::handle axis) {
  auto const x = numpy_array_of(array);
  if (!x || x->ndim == 0 || x->size() == 0 || x->type == dynamic::dtype::boolean) return {};
  auto const along = axis_of(*x, axis);
  return along == x->ndim - 1 ? x : std::nullopt;
}
dynamic::line_shape shape_of(numpy_array const& x) {
  auto const size = static_cast<std::size_t>(x.shape[x.ndim - 1]);
  return {x.size() / size, size};
}

nb::object sort(nb::handle array, nb::handle axis, bool descending, settings const& on) {
  auto const x = sortable(array, axis);
  if (!x) return nb::none();
  nb::object made = numpy_functions::get().empty(x->ndim, x->shape, x->dtype);
  auto* const to = numpy_array_of(made)->data;
  computing(x->size(), [&, here = on.executor()] {
    dynamic::sort_lines(here, x->type, x->data, shape_of(*x), descending, to);
  });
  return made;
}

nb::object argsort(nb::handle array, nb::handle axis, bool descending, settings const& on) {
  auto const x = sortable(array, axis);
  if (!x) return nb::none();
  auto const& numpy = numpy_functions::get();
  nb::object made = numpy.empty(x->ndim, x->shape, numpy.int64());
  auto* const to = reinterpret_cast<std::uint64_t*>(numpy_array_of(made)->data);
  computing(x->size(), [&, here = on.executor()] {
    dynamic::argsort_lines(here, x->type, x->data, shape_of(*x), descending, to);
  });
  return made;
}

/// The quantile of all elements of an array of any dimensions.
nb::object quantile(nb::handle array, double share, settings const& on) {
  auto const x = numpy_array_of(array);
  if (!x || x->size() == 0 || x->type == dynamic::dtype::boolean) return nb::none();
  double found = 0;
  computing(x->size(), [&, here = on.executor()] {
    dynamic::quantiles(here, x->type, x->data, x->size(), &share, 1, &found);
  });
  auto const& numpy = numpy_functions::get();
  return numpy.scalar(&found, numpy.float64());
}

nb::object select(nb::handle array, nb::handle flags, settings const& on) {
  auto const x = line_of_numpy(array), given = line_of_numpy(flags);
  if (!x || !given || given->size() != x->size() || given->type != dynamic::dtype::boolean)
    return nb::none();
  auto const* const chosen = reinterpret_cast<std::uint8_t const*>(given->data);
  std::size_t const n = x->size();
  std::size_t const count = n - host::simd::count_marks(chosen, 0, n);
  nb::object made = numpy_functions::get().empty(count, x->dtype);
  auto* const to = numpy_array_of(made)->data;
  if (count > 0)
    computing(n, [&, here = on.executor()] {
      dynamic::select(here, x->type, x->data, chosen, n, to, count);
    });
  return made;
}

/// An array, or what NumPy makes of a list.
nb::object array_of(nb::handle x) {
  return PyList_CheckExact(x.ptr()) ? numpy_functions::get().array_of(x) : nb::borrow(x);
}

/// The counts of small integers, or the sums of their weights unless these are None.
nb::object bincount(nb::handle array, nb::handle with, std::size_t minlength, settings const& on) {
  nb::object const elements = array_of(array), kept = array_of(with);
  if (!elements.is_valid() || !kept.is_valid()) return nb::none();
  auto const x = line_of_numpy(elements), weights = line_of_numpy(kept);
  if (!x || is_float(x->type) || x->type == dynamic::dtype::boolean) return nb::none();
  std::size_t const n = x->size();
  bool const weighted = !with.is_none();
  if (weighted && (!weights || weights->type != dynamic::dtype::f64 || weights->size() != n))
    return nb::none();
  cpu const here = on.executor();
  auto const range =
      computing(n, [&] { return dynamic::range_of_indices(here, x->type, x->data, n); });
  constexpr std::size_t most = std::size_t{1} << 40;  // an error of memory has to tell the size
  if (range.negative != 0 || range.largest >= most || minlength >= most) return nb::none();
  std::size_t const size = std::max<std::size_t>(minlength, range.largest + 1);
  auto const& numpy = numpy_functions::get();
  nb::object made = numpy.empty(size, weighted ? numpy.float64() : numpy.int64());
  auto* const to = numpy_array_of(made)->data;
  computing(n, [&] {
    if (!weighted)
      return dynamic::count_indices(here, x->type, x->data, n, reinterpret_cast<std::uint64_t*>(to),
                                    size);
    auto const& sum = *dynamic::find(catalog::id::sum, dynamic::dtype::f64);
    dynamic::reduce_indices(here, {x->type, x->data, sum, weights->data, n}, to, size);
  });
  return made;
}

/// f(n, x, y) for the n elements of a line of f32 or f64, and memory for as many results.
template <class F>
nb::object recurrence_over(std::optional<numpy_array> const& x, F const& f) {
  std::size_t const n = x->size();
  nb::object made = numpy_functions::get().empty(n, x->dtype);
  auto* const to = numpy_array_of(made)->data;
  computing(n, [&] { f(n, x->data, to); });
  return made;
}

nb::object moving_average(nb::handle array, double weight, settings const& on) {
  auto const x = line_of_numpy(array);
  if (!x || (x->type != dynamic::dtype::f32 && x->type != dynamic::dtype::f64)) return nb::none();
  return recurrence_over(x, [&](std::size_t n, std::byte const* in, std::byte* out) {
    dynamic::moving_average(x->type, weight, true, in, n, {on.executor()}, out);
  });
}

nb::object recurrence(double a, nb::handle array, settings const& on) {
  auto const x = line_of_numpy(array);
  if (!x || x->type != dynamic::dtype::f64) return nb::none();
  return recurrence_over(x, [&](std::size_t n, std::byte const* in, std::byte* out) {
    dynamic::recurrence(x->type, &a, 1, in, n, {on.executor()}, out);
  });
}

}  // namespace

void add_short_verbs(nb::module_& m) {
  m.def("short_sort", sort, nb::arg(), nb::arg().none(), nb::arg(), nb::arg());
  m.def("short_argsort", argsort, nb::arg(), nb::arg().none(), nb::arg(), nb::arg());
  m.def("short_quantile", quantile);
  m.def("short_select", select);
  m.def("short_bincount", bincount, nb::arg(), nb::arg().none(), nb::arg(), nb::arg());
  m.def("short_moving_average", moving_average);
  m.def("short_recurrence", recurrence, nb::arg(), nb::arg().none(), nb::arg());
}

}  // namespace upsweep::python
