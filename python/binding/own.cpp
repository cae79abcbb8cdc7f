/// Operators of the caller that are functions of C, which Python gives by their addresses.
#include <python/binding/module.hpp>

#include <upsweep/reduce.hpp>
#include <upsweep/scan.hpp>

#include <nanobind/stl/string_view.h>

#include <cstdint>
#include <span>
#include <string_view>

namespace upsweep::python {
namespace {

/// The types that such a function may take two of and return.
using function_types = dynamic::types<std::int32_t, std::int64_t, float, double>;

/// Calls f.operator()<T>(operator) with the function T(T, T) at an address. It may need the
/// interpreter's lock, on any thread, so that is released.
template <class F>
void with_function(std::uintptr_t address, dynamic::dtype t, F const& f) {
  nb::gil_scoped_release const released;
  dynamic::dispatch(
      function_types{}, t,
      [&]<class T>() {
        auto* const function = reinterpret_cast<T (*)(T, T)>(address);
        f.template operator()<T>(
            [function](T earlier, T later) { return function(earlier, later); });
      },
      [] { upsweep::detail::fail("_core: no functions of elements of this type"); });
}

template <class T>
std::span<T> span_of(lines const& x) {
  return {reinterpret_cast<T*>(x.first), x.size};
}

/// *to = the reduction of the elements of `x`, of which there is at least one.
void reduce_by(std::uintptr_t address, std::string_view type, input const& x, output const& to,
               settings const& on) {
  dynamic::dtype const t = type_named(type);
  lines const in = line_of(x, size_of(t)), out = line_of(to, size_of(t));
  expect_same_size(out.size, 1);
  with_function(address, t, [&]<class T>(auto op) {
    span_of<T>(out)[0] = upsweep::reduce(on.executor(), std::span<T const>(span_of<T>(in)), op);
  });
}

/// to[i] = the reduction of the elements up to x[i].
void scan_by(std::uintptr_t address, std::string_view type, input const& x, output const& to,
             settings const& on) {
  dynamic::dtype const t = type_named(type);
  lines const in = line_of(x, size_of(t)), out = line_of(to, size_of(t));
  expect_same_size(in.size, out.size);
  with_function(address, t, [&]<class T>(auto op) {
    inclusive_scan(on.executor(), std::span<T const>(span_of<T>(in)), span_of<T>(out), op);
  });
}

}  // namespace

void add_own(nb::module_& m) {
  m.def("reduce_by", reduce_by);
  m.def("scan_by", scan_by);
}

}  // namespace upsweep::python
