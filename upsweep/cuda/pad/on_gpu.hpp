/// What the executor calls to make rows longer or shorter, compiled in the library.
#pragma once

#include <upsweep/cuda/compiled.hpp>

#include <cstddef>

namespace upsweep::device {

/// The rows at `x`, one after the other, each of `in_bytes`, become rows of `out_bytes` in place.
struct row_change {
  void* x;
  std::size_t rows, in_bytes, out_bytes, element_bytes;
  void const* fill;  ///< the element that fills rows that become longer
};
void pad_on(gpu const& on, row_change const& change);

}  // namespace upsweep::device
