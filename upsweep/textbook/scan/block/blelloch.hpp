/// Blelloch's work-efficient exclusive scan of one block: an up-sweep to the total, a down-sweep of
/// prefixes, in the order of the combine tree.
/// Cost: n elements by n / 2 threads: n - 1 applications up, n - 1 down · 2·log2 n steps ·
/// 1 + 2·log2 n barriers · bank conflicts
/// Source: Blelloch 1990; Harris, Sengupta & Owens, GPU Gems 3, ch. 39, listing 39-2
/// Page: docs/algorithms/blelloch.md
#pragma once

#include <upsweep/textbook/scan_skeleton.hpp>

#include <cstddef>

namespace upsweep::textbook {

template <class T, int threads, class Op>
__global__ void blelloch(T const* in, T* out, std::size_t n, Op op) {
  constexpr unsigned size = 2 * threads;
  __shared__ T tile[2 * threads];
  unsigned const t = threadIdx.x;
  std::size_t const i = std::size_t{blockIdx.x} * size + t;
  T const identity = identity_of<T>(op);
  T low = identity, high = identity;
  if (i < n) low = in[i];
  if (i + threads < n) high = in[i + threads];
  tile[t] = low;
  tile[t + threads] = high;
  for (unsigned stride = 1; stride < size; stride *= 2) {
    __syncthreads();  // the last element of every aligned block of `stride` elements holds the
                      // block's total
    unsigned const left = (2 * t + 1) * stride - 1, right = left + stride;
    if (right < size) tile[right] = op(tile[left], tile[right]);
  }
  if (t == 0) tile[size - 1] = identity;  // thread 0 wrote the total: no barrier needed
  for (unsigned stride = threads; stride > 0; stride /= 2) {
    __syncthreads();  // the last element of every aligned block of 2·stride elements holds
                      // the block's exclusive prefix
    unsigned const left = (2 * t + 1) * stride - 1, right = left + stride;
    if (right < size) {
      T const total = tile[left];
      tile[left] = tile[right];
      tile[right] = op(tile[right], total);  // the prefix is the earlier operand
    }
  }
  __syncthreads();  // every element holds its exclusive prefix
  if (i < n) out[i] = tile[t];
  if (i + threads < n) out[i + threads] = tile[t + threads];
}

template <int threads>
struct blelloch_plan {
  static constexpr int least_threads = 1;
  static_assert(is_tree_block<threads, least_threads>);
  static constexpr bool exclusive = true;
  static constexpr std::size_t tile = 2 * threads;

  template <class Machine, class T, class Op>
  static void run(Machine& machine, T const* in, T* out, std::size_t n, Op op) {
    scan_by_blocks<tile, exclusive>(machine, in, out, n, op, "blelloch", threads,
                                    blelloch<T, threads, Op>);
  }
};

}  // namespace upsweep::textbook
