/// Applications of scans, for Python: cumulative distributions, weighted samples, convolutions.
#include <python/binding/module.hpp>

#include <upsweep/apps/convolution.hpp>
#include <upsweep/apps/weighted_sampling.hpp>
#include <upsweep/distribution.hpp>

#include <nanobind/stl/string_view.h>

#include <cstdint>
#include <span>
#include <string_view>

namespace upsweep::python {
namespace {

template <class T>
std::span<T const> span_of(input const& x) {
  return {elements_of<T>(x), x.size()};
}
template <class T>
std::span<T> span_of(output const& x) {
  return {elements_of<T>(x), x.size()};
}

void cumulative_distribution(input const& weights, output const& out, settings const& on) {
  auto const from = span_of<double>(weights);
  auto const to = span_of<double>(out);
  computing(from.size(), [&] { upsweep::cumulative_distribution(on.executor(), from, to); });
}

/// Positions drawn by uniform numbers, one each.
void weighted_sample(input const& weights, input const& uniform, output const& out,
                     settings const& on) {
  auto const from = span_of<double>(weights), u = span_of<double>(uniform);
  auto const to = span_of<std::uint64_t>(out);
  computing(from.size() + to.size(), [&] {
    cpu const here = on.executor();
    apps::weighted_sampler(from, here).draw(u, to, here);
  });
}

/// Positions in equal steps, by one uniform number.
void systematic_sample(input const& weights, double u, output const& out, settings const& on) {
  auto const from = span_of<double>(weights);
  auto const to = span_of<std::uint64_t>(out);
  computing(from.size() + to.size(), [&] {
    cpu const here = on.executor();
    apps::weighted_sampler(from, here).draw_systematic(u, to, here);
  });
}

template <class T>
strided_view<T> matrix(lines const& x) {
  return strided_view<T>(reinterpret_cast<T*>(x.first), {x.count, x.size});
}

apps::outputs_kept kept_named(std::string_view mode) {
  if (mode == "full") return apps::outputs_kept::full;
  if (mode == "same") return apps::outputs_kept::same;
  detail::expects(mode == "valid", "convolve: give mode='full', 'same' or 'valid'");
  return apps::outputs_kept::valid;
}

/// The convolution of contiguous matrices of f32 or f64.
void convolve(std::string_view type, input const& x, input const& filter, output const& out,
              std::string_view mode, settings const& on) {
  dynamic::dispatch(
      dynamic::wide_floats{}, type_named(type),
      [&]<class T>() {
        auto const from = lines_of(x, sizeof(T)), with = lines_of(filter, sizeof(T)),
                   to = lines_of(out, sizeof(T));
        auto const kept = kept_named(mode);
        computing(x.size(), [&] {
          apps::convolve_tiled(matrix<T const>(from), matrix<T const>(with), matrix<T>(to), kept,
                               on.executor());
        });
      },
      [] { detail::fail("_core: convolutions are of f32 or f64"); });
}

}  // namespace

void add_applications(nb::module_& m) {
  m.def("cumulative_distribution", cumulative_distribution);
  m.def("weighted_sample", weighted_sample);
  m.def("systematic_sample", systematic_sample);
  m.def("convolve", convolve);
}

}  // namespace upsweep::python
