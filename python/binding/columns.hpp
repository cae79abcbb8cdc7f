/// Sums of many neighbouring lines along an axis that is not the last, row by row.
#pragma once

#include <python/binding/strided.hpp>

namespace upsweep::python {

/// Whether sum_columns has the sums of lines of such elements.
bool sums_columns(dynamic::call_entry const& e, axis_lines const& x);

/// to[line] = the sum of each line of `x` along the combine tree, on the left of which `initial`
/// stands unless it is null. One read of the memory, in its order.
void sum_columns(cpu const& on, dynamic::dtype t, axis_lines const& x, void const* initial,
                 void* to);

}  // namespace upsweep::python
