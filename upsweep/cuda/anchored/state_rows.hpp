/// Numbers of the 16 states of a channel and of the 16 tokens of a group: in the registers of a
/// thread that has a state, and in shared memory.
#pragma once

#include <upsweep/cuda/anchored/call.hpp>
#include <upsweep/cuda/device/elements.hpp>
#include <upsweep/cuda/device/warp.hpp>

#include <cstddef>

namespace upsweep::device {

inline constexpr unsigned scan_states = 16;  ///< of a channel
/// The distance of rows of tokens in shared memory. With the gap after each of them, accesses are
/// without bank conflicts.
inline constexpr unsigned state_row = 20;

/// Reads 16 numbers of shared memory, in vectors.
template <class A>
__device__ void read_row(A const* row, A (&x)[16]) {
  constexpr unsigned step = 16 / sizeof(A);
#pragma unroll
  for (unsigned i = 0; i < 16; i += step) {
    using vector = simt::packed<A, step>;
    vector const some = simt::pointer_cast<vector const>(row + i)[0];
#pragma unroll
    for (unsigned j = 0; j < step; ++j) x[i + j] = some.value[j];
  }
}
/// Writes them likewise.
template <class A>
__device__ void write_row(A const (&x)[16], A* row) {
  constexpr unsigned step = 16 / sizeof(A);
#pragma unroll
  for (unsigned i = 0; i < 16; i += step) {
    simt::packed<A, step> some;
#pragma unroll
    for (unsigned j = 0; j < step; ++j) some.value[j] = x[i + j];
    simt::pointer_cast<simt::packed<A, step>>(row + i)[0] = some;
  }
}
/// The sum of x[0], ..., x[15] in the combine tree.
template <class A>
__device__ A sum_of_16(A (&x)[16]) {
#pragma unroll
  for (unsigned size = 1; size < 16; size *= 2)
#pragma unroll
    for (unsigned i = 0; i < 16; i += 2 * size) x[i] = added(x[i], x[i + size]);
  return x[0];
}

/// Values of each state and token of a channel in shared memory, with a gap after them for the
/// channel beside.
template <class A>
using channel_rows = A[scan_states * state_row + 16];

/// The sum over states of the values of token t, in the combine tree.
template <class A>
__device__ A column_sum(channel_rows<A> const& rows, unsigned t) {
  A x[scan_states];
#pragma unroll
  for (unsigned k = 0; k < scan_states; ++k) x[k] = rows[k * state_row + t];
  return sum_of_16(x);
}
/// The sum of the values of 16 adjacent lanes, in the combine tree.
template <class A>
__device__ A row_sum(A x) {
#pragma unroll
  for (int k = 1; k < 16; k *= 2) x = added(x, simt::shuffle_xor(whole_warp, x, k));
  return x;
}
/// Puts the last number first.
template <class A>
__device__ void reverse(A (&x)[16]) {
#pragma unroll
  for (unsigned i = 0; i < 8; ++i) {
    A const other = x[i];
    x[i] = x[15 - i];
    x[15 - i] = other;
  }
}

/// Some of the 256 elements of B or C for a group of tokens, on their way to rows of states.
template <class A, unsigned threads>
struct moved_states {
  static constexpr unsigned some = scan_states * 16 / threads;
  A x[some];

  /// `from`: the first of them, and the distance of states.
  template <class E>
  __device__ moved_states(E const* from, std::ptrdiff_t step, bool has) {
#pragma unroll
    for (unsigned k = 0; k < some; ++k)
      x[k] = has ? to_number<A>(from[k * (threads / 16) * step]) : A{};
  }
  __device__ void put(A* rows) const {
#pragma unroll
    for (unsigned k = 0; k < some; ++k)
      rows[(threadIdx.x / 16 + k * (threads / 16)) * state_row + threadIdx.x % 16] = x[k];
  }
};

}  // namespace upsweep::device
