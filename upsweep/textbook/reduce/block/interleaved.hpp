/// A tree in global memory: thread t owns element 2t, the stride doubles, and only threads whose
/// index is a multiple of the stride stay active.
/// Cost: n - 1 applications · log2 n steps · log2 n barriers ·
/// n = 256: 864 lane slots, 141 lines of 128 bytes (4-byte elements)
/// Source: PMPP 4th ed., ch. 10, fig. 10.6
/// Page: docs/algorithms/interleaved.md
///
/// The active threads of a step are scattered over all warps, and so are their elements: most lanes
/// idle, and every line is fetched.
#pragma once

#include <upsweep/textbook/skeleton.hpp>

#include <cstddef>

namespace upsweep::textbook {

template <class T, int threads, class Op>
__global__ void interleaved(T* data, T* out, Op op) {
  unsigned const t = threadIdx.x;
  std::size_t const i = blockIdx.x * std::size_t{2 * threads} + 2 * t;
  for (unsigned stride = 1; stride <= threads; stride *= 2) {
    if (t % stride == 0) data[i] = op(data[i], data[i + stride]);
    __syncthreads();  // data[i] covers [i, i + 2 * stride) where 2 * stride divides i
  }
  if (t == 0) out[blockIdx.x] = data[i];
}

/// The kernel overwrites what it reduces, so each level works on a copy, padded with identities to
/// whole tiles.
template <int threads>
struct interleaved_plan {
  static constexpr int least_threads = 1;
  static_assert(is_tree_block<threads, least_threads>);
  static constexpr bool keeps_order = true;
  static constexpr std::size_t tile = 2 * threads;

  template <class Machine, class T, class Op>
  static void run(Machine& machine, T const* in, T* out, std::size_t n, Op op) {
    reduce_by_levels<T>(
        machine, in, out, n, tile, [&](T const* from, T* to, std::size_t count, unsigned tiles) {
          T* const data = copy_with_identities<threads, T>(machine, from, count, tiles * tile, op);
          machine.launch(free_blocks("interleaved", tiles, threads), interleaved<T, threads, Op>,
                         data, to, op);
        });
  }
};

}  // namespace upsweep::textbook
