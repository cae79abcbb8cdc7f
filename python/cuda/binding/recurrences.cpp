/// Linear recurrences in the tree of anchored blocks, and functions of elements, lines and rows,
/// over memory of PyTorch's tensors, whose package has checked them. None waits.
#include <python/binding/addresses.hpp>
#include <python/cuda/binding/arrays.hpp>
#include <python/cuda/binding/lines.hpp>
#include <upsweep/cuda/anchored/on_gpu.hpp>
#include <upsweep/cuda/elementwise/on_gpu.hpp>
#include <upsweep/cuda/executor.hpp>
#include <upsweep/cuda/norms/on_gpu.hpp>
#include <upsweep/cuda/segments/on_gpu.hpp>

#include <nanobind/stl/array.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string_view.h>
#include <nanobind/stl/vector.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

namespace upsweep::python {
namespace {

/// The address of the first element, and the strides of the three dimensions, in elements.
using elements = std::array<std::int64_t, 4>;
/// The addresses of values, totals and positions.
using states = std::array<address, 3>;

device::anchored_elements elements_at(elements const& x) {
  return {pointer<void>(static_cast<address>(x[0])), x[1], x[2], x[3]};
}
device::anchored_memory states_at(states const& x) {
  return {pointer<void>(x[0]), pointer<void>(x[1]), pointer<std::int64_t>(x[2])};
}

/// The addresses of `factor`, `of`, `of_a` and the state before the recurrence
/// (device::anchored_gradients).
using gradients = std::array<address, 6>;

/// `sizes`: sequences, the most tokens of one, and lanes.
void linear_recurrence(std::string_view type, int number, address stream,
                       std::array<std::size_t, 3> const& sizes, elements const& a,
                       elements const& b, elements const& h, address cut, states const& before,
                       states const& after, bool backward, std::optional<gradients> const& of) {
  current_device const here(number);
  device::anchored_gradients made{};
  if (of) {
    auto const& [factor, results, of_a, value, totals, position] = *of;
    made = {pointer<void const>(factor), pointer<void const>(results), pointer<void>(of_a),
            states_at({value, totals, position})};
  }
  raising([&] {
    device::anchored_recurrence_on(
        gpu{.stream = stream_of(stream)},
        {lane_type_named(type), elements_at(a), elements_at(b), elements_at(h), sizes[0], sizes[1],
         sizes[2], pointer<std::int64_t const>(cut), states_at(before), states_at(after), backward,
         of ? &made : nullptr});
  });
}

/// out[i] = function(x[i]) of float or, if `wide`, of double.
void elementwise(std::string_view function, bool wide, int number, address stream, address x,
                 address out, std::size_t n) {
  current_device const here(number);
  auto const f = element_function_named(function);
  gpu const on{.stream = stream_of(stream)};
  raising([&] {
    wide ? device::elementwise_on(on, f, pointer<double const>(x), pointer<double>(out), n)
         : device::elementwise_on(on, f, pointer<float const>(x), pointer<float>(out), n);
  });
}

/// The scans of the lines along an axis, into contiguous memory. Returns false if it needs other
/// kernels, as lines_call does.
bool scan_lines_in_memory(std::string_view op, std::string_view type, int number, address stream,
                          address x, std::vector<std::size_t> const& extents,
                          std::vector<std::ptrdiff_t> const& strides, std::size_t axis, address out,
                          bool reverse) {
  current_device const here(number);
  auto const* const known = catalog::find(op);
  auto const found = dynamic::find_dtype(type);
  detail::expects(known != nullptr && found.has_value(), "_core: lines have no such scan");
  std::vector<std::ptrdiff_t> strides_out(extents.size());
  std::ptrdiff_t stride = 1;
  for (std::size_t d = extents.size(); d-- > 0; stride *= static_cast<std::ptrdiff_t>(extents[d]))
    strides_out[d] = stride;
  lines_call const call{.on = {stream_of(stream)},
                        .op = known->id,
                        .type = *found,
                        .in = {pointer<void>(x), extents, strides},
                        .out = {pointer<void>(out), extents, strides_out},
                        .axis = axis,
                        .reverse = reverse,
                        .initial = nullptr};
  return raising([&] { return scan_lines(call); });
}

/// out[k] = the sum of line k of float or double, or of any elements the logarithm of its sum of
/// exponentials; `count` lines of `size` elements lie one after another.
void reduce_lines_in_memory(std::string_view op, std::string_view type, int number, address stream,
                            address x, address out, std::size_t count, std::size_t size) {
  current_device const here(number);
  detail::expects(op == "sum" || op == "log_sum_exp", "_core: lines have no such reduction");
  gpu const on{.stream = stream_of(stream)};
  auto const of = lane_type_named(type);
  raising([&] {
    if (op == "log_sum_exp")
      return device::log_sum_lines_on(
          on, {of, pointer<void const>(x), count, size, pointer<void>(out)});
    auto const sum = [&]<class T>(T const* from) {
      device::sum_lines_on(on, from, count, size, pointer<T>(out));
    };
    of == host::simd::lane_type::f64 ? sum(pointer<double const>(x)) : sum(pointer<float const>(x));
  });
}

void line_function(std::string_view name, std::string_view type, int number, address stream,
                   std::array<address, 5> const& memory, std::size_t count, std::size_t size,
                   double parameter) {
  current_device const here(number);
  raising([&] {
    device::line_functions_on(gpu{.stream = stream_of(stream)},
                              line_functions_at(name, type, memory, count, size, parameter));
  });
}

/// out[k] = the sum of the rows between borders k and k + 1, in an order or as they are.
void sum_rows(std::string_view type, int number, address stream, address x, address order,
              address borders, std::array<std::size_t, 3> const& sizes, address out) {
  current_device const here(number);
  auto const& [count, size, columns] = sizes;
  raising([&] {
    device::sum_rows_on(
        gpu{.stream = stream_of(stream)},
        {lane_type_named(type), pointer<void const>(x), pointer<std::int64_t const>(order),
         pointer<std::int64_t const>(borders), count, size, columns, pointer<void>(out)});
  });
}

/// out = the sums of gradient times x / scale over rows.
void sum_normed_rows(std::string_view type, int number, address stream,
                     std::array<address, 4> const& memory, std::size_t size, std::size_t columns) {
  current_device const here(number);
  auto const& [x, gradient, scale, out] = memory;
  raising([&] {
    device::sum_normed_rows_on(
        gpu{.stream = stream_of(stream)},
        {lane_type_named(type), pointer<void const>(x), pointer<void const>(gradient),
         pointer<void const>(scale), size, columns, pointer<void>(out)});
  });
}

/// device::take_rows_on.
void take_rows(int number, address stream, address x, address index, std::size_t count,
               std::size_t bytes, address out) {
  current_device const here(number);
  raising([&] {
    device::take_rows_on(gpu{.stream = stream_of(stream)},
                         {pointer<void const>(x), pointer<std::int64_t const>(index), count, bytes,
                          pointer<void>(out)});
  });
}

/// device::log_terms_on, with x, the running maxima, a and b; and device::log_results_on, with the
/// sums, the maxima and out. `sizes`: lines and their elements.
void log_terms(bool wide, int number, address stream, std::array<std::size_t, 2> const& sizes,
               bool reverse, std::array<address, 4> const& memory) {
  current_device const here(number);
  auto const& [x, maxima, a, b] = memory;
  raising([&] {
    device::log_terms_on(gpu{.stream = stream_of(stream)},
                         {wide, sizes[0], sizes[1], reverse, pointer<void const>(maxima)},
                         pointer<void const>(x), pointer<double>(a), pointer<double>(b));
  });
}
void log_results(bool wide, int number, address stream, std::array<std::size_t, 2> const& sizes,
                 std::array<address, 3> const& memory) {
  current_device const here(number);
  auto const& [sums, maxima, out] = memory;
  raising([&] {
    device::log_results_on(gpu{.stream = stream_of(stream)},
                           {wide, sizes[0], sizes[1], false, pointer<void const>(maxima)},
                           pointer<double const>(sums), pointer<void>(out));
  });
}

/// The address of the first element of B or C, and the strides of the four dimensions.
using matrix = std::array<std::int64_t, 5>;
device::selective_states matrix_at(matrix const& x) {
  return {pointer<void const>(static_cast<address>(x[0])), x[1], x[2], x[3], x[4]};
}

/// device::selective_scans. `sizes`: sequences, tokens, channels and groups; `arrays`: u, delta, z
/// and y; `numbers`: A, D, delta's bias, the last results and `starts`; `of`: with it,
/// the gradients of the call, from those of y, in the order of device::selective_gradients.
void selective_scan(std::string_view type, int number, address stream,
                    std::array<std::size_t, 4> const& sizes, bool softplus,
                    std::array<elements, 4> const& arrays, std::array<matrix, 2> const& matrices,
                    std::array<address, 5> const& numbers, address cut, states const& before,
                    states const& after,
                    std::optional<std::pair<elements, std::array<address, 8>>> const& of) {
  current_device const here(number);
  auto const& [u, delta, z, y] = arrays;
  auto const& [rate, skip, bias, last, starts] = numbers;
  device::selective_scans const call{lane_type_named(type),
                                     elements_at(u),
                                     elements_at(delta),
                                     elements_at(z),
                                     matrix_at(matrices[0]),
                                     matrix_at(matrices[1]),
                                     pointer<void const>(rate),
                                     pointer<void const>(skip),
                                     pointer<void const>(bias),
                                     softplus,
                                     sizes[0],
                                     sizes[1],
                                     sizes[2],
                                     sizes[3],
                                     pointer<std::int64_t const>(cut),
                                     states_at(before),
                                     states_at(after),
                                     elements_at(y),
                                     pointer<void>(last),
                                     pointer<void>(starts)};
  gpu const on{.stream = stream_of(stream)};
  raising([&] {
    if (!of) return device::selective_scan_on(on, call);
    auto const& to = of->second;
    device::selective_gradients_on(
        on, call,
        {elements_at(of->first), pointer<void>(to[0]), pointer<void>(to[1]), pointer<void>(to[2]),
         pointer<void>(to[3]), pointer<void>(to[4]), pointer<void>(to[5]), pointer<void>(to[6]),
         pointer<void>(to[7])});
  });
}

}  // namespace

void add_recurrences(nb::module_& m) {
  m.def("linear_recurrence", linear_recurrence, nb::arg(), nb::arg(), nb::arg(), nb::arg(),
        nb::arg(), nb::arg(), nb::arg(), nb::arg(), nb::arg(), nb::arg(), nb::arg(),
        nb::arg().none());
  m.def("selective_scan", selective_scan, nb::arg(), nb::arg(), nb::arg(), nb::arg(), nb::arg(),
        nb::arg(), nb::arg(), nb::arg(), nb::arg(), nb::arg(), nb::arg(), nb::arg().none());
  m.def("elementwise", elementwise);
  m.def("reduce_lines", reduce_lines_in_memory);
  m.def("scan_lines", scan_lines_in_memory);
  m.def("line_function", line_function);
  m.def("log_terms", log_terms);
  m.def("log_results", log_results);
  m.def("take_rows", take_rows);
  m.def("sum_rows", sum_rows);
  m.def("sum_normed_rows", sum_normed_rows);
}

}  // namespace upsweep::python
