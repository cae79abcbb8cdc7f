/// Sums of the rows of a matrix by segments of rows, column by column.
#pragma once

#include <upsweep/core/export.h>
#include <upsweep/host/simd/anchored_recurrence.hpp>

#include <cstddef>
#include <cstdint>

namespace upsweep {

struct cpu;

namespace host {

/// out[k] = the sum of rows [borders[k], borders[k + 1]) of a matrix of `size` rows and `columns`
/// columns, with the sums of reduce_segments of each column. Row i is that of number order[i] if
/// there is an order, and may be in it several times or not at all. Elements are f16, bf16, f32 or
/// f64, and those of 16 bits are added in float and rounded once.
struct row_sums {
  simd::lane_type type;
  void const* x;
  std::int64_t const *order, *borders;
  std::size_t count, size, columns;
  void* out;
};

/// On the CPU. Throws precondition_error, before it stores a sum, unless the borders ascend from 0
/// to `size`. `out` must not overlap the others. The numbers of rows are not checked.
UPSWEEP_API void sum_rows(cpu const& on, row_sums const& call);

/// Stores the order in which equal indices are together, ascending, and otherwise as they are, and
/// the `size` + 1 borders between them: row_sums of these adds rows by their index. Returns false
/// if one of the n indices is not in [0, size).
[[nodiscard]] UPSWEEP_API bool order_by_index(std::int64_t const* index, std::size_t n,
                                              std::size_t size, std::int64_t* order,
                                              std::int64_t* borders);

}  // namespace host
}  // namespace upsweep
