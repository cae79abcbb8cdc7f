/// Running maxima with their positions, compiled in the library.
#pragma once

#include <upsweep/core/export.h>
#include <upsweep/host/executor.hpp>
#include <upsweep/host/simd/anchored_recurrence.hpp>

#include <cstddef>
#include <cstdint>

namespace upsweep::host {

/// Of matrices of `rows` rows and `columns` columns one after another: the largest element of each
/// column up to each row, NaN from the first NaN on, and its row, of equal ones and of several NaN
/// the last. Zeros are equal. Memory of `values` may be that of x.
struct running_maxima {
  simd::lane_type type;  ///< a real one
  void const* x;
  void* values;
  std::int64_t* positions;
  std::size_t matrices, rows, columns;
};
UPSWEEP_API void run(cpu const& on, running_maxima const& call);

}  // namespace upsweep::host
