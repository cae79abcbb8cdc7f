/// Scans and reductions of all lines of an array along an axis, by one launch each.
#pragma once

#include <upsweep/cuda/executor.hpp>
#include <upsweep/names/dtype.hpp>
#include <upsweep/ops/catalog.hpp>

#include <cstddef>
#include <span>

namespace upsweep::python {

/// An array of any strides.
struct strided_memory {
  void* first;
  std::span<std::size_t const> extents;
  std::span<std::ptrdiff_t const> strides;  ///< in elements
};

/// A call over lines. `out` has the CPU's type of results; it has the extents of `in`, of a
/// reduction without the axis.
struct lines_call {
  gpu on;
  catalog::id op;
  dynamic::dtype type;
  strided_memory in, out;
  std::size_t axis;
  bool reverse;
  void const* initial;  ///< one result, in the host's memory, or null
};

/// These return false, and launch nothing, without kernels for the operator and the type, for
/// strides that are no matrix's, and for few long lines, which are calls of their own, unless they
/// lie one after another and are scanned by kernels of segments.
[[nodiscard]] bool scan_lines(lines_call const& c);
[[nodiscard]] bool reduce_lines(lines_call const& c);

}  // namespace upsweep::python
