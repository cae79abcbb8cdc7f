/// The verbs of upsweep_cuda.h over arrays of any library, in a stream; none waits.
#include <python/cuda/binding/arrays.hpp>
#include <python/cuda/binding/lines.hpp>
#include <upsweep/cuda/executor.hpp>
#include <upsweep/names/compiled.hpp>

#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/string_view.h>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace upsweep::python {
namespace {

/// How a call runs: in which stream, from which end, after which value.
struct manner {
  CUstream_st* stream;
  upsweep_cuda_options options = UPSWEEP_CUDA_OPTIONS_INIT;
};

/// `initial` is the bytes of one result, or None.
manner manner_of(std::uintptr_t stream, bool reverse, std::optional<nb::bytes> const& initial) {
  manner how{.stream = stream_of(stream)};
  if (reverse) how.options.flags = UPSWEEP_REVERSE;
  if (initial) how.options.initial = initial->data();
  return how;
}

upsweep_operator operator_named(std::string_view name) {
  auto const* const known = catalog::find(name);
  detail::expects(known != nullptr, "_core: not an operator");
  return c_api::operator_of(known->id);
}

/// out[i] = the reduction of line i of `x`, whose lines are contiguous, one after another.
void reduce(std::string_view op, view const& x, view const& out, std::uintptr_t stream,
            bool reverse, std::optional<nb::bytes> const& initial) {
  current_device const here(x.device());
  manner const how = manner_of(stream, reverse, initial);
  std::size_t const size = out.size() > 0 ? x.size() / out.size() : 0;
  for (std::size_t line = 0; line < out.size(); ++line)
    expect_ok(upsweep_cuda_reduce(x.type_in_c(), operator_named(op), x.element(line * size), size,
                                  &how.options, out.element(line), how.stream));
}

/// Line i of `out` = the scan of line i of `x`, of `size` elements. With `first`, the results of
/// each begin with the reduction of nothing.
void scan(std::string_view op, view const& x, std::size_t size, view const& out,
          std::uintptr_t stream, bool exclusive, bool reverse, bool first,
          std::optional<nb::bytes> const& initial) {
  current_device const here(x.device());
  manner const how = manner_of(stream, reverse, initial);
  upsweep_operator const by = operator_named(op);
  upsweep_type const type = x.type_in_c();
  auto const run = exclusive ? upsweep_cuda_exclusive_scan : upsweep_cuda_inclusive_scan;
  std::size_t const results = size + (first ? 1 : 0);
  std::size_t const count = results > 0 ? out.size() / results : 0;
  detail::expects(count * results == out.size() && count * size == x.size(),
                  "_core: the lines of a scan differ in size");
  for (std::size_t line = 0; line < count; ++line) {
    std::byte* to = out.element(line * results);
    if (first) {
      expect_ok(upsweep_cuda_reduce(type, by, nullptr, 0, &how.options, to, how.stream));
      to = out.element(line * results + 1);
    }
    expect_ok(run(type, by, x.element(line * size), size, &how.options, to, how.stream));
  }
}

std::vector<std::size_t> extents_of(view const& x) {
  auto const* const shape = x.array().shape_ptr();
  return {shape, shape + x.array().ndim()};
}
std::vector<std::ptrdiff_t> strides_of(view const& x) {
  auto const* const strides = x.array().stride_ptr();
  return {strides, strides + x.array().ndim()};
}

/// Whether all lines along the axis could be scanned, or reduced, by one launch.
bool along_axis(bool reduces, std::string_view op, view const& x, std::size_t axis, view const& out,
                std::uintptr_t stream, bool reverse, std::optional<nb::bytes> const& initial) {
  auto const* const known = catalog::find(op);
  if (!known || !x.type()) return false;
  current_device const here(x.device());
  auto const extents = extents_of(x), extents_out = extents_of(out);
  auto const strides = strides_of(x), strides_out = strides_of(out);
  lines_call const call{.on = {stream_of(stream)},
                        .op = known->id,
                        .type = *x.type(),
                        .in = {x.data(), extents, strides},
                        .out = {out.data(), extents_out, strides_out},
                        .axis = axis,
                        .reverse = reverse,
                        .initial = initial ? initial->data() : nullptr};
  return raising([&] { return reduces ? reduce_lines(call) : scan_lines(call); });
}

void sort(view const& x, view const& out, std::uintptr_t stream, bool descending) {
  current_device const here(x.device());
  manner const how = manner_of(stream, descending, {});
  expect_ok(
      upsweep_cuda_sort(x.type_in_c(), x.data(), x.size(), &how.options, out.data(), how.stream));
}

void argsort(view const& x, view const& out, std::uintptr_t stream, bool descending) {
  current_device const here(x.device());
  manner const how = manner_of(stream, descending, {});
  expect_ok(upsweep_cuda_argsort(x.type_in_c(), x.data(), x.size(), &how.options,
                                 static_cast<std::uint64_t*>(out.data()), how.stream));
}

/// The elements whose flag is not 0, as many as `out` has room for; `count` has their number.
void select(view const& x, view const& flags, view const& out, view const& count,
            std::uintptr_t stream) {
  detail::expects(flags.size() == x.size(), "_core: an element has no flag");
  current_device const here(x.device());
  expect_ok(upsweep_cuda_select(x.type_in_c(), x.data(), static_cast<uint8_t*>(flags.data()),
                                x.size(), nullptr, out.data(), out.size(),
                                static_cast<std::uint64_t*>(count.data()), stream_of(stream)));
}

/// `borders` are the edges of the bins, in the host's memory, or the first and the last of them.
void histogram(view const& x, nb::ndarray<double const, nb::ndim<1>, nb::device::cpu> borders,
               bool even, view const& counts, view const& outside, std::uintptr_t stream) {
  detail::expects(outside.size() == 3, "_core: three numbers lie outside");
  current_device const here(x.device());
  manner how = manner_of(stream, false, {});
  how.options.flags = UPSWEEP_CLOSED_RIGHT;
  auto* const to = static_cast<std::uint64_t*>(counts.data());
  auto* const beside = static_cast<upsweep_outside_counts*>(outside.data());
  double const* const levels = borders.data();
  if (even)
    expect_ok(upsweep_cuda_histogram(x.type_in_c(), x.data(), x.size(), levels[0], levels[1],
                                     counts.size(), &how.options, to, beside, how.stream));
  else
    expect_ok(upsweep_cuda_histogram_levels(x.type_in_c(), x.data(), x.size(), levels,
                                            counts.size(), &how.options, to, beside, how.stream));
}

void reduce_segments(std::string_view op, view const& x, view const& offsets, view const& out,
                     std::uintptr_t stream, std::optional<nb::bytes> const& initial) {
  detail::expects(offsets.size() == out.size() + 1, "_core: segments have no result");
  current_device const here(x.device());
  manner const how = manner_of(stream, false, initial);
  expect_ok(upsweep_cuda_reduce_segments(x.type_in_c(), operator_named(op), x.data(), x.size(),
                                         static_cast<std::uint64_t const*>(offsets.data()),
                                         out.size(), &how.options, out.data(), how.stream));
}

void scan_segments(std::string_view op, view const& x, view const& offsets, view const& out,
                   std::uintptr_t stream, bool exclusive, std::optional<nb::bytes> const& initial) {
  detail::expects(offsets.size() > 0 && out.size() == x.size(), "_core: segments have no result");
  current_device const here(x.device());
  manner const how = manner_of(stream, false, initial);
  auto const run =
      exclusive ? upsweep_cuda_exclusive_scan_segments : upsweep_cuda_inclusive_scan_segments;
  expect_ok(run(x.type_in_c(), operator_named(op), x.data(), x.size(),
                static_cast<std::uint64_t const*>(offsets.data()), offsets.size() - 1, &how.options,
                out.data(), how.stream));
}

template <class... T>
nb::tuple names_of(dynamic::types<T...>) {
  nb::list names;
  (names.append(name_of(dynamic::dtype_of<T>)), ...);
  return nb::tuple(names);
}

/// The types of elements with kernels, of each operator and each verb without one.
nb::dict kernels() {
  using namespace dynamic;
  nb::dict all;
  all["sum"] = names_of(types_for<target::gpu, plus>{});
  all["product"] = names_of(types_for<target::gpu, multiplies>{});
  all["min"] = names_of(types_for<target::gpu, min>{});
  all["max"] = names_of(types_for<target::gpu, max>{});
  all["histogram"] = names_of(device::histogram_elements{});
  all["segments"] = names_of(four_widest{});
  all["sort"] = names_of(words_and_wide_floats{});
  return all;
}

}  // namespace

void add_calls(nb::module_& m) {
  m.attr("kernels") = kernels();
  m.def("available", [] { expect_ok(upsweep_cuda_available()); });
  m.def("reduce", reduce, nb::arg(), nb::arg(), nb::arg(), nb::arg(), nb::arg(), nb::arg().none());
  m.def("scan", scan, nb::arg(), nb::arg(), nb::arg(), nb::arg(), nb::arg(), nb::arg(), nb::arg(),
        nb::arg(), nb::arg().none());
  m.def("along_axis", along_axis, nb::arg(), nb::arg(), nb::arg(), nb::arg(), nb::arg(), nb::arg(),
        nb::arg(), nb::arg().none());
  m.def("sort", sort);
  m.def("argsort", argsort);
  m.def("select", select);
  m.def("histogram", histogram);
  m.def("reduce_segments", reduce_segments, nb::arg(), nb::arg(), nb::arg(), nb::arg(), nb::arg(),
        nb::arg().none());
  m.def("scan_segments", scan_segments, nb::arg(), nb::arg(), nb::arg(), nb::arg(), nb::arg(),
        nb::arg(), nb::arg().none());
}

}  // namespace upsweep::python
