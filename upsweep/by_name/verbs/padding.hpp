/// pad and unpad by name: of elements whose type is known at run time.
#pragma once

#include <upsweep/core/export.h>
#include <upsweep/host/executor.hpp>
#include <upsweep/names/dtype.hpp>

#include <cstddef>

namespace upsweep::dynamic {

/// The rows of a matrix of rows * padded elements, of which each has `columns` that are kept.
struct padded_rows {
  std::size_t rows, columns, padded;
};
/// As upsweep::pad and unpad, in the array at `x`; `fill` is an element, or null for zero.
UPSWEEP_API void pad(cpu const& on, dtype t, void* x, padded_rows const& shape, void const* fill);
UPSWEEP_API void unpad(cpu const& on, dtype t, void* x, padded_rows const& shape);

}  // namespace upsweep::dynamic
