/// Running maxima with their positions, and logarithms of running sums of exponentials, compiled in
/// the library. Both are of each column of `matrices` matrices of `rows` rows and `columns`
/// columns, one after another.
#pragma once

#include <upsweep/core/export.h>
#include <upsweep/host/executor.hpp>
#include <upsweep/host/simd/anchored_recurrence.hpp>

#include <cstddef>
#include <cstdint>

namespace upsweep::host {

/// The largest element of each column up to each row, NaN from the first NaN on, and its row, of
/// equal ones and of several NaN the last. Zeros are equal. Memory of `values` may be that of x.
struct running_maxima {
  simd::lane_type type;  ///< a real one
  void const* x;
  void* values;
  std::int64_t* positions;
  std::size_t matrices, rows, columns;
};
UPSWEEP_API void run(cpu const& on, running_maxima const& call);

/// log(e^x[0] + ... + e^x[i]) of each column up to each row i, or from the last row on if
/// `reverse`. With the running maxima m in double it is m[i] + log(s[i]), rounded once, where s[i]
/// = e^(m[i-1] - m[i]) s[i-1] + e^(x[i] - m[i]) is a recurrence in the tree of anchored blocks.
/// Memory of `out` may be that of x.
struct running_log_sums {
  simd::lane_type type;  ///< f32 or f64
  void const* x;
  void* out;
  std::size_t matrices, rows, columns;
  bool reverse;
};
UPSWEEP_API void run(cpu const& on, running_log_sums const& call);

}  // namespace upsweep::host
