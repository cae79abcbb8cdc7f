/// Mean and variance, and logarithms of sums of exponentials: operators whose state is no number,
/// so that they have no entries.
#include <python/binding/module.hpp>

#include <upsweep/ops/log_sum_exp.hpp>
#include <upsweep/ops/moments.hpp>
#include <upsweep/reduce.hpp>

#include <nanobind/stl/string_view.h>

#include <span>
#include <string_view>

namespace upsweep::python {
namespace {

using dynamic::dtype;

/// The types of whose elements the library has compiled moments.
using moment_types =
    dynamic::types<std::int32_t, std::uint32_t, std::int64_t, std::uint64_t, float, double>;

template <class T>
std::span<T const> elements_of_line(lines const& x, std::size_t line) {
  return {reinterpret_cast<T const*>(x[line]), x.size};
}

/// Calls f.operator()<T>(line, executor) for every line of `x`.
template <class Types, class F>
void for_each_line(dtype t, lines const& x, settings const& on, F const& f) {
  auto const refuse = [] { detail::fail("_core: no such operator over elements of this type"); };
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
  lines const in = lines_of(x, size_of(t));
  auto* const means = elements_of<double>(mean);
  auto* const m2 = elements_of<double>(squares);
  expect_same_size(in.count, mean.size());
  expect_same_size(in.count, squares.size());
  for_each_line<moment_types>(t, in, on, [&]<class T>(std::size_t line, cpu const& here) {
    moments_of const all = upsweep::reduce(here, elements_of_line<T>(in, line), moments{});
    means[line] = all.mean;
    m2[line] = all.m2;
  });
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
  m.def("log_sum_exp", find_log_sum_exp);
}

}  // namespace upsweep::python
