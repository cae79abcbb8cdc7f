/// Sorts and order statistics by name: of elements whose type is known at run time, in the total
/// order of `ascending` (upsweep/sort.hpp) or its opposite.
///
/// Arrays are contiguous and aligned. Overlaps and other wrong arguments are refused by
/// precondition_error as those of the C++ verbs. Where memory runs out, an array that is sorted in
/// place has its elements as they were; another output is unspecified.
#pragma once

#include <upsweep/core/export.h>
#include <upsweep/host/executor.hpp>
#include <upsweep/names/dtype.hpp>

#include <cstddef>
#include <cstdint>

namespace upsweep::dynamic {

/// Stores the elements in order; `out` may be `in`.
UPSWEEP_API void sort(cpu const& on, dtype t, void const* in, std::size_t n, bool descending,
                      void* out);
/// Sorts n keys in place, stably, and moves values[i] along with keys[i].
UPSWEEP_API void sort_by_key(cpu const& on, dtype key, void* keys, dtype value, void* values,
                             std::size_t n, bool descending);
/// Stores the positions of the elements in their stable order.
UPSWEEP_API void argsort(cpu const& on, dtype t, void const* in, std::size_t n, bool descending,
                         std::uint64_t* out);
/// Stores the `count` <= n elements that come first in the order.
UPSWEEP_API void top(cpu const& on, dtype t, void const* in, std::size_t n, bool descending,
                     void* out, std::size_t count);
/// Stores the quantiles q[0 .. count) of n > 0 elements, as upsweep::quantile computes them.
UPSWEEP_API void quantiles(cpu const& on, dtype t, void const* in, std::size_t n, double const* q,
                           std::size_t count, double* out);

/// Lines of `size` elements each, one after another.
struct line_shape {
  std::size_t count, size;
};
/// The same for each line: short lines are sorted together, one in each lane of the registers.
UPSWEEP_API void sort_lines(cpu const& on, dtype t, void const* in, line_shape s, bool descending,
                            void* out);
UPSWEEP_API void argsort_lines(cpu const& on, dtype t, void const* in, line_shape s,
                               bool descending, std::uint64_t* out);
/// Stores `count` quantiles of each line, which has elements.
UPSWEEP_API void quantiles_of_lines(cpu const& on, dtype t, void const* in, line_shape s,
                                    double const* q, std::size_t count, double* out);

}  // namespace upsweep::dynamic
