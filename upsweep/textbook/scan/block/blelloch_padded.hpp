/// Blelloch's scan with one unused element after every 32, so that the strides of the trees no
/// longer conflict.
/// Cost: applications, steps and barriers of blelloch · n = 1024: no bank conflict ·
/// n / 32 more elements of shared memory
/// Source: Harris, Sengupta & Owens, GPU Gems 3, ch. 39.2.3; Tutorial 11, table 2
/// Page: docs/algorithms/blelloch_padded.md
#pragma once

#include <upsweep/textbook/scan_skeleton.hpp>

#include <cstddef>

namespace upsweep::textbook {

/// The index of element i of the tile in shared memory. Elements up to 1024 apart whose distance is
/// a multiple of 32 fall into different banks.
__device__ constexpr unsigned padded(unsigned i) {
  return i + i / 32;
}

template <class T, int threads, class Op>
__global__ void blelloch_padded(T const* in, T* out, std::size_t n, Op op) {
  constexpr unsigned size = 2 * threads;
  __shared__ T tile[2 * threads + 2 * threads / 32];
  unsigned const t = threadIdx.x;
  std::size_t const i = std::size_t{blockIdx.x} * size + t;
  T const identity = identity_of<T>(op);
  T low = identity, high = identity;
  if (i < n) low = in[i];
  if (i + threads < n) high = in[i + threads];
  tile[padded(t)] = low;
  tile[padded(t + threads)] = high;
  for (unsigned stride = 1; stride < size; stride *= 2) {
    __syncthreads();  // the last element of every aligned block of `stride` elements holds the
                      // block's total
    unsigned const left = (2 * t + 1) * stride - 1, right = left + stride;
    if (right < size) tile[padded(right)] = op(tile[padded(left)], tile[padded(right)]);
  }
  if (t == 0) tile[padded(size - 1)] = identity;  // thread 0 wrote the total: no barrier needed
  for (unsigned stride = threads; stride > 0; stride /= 2) {
    __syncthreads();  // the last element of every aligned block of 2·stride elements holds
                      // the block's exclusive prefix
    unsigned const left = (2 * t + 1) * stride - 1, right = left + stride;
    if (right < size) {
      T const total = tile[padded(left)];
      tile[padded(left)] = tile[padded(right)];
      tile[padded(right)] = op(tile[padded(right)], total);  // the prefix is the earlier operand
    }
  }
  __syncthreads();  // every element holds its exclusive prefix
  if (i < n) out[i] = tile[padded(t)];
  if (i + threads < n) out[i + threads] = tile[padded(t + threads)];
}

template <int threads>
struct blelloch_padded_plan {
  static constexpr int least_threads = 1;
  static_assert(is_tree_block<threads, least_threads>);
  static constexpr bool exclusive = true;
  static constexpr std::size_t tile = 2 * threads;

  template <class Machine, class T, class Op>
  static void run(Machine& machine, T const* in, T* out, std::size_t n, Op op) {
    scan_by_blocks<tile, exclusive>(machine, in, out, n, op, "blelloch_padded", threads,
                                    blelloch_padded<T, threads, Op>);
  }
};

}  // namespace upsweep::textbook
