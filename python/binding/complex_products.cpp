/// Products of complex numbers along the combine tree, for Python.
#include <python/binding/module.hpp>

#include <upsweep/reduce.hpp>
#include <upsweep/scan.hpp>

#include <nanobind/stl/optional.h>

#include <complex>
#include <cstddef>
#include <optional>
#include <span>

namespace upsweep::python {
namespace {

/// The product as it is written: two differences or sums of products, each rounded. std::complex
/// treats infinities in another way, which NumPy does not.
struct complex_product {
  static constexpr bool commutative = true;
  template <class C>
  [[nodiscard]] constexpr C identity() const {
    return C(1);
  }
  template <class T>
  [[nodiscard]] constexpr std::complex<T> operator()(std::complex<T> const& l,
                                                     std::complex<T> const& r) const {
    return {l.real() * r.real() - l.imag() * r.imag(), l.real() * r.imag() + l.imag() * r.real()};
  }
};

template <class C>
options<C> options_of(bool reverse, std::optional<input> const& initial) {
  options<C> o;
  o.reverse = reverse;
  if (initial) o.initial = *elements_of<C>(*initial);
  return o;
}

/// out[i] = the product of line i of `x`, elements of type C.
template <class C>
void reduce_lines(input const& x, output const& out, settings const& on, bool reverse,
                  std::optional<input> const& initial) {
  axis_lines const in = axis_lines_of(x, sizeof(C));
  C* const results = elements_of<C>(out);
  expect_same_size(in.count(), out.size());
  options<C> const how = options_of<C>(reverse, initial);
  computing(x.size(), [&] {
    dynamic::for_each_line(
        on.executor(), in, [&](std::size_t line, std::byte const* first, cpu const& here) {
          std::span const elements(reinterpret_cast<C const*>(first), in.size);
          results[line] = upsweep::reduce(here, elements, complex_product{}, how);
        });
  });
}

/// Line i of `out` = the running products of line i of `x`.
template <class C>
void scan_lines(input const& x, output const& out, settings const& on, bool exclusive, bool reverse,
                std::optional<input> const& initial) {
  axis_lines const in = axis_lines_of(x, sizeof(C)), to = axis_lines_of(out, sizeof(C));
  expect_same_shape(in, to);
  options<C> const how = options_of<C>(reverse, initial);
  computing(x.size(), [&] {
    dynamic::for_each_line(on.executor(), in, to,
                           [&](auto const* first, auto* to_first, cpu const& here) {
                             std::span const elements(reinterpret_cast<C const*>(first), in.size);
                             std::span const results(reinterpret_cast<C*>(to_first), in.size);
                             if (exclusive)
                               exclusive_scan(here, elements, results, complex_product{}, how);
                             else
                               inclusive_scan(here, elements, results, complex_product{}, how);
                           });
  });
}

void reduce(bool wide, input const& x, output const& out, settings const& on, bool reverse,
            std::optional<input> const& initial) {
  auto const& call = wide ? reduce_lines<std::complex<double>> : reduce_lines<std::complex<float>>;
  call(x, out, on, reverse, initial);
}

void scan(bool wide, input const& x, output const& out, settings const& on, bool exclusive,
          bool reverse, std::optional<input> const& initial) {
  auto const& call = wide ? scan_lines<std::complex<double>> : scan_lines<std::complex<float>>;
  call(x, out, on, exclusive, reverse, initial);
}

}  // namespace

void add_complex_products(nb::module_& m) {
  m.def("reduce_complex_product", reduce, nb::arg(), nb::arg(), nb::arg(), nb::arg(), nb::arg(),
        nb::arg().none());
  m.def("scan_complex_product", scan, nb::arg(), nb::arg(), nb::arg(), nb::arg(), nb::arg(),
        nb::arg(), nb::arg().none());
}

}  // namespace upsweep::python
