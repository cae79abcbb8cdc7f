/// Totals of the aligned blocks into which the values of a warp split. The combine tree of a number
/// of values that is no power of two joins them one after another.
#pragma once

#include <upsweep/cuda/device/warp.hpp>

namespace upsweep::device {

/// Whether slot i has the last of one of the aligned blocks that `count` values split into.
__forceinline__ __device__ bool ends_block(unsigned i, unsigned count) {
  unsigned const m = i + 1;
  return m <= count && (count & ~((m & (~m + 1)) - 1)) == m;
}
/// Puts the total of the aligned block that ends with slot i there.
template <unsigned count, class A, class Op>
__device__ void combine_in_place(A* x, Op const& op) {
#pragma unroll
  for (unsigned size = 1; size < count; size *= 2)
#pragma unroll
    for (unsigned i = 2 * size - 1; i < count; i += 2 * size) x[i] = op(x[i - size], x[i]);
}
/// Stores the totals of the aligned blocks into which the first `count` values of a warp split, the
/// largest first; `count` is less than all. Rows of x have the totals of blocks in place.
template <unsigned items, unsigned rows, class A, class Op>
__device__ void leave_blocks(A const (&x)[items * rows], unsigned count, unsigned lane,
                             Op const& op, boxed<A>* blocks) {
  unsigned const row = count / (32 * items), of_row = count % (32 * items);
  A of_rows[rows], slots[items];
  siblings<A> beside;
#pragma unroll
  for (unsigned r = 0; r < rows; ++r) {
    siblings<A> found;
    of_rows[r] = butterfly<5>(x[r * items + items - 1], found, op);
    if (r != row) continue;
    beside = found;
#pragma unroll
    for (unsigned j = 0; j < items; ++j) slots[j] = x[r * items + j];
  }
  combine_in_place<rows>(of_rows, op);
  if (lane != of_row / items) return;
  unsigned k = 0;
#pragma unroll
  for (unsigned r = 0; r < rows; ++r)
    if (ends_block(r, row)) blocks[k++] = of_rows[r];
#pragma unroll
  for (unsigned level = 5; level-- > 0;)
    if ((lane >> level & 1) != 0) blocks[k++] = beside.total[level];
#pragma unroll
  for (unsigned j = 0; j < items; ++j)
    if (ends_block(j, of_row % items)) blocks[k++] = slots[j];
}

}  // namespace upsweep::device
