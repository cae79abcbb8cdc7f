/// Sums of lines, and of rows by segments and by index, over memory of PyTorch's tensors, whose
/// package has checked it.
#include <python/binding/addresses.hpp>
#include <python/binding/module.hpp>

#include <nanobind/stl/array.h>
#include <nanobind/stl/string_view.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

namespace upsweep::python {
namespace {

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

void add_rows(nb::module_& m) {
  m.def("sum_lines", sum_lines);
  m.def("sum_rows", sum_rows);
  m.def("order_by_index", order_by_index);
}

}  // namespace upsweep::python
