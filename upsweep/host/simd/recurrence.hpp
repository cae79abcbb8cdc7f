/// The vector kernels of linear recurrences: the scan of a block of elements in two steps.
#pragma once

#include <upsweep/core/export.h>

#include <cstddef>

namespace upsweep::host::simd {

/// The largest order that has kernels, and the elements of a block: a power of two between these.
inline constexpr std::size_t most_recurrence_order = 4, least_recurrence_block = 64,
                             recurrence_block = 1024;

/// What a block of n elements needs of the recurrence, and what up() keeps for down().
template <class T>
struct recurrence_nodes {
  T const* power;  ///< power[(j * order + row) * order + column] is that of A^(2^j), all finite
  std::size_t n;
  T* node;       ///< order * n numbers at a multiple of 64 bytes
  T weight = 1;  ///< of each element
};

/// For one order.
template <class T>
struct recurrence_kernel {
  /// total[0 .. order) = the state after the n elements at x, times the weight.
  void (*up)(recurrence_nodes<T> const& block, T const* x, T* total);
  /// Results i < n of the block of the last up(), whose state before it is `before` and at the end
  /// `after`: the results after element i or, if exclusive, before it. If `before` is null,
  /// as at the beginning, +0 may replace the -0 after element 0, and exclusive result 0 is not
  /// defined.
  void (*down)(recurrence_nodes<T> const& block, bool exclusive, T const* before, T const* after,
               T* out);
};

/// The kernels of an order from 1 to 4.
[[nodiscard]] UPSWEEP_API recurrence_kernel<float> recurrence_of_floats(std::size_t order);
[[nodiscard]] UPSWEEP_API recurrence_kernel<double> recurrence_of_doubles(std::size_t order);

}  // namespace upsweep::host::simd
