/// Brent–Kung inclusive scan of one block: a reduction tree, then a second tree that distributes
/// its sums to the elements between.
/// Cost: n elements by n / 2 threads: 2n - log2 n - 2 applications · 2·log2 n - 1 steps ·
/// 2·log2 n barriers
/// Source: Brent & Kung 1982; PMPP 4th ed., ch. 11; ETH Zürich, P&S, prefix sum
/// Page: docs/algorithms/brent_kung.md
#pragma once

#include <upsweep/textbook/scan_skeleton.hpp>

#include <cstddef>

namespace upsweep::textbook {

template <class T, int threads, class Op>
__global__ void brent_kung(T const* in, T* out, std::size_t n, Op op) {
  constexpr unsigned size = 2 * threads;
  __shared__ T tile[2 * threads];
  unsigned const t = threadIdx.x;
  std::size_t const i = std::size_t{blockIdx.x} * size + t;
  T low = identity_of<T>(op), high = low;
  if (i < n) low = in[i];
  if (i + threads < n) high = in[i + threads];
  tile[t] = low;
  tile[t + threads] = high;
  for (unsigned stride = 1; stride < size; stride *= 2) {
    __syncthreads();  // every element whose index, counted from 1, is a multiple of
                      // `stride` covers the `stride` elements that end there
    unsigned const k = (t + 1) * 2 * stride - 1;
    if (k < size) tile[k] = op(tile[k - stride], tile[k]);
  }
  for (unsigned stride = size / 4; stride > 0; stride /= 2) {
    __syncthreads();  // every element at a multiple of 2·stride holds its final result
    unsigned const k = (t + 1) * 2 * stride - 1;
    if (k + stride < size) tile[k + stride] = op(tile[k], tile[k + stride]);
  }
  __syncthreads();  // every element holds its final result
  if (i < n) out[i] = tile[t];
  if (i + threads < n) out[i + threads] = tile[t + threads];
}

template <int threads>
struct brent_kung_plan {
  static constexpr int least_threads = 1;
  static_assert(is_tree_block<threads, least_threads>);
  static constexpr bool exclusive = false;
  static constexpr std::size_t tile = 2 * threads;

  template <class Machine, class T, class Op>
  static void run(Machine& machine, T const* in, T* out, std::size_t n, Op op) {
    scan_by_blocks<tile, exclusive>(machine, in, out, n, op, "brent_kung", threads,
                                    brent_kung<T, threads, Op>);
  }
};

}  // namespace upsweep::textbook
