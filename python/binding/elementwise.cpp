/// Functions of elements, of lines and of rows, mostly over memory of PyTorch's tensors, whose
/// package has checked it: softmax and the like, running maxima and logarithms, sums of lines, and
/// of rows by segments and by index.
#include <python/binding/addresses.hpp>
#include <python/binding/module.hpp>
#include <upsweep/host/running_columns.hpp>

#include <nanobind/stl/array.h>
#include <nanobind/stl/string_view.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

namespace upsweep::python {
namespace {

using host::simd::element_function;

template <class T>
void map_array(element_function f, input const& x, output const& out, settings const& on) {
  T const* const from = elements_of<T>(x);
  T* const to = elements_of<T>(out);
  expect_same_size(x.size(), out.size());
  constexpr std::size_t part = 4096;
  std::size_t const n = x.size();
  computing(n, [&] {
    on.executor().for_each_part((n + part - 1) / part, part, [&](std::size_t p) {
      host::simd::map_elements(f, from + p * part, to + p * part, std::min(n - p * part, part));
    });
  });
}

/// out[i] = function(x[i]), both of f32 or f64.
void elementwise(std::string_view function, bool wide, input const& x, output const& out,
                 settings const& on) {
  element_function const f = element_function_named(function);
  wide ? map_array<double>(f, x, out, on) : map_array<float>(f, x, out, on);
}

void line_function(std::string_view name, std::string_view type,
                   std::array<address, 5> const& memory, std::size_t count, std::size_t size,
                   double parameter, settings const& on) {
  auto const call = line_functions_at(name, type, memory, count, size, parameter);
  computing(count * size, [&] { host::run(on.executor(), call); });
}

/// `memory` has the addresses of x, logarithms and out.
void line_logarithms(std::string_view type, std::array<address, 3> const& memory, std::size_t count,
                     std::size_t size, settings const& on) {
  auto const& [x, logarithms, out] = memory;
  host::line_logarithms const call{lane_type_named(type),
                                   pointer<void const>(x),
                                   pointer<void>(logarithms),
                                   pointer<void>(out),
                                   count,
                                   size};
  computing(count * size, [&] { host::run(on.executor(), call); });
}

/// `memory` has the addresses of x, values and positions, `sizes` matrices, rows and columns.
void running_maxima(std::string_view type, std::array<address, 3> const& memory,
                    std::array<std::size_t, 3> const& sizes, settings const& on) {
  auto const& [matrices, rows, columns] = sizes;
  host::running_maxima const call{lane_type_named(type),
                                  pointer<void const>(memory[0]),
                                  pointer<void>(memory[1]),
                                  pointer<std::int64_t>(memory[2]),
                                  matrices,
                                  rows,
                                  columns};
  computing(matrices * rows * columns, [&] { host::run(on.executor(), call); });
}

/// `memory` has the addresses of x and the results.
void running_log_sums(std::string_view type, std::array<address, 2> const& memory,
                      std::array<std::size_t, 3> const& sizes, bool reverse, settings const& on) {
  auto const& [matrices, rows, columns] = sizes;
  host::running_log_sums const call{lane_type_named(type),
                                    pointer<void const>(memory[0]),
                                    pointer<void>(memory[1]),
                                    matrices,
                                    rows,
                                    columns,
                                    reverse};
  computing(matrices * rows * columns, [&] { host::run(on.executor(), call); });
}

/// host::sum_rows of x, order, borders and out; `sizes`: segments, rows and columns.
void sum_rows(std::string_view type, std::array<address, 4> const& memory,
              std::array<std::size_t, 3> const& sizes, settings const& on) {
  auto const& [x, order, borders, out] = memory;
  auto const& [count, size, columns] = sizes;
  computing(count + size * columns, [&] {
    host::sum_rows(
        on.executor(),
        {lane_type_named(type), pointer<void const>(x), pointer<std::int64_t const>(order),
         pointer<std::int64_t const>(borders), count, size, columns, pointer<void>(out)});
  });
}

/// The sums of lines one after another; `memory` has the addresses of x and of the results.
void sum_lines(std::string_view type, std::array<address, 2> const& memory, std::size_t count,
               std::size_t size, settings const& on) {
  dynamic::dtype const t = type_named(type);
  dynamic::call_entry const& sum = *dynamic::find(catalog::id::sum, t);
  auto const* const x = pointer<void const>(memory[0]);
  computing(count * size, [&] {
    dynamic::reduce_lines(sum, dynamic::lines_of_array(x, size_of(t), count, size, 1),
                          {on.executor()}, pointer<void>(memory[1]));
  });
}

bool order_by_index(address index, std::size_t n, std::size_t size, address order,
                    address borders) {
  return computing(n + size, [&] {
    return host::order_by_index(pointer<std::int64_t const>(index), n, size,
                                pointer<std::int64_t>(order), pointer<std::int64_t>(borders));
  });
}

}  // namespace

void add_elementwise(nb::module_& m) {
  m.def("elementwise", elementwise);
  m.def("line_function", line_function);
  m.def("line_logarithms", line_logarithms);
  m.def("running_log_sums", running_log_sums);
  m.def("running_maxima", running_maxima);
  m.def("sum_lines", sum_lines);
  m.def("sum_rows", sum_rows);
  m.def("order_by_index", order_by_index);
}

}  // namespace upsweep::python
