/// Reductions and scans of the lines along an axis. Sums, extrema, moments and running sums of many
/// neighboring lines along an axis that is not the last are made row by row.
#pragma once

#include <python/binding/strided.hpp>

#include <cstddef>
#include <cstdint>

namespace upsweep::python {

/// Whether reduce_columns has the reductions of such lines.
bool reduces_columns(dynamic::call_entry const& e, axis_lines const& x);

/// to[line] = the reduction of each line of `x` along the combine tree, on the left of which
/// `initial` stands unless it is null. One read of the memory, in its order.
void reduce_columns(dynamic::call_entry const& e, cpu const& on, axis_lines const& x,
                    void const* initial, void* to);

/// The same for products of floats, or false if these lines have another way.
bool reduce_column_products(dynamic::call_entry const& e, cpu const& on, axis_lines const& x,
                            void const* initial, void* to);

/// means[line] = the mean of each line of `x`, and unless it is null squares[line] = the sum of
/// squared distances from it, as of the operator `moments`, or false if lines are not such. `t` is
/// a type of moment_types.
bool find_column_moments(cpu const& on, dynamic::dtype t, axis_lines const& x, double* means,
                         double* squares);
/// The types of whose elements the library has compiled moments.
using moment_types =
    dynamic::types<std::int32_t, std::uint32_t, std::int64_t, std::uint64_t, float, double>;

/// Whether scan_columns has the running sums of lines of such elements.
bool scans_columns(dynamic::call_entry const& e, axis_lines const& x, axis_lines const& out);

/// Line i of `out` = the running sums of line i of `x`, which may be the same memory.
void scan_columns(cpu const& on, dynamic::dtype t, axis_lines const& x, axis_lines const& out);

/// to[line] = the reduction of each line of `x`.
inline void reduce_lines(dynamic::call_entry const& e, axis_lines const& x,
                         dynamic::request const& how, std::byte* to) {
  if (!how.reverse && how.tree == tree::prefix) {
    if (reduces_columns(e, x)) return reduce_columns(e, how.on, x, how.initial, to);
    if (reduce_column_products(e, how.on, x, how.initial, to)) return;
  }
  for_each_line(how.on, x, [&](std::size_t line, std::byte const* elements, cpu const& here) {
    dynamic::request mine = how;
    mine.on = here;
    e.reduce(elements, x.size, mine, to + line * bytes_out(e));
  });
}

/// Each line of `out` = the scan of the same line of `x`.
inline void scan_lines(dynamic::call_entry const& e, dynamic::verb v, axis_lines const& x,
                       dynamic::request const& how, axis_lines const& out) {
  if (v == dynamic::verb::inclusive_scan && !how.reverse && !how.initial &&
      scans_columns(e, x, out))
    return scan_columns(how.on, e.element, x, out);
  for_each_line(how.on, x, out, [&](auto const* elements, auto* results, cpu const& here) {
    dynamic::request mine = how;
    mine.on = here;
    e.run(v, elements, x.size, mine, results);
  });
}

}  // namespace upsweep::python
