/// The lines of an n-dimensional array along one axis, for reduce --axis and scan --axis.
#pragma once

#include <cli/engine/folding_set.hpp>
#include <io/input.hpp>

#include <functional>
#include <vector>

namespace upsweep::cli {

/// Makes the operators for one line. Each thread needs its own.
using folding_factory = std::function<folding_set()>;

/// `axis` as an index into `shape`; negative numbers count from the last. Throws usage_error if
/// there is no such axis.
[[nodiscard]] std::size_t find_axis(int axis, std::vector<std::size_t> const& shape);

/// The results of every line along `axis`, in row-major order of the other dimensions: one column
/// for each column of results of the set.
[[nodiscard]] std::vector<column_buffer> reduce_lines(io::array_view const& array, std::size_t axis,
                                                      folding_factory const& make, int threads);

/// One result per element, in row-major order. `from_end` scans every line from its last element to
/// its first.
[[nodiscard]] std::vector<column_buffer> scan_lines(io::array_view const& array, std::size_t axis,
                                                    scan_kind kind, bool from_end,
                                                    folding_factory const& make, int threads);

}  // namespace upsweep::cli
